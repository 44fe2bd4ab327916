/** Shows rows beside their neighbours, so that one sees why: as tables of values, digits as pictures. */
import type { CsvCell } from "../../io/index.ts";
import { plural } from "../format.ts";
import { nearOf, verdict, vote, type Beside } from "./judged.ts";
import { shortNumber } from "./marks.ts";
import { markup, type Content, type Markup } from "./markup.ts";
import { isPictures, NEIGHBOURS, PICTURES, picturesMarkup } from "./pictures.ts";
import { tableMarkup, textClass } from "./tables.ts";

/** A table has at most so many rows, neighbours and columns. */
const ROWS = 12;
const COLUMNS = 12;

/** Returns the most rows that are shown. */
export function besideMost(given: Beside): number {
  return isPictures(given) ? PICTURES : ROWS;
}

/** @param all the rows to show, of which the first `besideMost` are shown */
export function besideMarkup(given: Beside, all: readonly number[]): Markup {
  if (isPictures(given)) return picturesMarkup(given, all);
  const { rows, train, neighbors, label } = given;
  const columns = rows.columns.slice(0, COLUMNS);
  const left = rows.columns.length - columns.length;
  const labelCell = (content: Content) =>
    label === undefined ? undefined : markup`<td${textClass}>${content}</td>`;
  const valueCells = (cells: readonly CsvCell[], own = cells) =>
    columns.map(({ isText }, c) => {
      const text = cellText(cells[c]);
      const shown = isText && cells[c] !== own[c] ? markup`<u>${text}</u>` : text;
      return markup`<td${isText ? textClass : undefined}>${shown}</td>`;
    });
  const group = (row: number) => {
    const own = rows.cells(row);
    const near = nearOf(neighbors, row).slice(0, NEIGHBOURS);
    return markup`<tbody>
<tr class="query"><th scope="rowgroup">${rows.nameOf(row)}</th><td></td>${labelCell(verdict(given, row))}${valueCells(own)}</tr>
${near.map(
  ({ row: at, distance }) =>
    markup`<tr><th scope="row">${train.nameOf(at)}</th><td>${shortNumber(distance)}</td>${labelCell(vote(given, row, at))}${valueCells(train.cells(at), own)}</tr>
`,
)}</tbody>
`;
  };
  const judged = label === undefined ? "" : " A bold label is that of the row.";
  const more = left > 0 ? ` ${plural(left, "more column")} were compared.` : "";
  return tableMarkup(
    "Rows beside their neighbours",
    `Below each grey row stand its neighbours, nearest first.${judged} Underlined words are not those of the row.${more}`,
    [
      ["row", true],
      ["distance"],
      ...(label === undefined ? [] : [[label, true] as const]),
      ...columns.map(({ name, isText }) => [name, isText] as const),
    ],
    all.slice(0, ROWS).map(group),
  );
}

function cellText(cell: CsvCell): string {
  return cell === null || cell === "" ? "–" : String(cell);
}
