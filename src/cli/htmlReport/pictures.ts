/** Shows rows that are square pictures, such as handwritten digits, beside those of their neighbours. */
import { nearOf, verdict, vote, type Beside, type View } from "./judged.ts";
import { shortNumber } from "./marks.ts";
import { markup, Markup, type Content } from "./markup.ts";

/** At most so many pictures are shown, each with its neighbours. */
export const PICTURES = 60;
/** A row is shown with at most so many neighbours. */
export const NEIGHBOURS = 5;
const SHADES = 4;

/**
 * Says whether rows look like square pictures: a square number of columns from 8 x 8 on, numbered by their
 * names, of whole numbers from 0 to 255.
 */
export function isPictures({ rows: { rows, columns, cells } }: Beside): boolean {
  const side = Math.sqrt(columns.length);
  if (side < 8 || !Number.isInteger(side)) return false;
  if (columns.some(({ name, isText }) => isText || !/\d$/.test(name))) return false;
  const some = Array.from({ length: Math.min(rows, 20) }, (_, row) => cells(row));
  return some
    .flat()
    .every((cell) => Number.isInteger(Number(cell)) && Number(cell) >= 0 && Number(cell) < 256);
}

export function picturesMarkup(given: Beside, all: readonly number[]): Markup {
  const { rows, train, neighbors } = given;
  const shown = all.slice(0, PICTURES);
  const most = shown
    .flatMap((row) => rows.cells(row))
    .reduce<number>((largest, cell) => Math.max(largest, Number(cell)), 1);
  const one = (view: View, row: number, name: string, caption: Content) =>
    markup`<figure>${picture(view.cells(row).map(Number), most, name)}<figcaption>${caption}</figcaption></figure>`;
  const item = (row: number) => {
    const near = nearOf(neighbors, row).slice(0, NEIGHBOURS);
    const own = one(rows, row, rows.nameOf(row), verdict(given, row));
    return markup`<li>${own}${near.map((each) => one(train, each.row, `neighbour at ${shortNumber(each.distance)}`, vote(given, row, each.row)))}</li>
`;
  };
  return markup`<p>Each row stands on the left, its neighbours on the right, nearest first.</p>
<ul class="digits">${shown.map(item)}</ul>
`;
}

/** Draws rows of pixels as lines, of each shade one path. */
function picture(values: readonly number[], most: number, name: string): Markup {
  const side = Math.sqrt(values.length);
  const paths = new Array<string>(SHADES).fill("");
  for (let at = 0, end = 0; at < values.length; at = end) {
    const shade = shadeOf(values[at], most);
    do end++;
    while (end % side > 0 && shadeOf(values[end], most) === shade);
    if (shade > 0) paths[shade - 1] += `M${at % side} ${Math.floor(at / side)}h${end - at}`;
  }
  const drawn = paths.map((d, at) => markup`<path opacity="${(at + 1) / SHADES}" d="${new Markup(d)}"/>`);
  return markup`<svg class="ink" viewBox="0 -.5 ${side} ${side}" role="img" aria-label="${name}">${drawn}</svg>`;
}

function shadeOf(value: number, most: number): number {
  return Math.min(SHADES, Math.ceil((SHADES * value) / most - 0.25));
}
