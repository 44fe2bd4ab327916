/** Draws as SVG, in the units of a view box: axes, bars, lines and points that stand for numbers. */
import { formatNumber } from "../../io/index.ts";
import { markup, Markup, type Content } from "./markup.ts";

/** Draws a bar beside a number, from 0 to 1; the number says it, so that readers of the screen skip it. */
export function meter(share: number): Markup {
  const width = (100 * Math.max(0, Math.min(1, Number.isNaN(share) ? 0 : share))).toFixed(1);
  return markup`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><path class="track" d="M0 0h100v10H0z"/><path class="s0" d="M0 0h${width}v10H0z"/></svg>`;
}

/** An axis of a chart has the ends of its numbers, and says what they are. */
export interface Axis {
  readonly ends: readonly [number, number];
  readonly title: string;
  readonly text?: (value: number) => string;
}

/** Gives the place of a number in the view box, rounded to what one sees. */
export type AxisScale = (value: number) => number;

const WIDTH = 440;
const [LEFT, RIGHT, TOP, BOTTOM] = [60, 8, 8, 40];

/**
 * Draws marks between two axes.
 * @param name what readers of the screen hear
 */
export function chart(
  name: string,
  across: Axis,
  up: Axis,
  draw: (x: AxisScale, y: AxisScale) => Content,
  height = 290,
): Markup {
  const [right, bottom] = [WIDTH - RIGHT, height - BOTTOM];
  const [x, y] = [scaleOf(across.ends, [LEFT, right]), scaleOf(up.ends, [bottom, TOP])];
  const [acrossText, upText] = [across.text ?? shortNumber, up.text ?? shortNumber];
  const ticks = ticksOf(across.ends, 5);
  return markup`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${name}">${ticksOf(
    up.ends,
    5,
  ).map(
    (value) =>
      markup`<path class="grid" d="M${LEFT} ${y(value)}H${right}"/><text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${upText(value)}</text>`,
  )}${ticks.map((value) => markup`<text x="${x(value)}" y="${bottom + 16}" text-anchor="middle">${acrossText(value)}</text>`)}<text x="${(LEFT + right) / 2}" y="${height - 6}" text-anchor="middle">${across.title}</text><text x="${-(TOP + bottom) / 2}" y="11" transform="rotate(-90)" text-anchor="middle">${up.title}</text>${draw(x, y)}</svg>
`;
}

export function scaleOf([min, max]: Axis["ends"], [from, to]: readonly [number, number]): AxisScale {
  const size = max > min ? max - min : 1;
  return (value) => Math.round((from + ((value - min) / size) * (to - from)) * 10) / 10;
}

/** Returns round numbers between two ends. */
function ticksOf([min, max]: Axis["ends"], most: number): number[] {
  if (!(max > min)) return [min];
  const rough = (max - min) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  const first = Math.ceil(min / step);
  const count = Math.floor(max / step) - first + 1;
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

export function shortNumber(value: number): string {
  return formatNumber(Number(value.toPrecision(4)));
}

/** Returns the least and the largest number, moved apart a little, so that no mark stands on the frame. */
export function endsOf(values: readonly number[], room = 0.03): readonly [number, number] {
  const [min, max] = values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
  if (!(max >= min)) return [0, 1];
  const more = (max - min || Math.abs(max) || 1) * room;
  return [min - more, max + more];
}

/** Points have these shapes, paths from their middle, so that they differ without colour, too. */
export const shapes = ["h0", "m-3-3l6 6m0-6l-6 6", "m0-4l4 7h-8z", "m-3-3h6v6h-6z", "m0-5l4 5l-4 5l-4-5z"];

/** @param points pairs of places */
export function points(series: number, places: readonly (readonly [number, number])[], shape = 0): Markup {
  const path = places.map(([x, y]) => `M${x} ${y}${shapes[shape]}`).join("");
  return markup`<path class="s${series} ${shape === 0 ? "dots" : "marks"}" d="${new Markup(path)}"/>`;
}

export function line(series: number, places: readonly (readonly [number, number])[], dash = ""): Markup {
  const path = places.map(([x, y]) => `${x} ${y}`).join("L");
  return markup`<path class="s${series} line" stroke-dasharray="${dash}" d="M${new Markup(path)}"/>`;
}

/** Counts numbers in equal bins between their ends and draws the counts. */
export function histogram(name: string, values: readonly number[], title: string): Markup {
  const ends = endsOf(values, 0);
  const bins = Math.max(1, Math.min(30, Math.ceil(Math.sqrt(values.length))));
  const counts = new Array<number>(bins).fill(0);
  const width = (ends[1] - ends[0]) / bins;
  for (const value of values)
    counts[width > 0 ? Math.min(bins - 1, Math.floor((value - ends[0]) / width)) : 0]++;
  return chart(
    name,
    { ends, title },
    { ends: [0, Math.max(...counts) * 1.05], title: "rows" },
    (x, y) =>
      bars(
        counts.map((count, at) => [x(ends[0] + at * width), x(ends[0] + (at + 1) * width), y(count)]),
        y(0),
      ),
    220,
  );
}

/** @param edges left, right and top of each bar */
export function bars(edges: readonly (readonly [number, number, number])[], base: number): Markup {
  const path = edges.map(([left, right, top]) => `M${left + 0.5} ${base}V${top}H${right - 0.5}V${base}z`);
  return markup`<path class="s0 solid" d="${new Markup(path.join(""))}"/>`;
}
