/**
 * These are pictures of a profile of distances: bars of text for a terminal, and an SVG that needs nothing
 * else. This is pure.
 */
import { count, plural } from "../format.ts";
import { axisOf, edgeText, type DistanceProfile } from "./distanceProfile.ts";

export const TEXT_BARS = 16;
const TEXT_WIDTH = 40;
const BLOCK = "█";
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** Draws a line for each bar: its lower edge, a bar, and its count. */
export function textPlot(profile: DistanceProfile): string[] {
  const { bars } = profile;
  const most = Math.max(1, ...bars.map((bar) => bar.count));
  const labels = bars.map(({ low }) => edgeText(profile, low));
  const wide = Math.max(...labels.map(({ length }) => length));
  const lines = bars.map((bar, at) => {
    const eighths = Math.round((bar.count / most) * TEXT_WIDTH * 8);
    const drawn = BLOCK.repeat(eighths >> 3) + EIGHTHS[eighths & 7];
    return `  ${labels[at].padStart(wide)} ${drawn}${drawn === "" ? "" : " "}${count(bar.count)}`;
  });
  return [...lines, `  ${edgeText(profile, bars.at(-1)!.high).padStart(wide)} ${axisOf(profile)}`];
}

export const SVG_BARS = 200;
const PAGE = { width: 720, height: 400, left: 88, right: 24, top: 56, bottom: 64 };
const TICKS = 5;

/** Draws bars between axes, each with its edges and its count for where a pointer rests. */
export function svgPlot(profile: DistanceProfile, title: string): string {
  const { bars, queries, counted, outside } = profile;
  const { width, height, left, right, top, bottom } = PAGE;
  const [inner, tall] = [width - left - right, height - top - bottom];
  const most = niceAbove(Math.max(1, ...bars.map((bar) => bar.count)));
  const each = inner / bars.length;
  const gap = each > 4 ? 1 : 0;
  const rectangles = bars.map((bar, at) => {
    const size = (bar.count / most) * tall;
    const place = `x="${round(left + at * each)}" y="${round(top + tall - size)}"`;
    const shape = `width="${round(each - gap)}" height="${round(size)}"`;
    const edges = `${edgeText(profile, bar.low)} to ${edgeText(profile, bar.high)}`;
    return `<rect ${place} ${shape}><title>${edges}: ${count(bar.count)}</title></rect>`;
  });
  const rows = Array.from({ length: TICKS + 1 }, (_, tick) => {
    const y = round(top + tall - (tick / TICKS) * tall);
    const label = count(Math.round((tick / TICKS) * most));
    return (
      `<line x1="${left}" x2="${width - right}" y1="${y}" y2="${y}"/>` +
      `<text x="${left - 8}" y="${y}" dy=".35em" text-anchor="end">${label}</text>`
    );
  });
  const columns = Array.from({ length: TICKS + 1 }, (_, tick) => {
    const bar = Math.round((tick / TICKS) * bars.length);
    const edge = bar < bars.length ? bars[bar].low : bars[bars.length - 1].high;
    const x = round(left + bar * each);
    return `<text x="${x}" y="${height - bottom + 20}" text-anchor="middle">${edgeText(profile, edge)}</text>`;
  });
  const facts = `${plural(queries, "query", "queries")}, ${count(counted)} distances in bins, ${count(outside)} outside`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="24" font-size="16" fill="#111">${escaped(title)}</text>`,
    `<text x="${left}" y="43" fill="#555">${facts}</text>`,
    `<g fill="#555" stroke="none"><g stroke="#ddd">${rows.join("").replaceAll("<text", '<text stroke="none"')}</g>`,
    `${columns.join("")}</g>`,
    `<text x="${left + inner / 2}" y="${height - 16}" text-anchor="middle" fill="#111">${axisOf(profile)}</text>`,
    `<g fill="#2a6fb0">${rectangles.join("")}</g>`,
    `<line x1="${left}" x2="${width - right}" y1="${top + tall}" y2="${top + tall}" stroke="#111"/>`,
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the least of 5, 10, 20, 50, 100 ... that is at least a number, so that all ticks are whole. */
function niceAbove(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number));
  const nice = [1, 2, 5, 10].find((factor) => factor * power >= number) ?? 10;
  return Math.max(TICKS, nice * power);
}

function round(length: number): number {
  return Number(length.toFixed(2));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
