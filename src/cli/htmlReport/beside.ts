/** Shows rows beside the neighbours that they were predicted from, so that one sees why. */
import type { CsvCell } from "../../io/index.ts";
import { cellOf } from "../../table/index.ts";
import { plural } from "../format.ts";
import { cellsOfRows } from "../inputs/tables.ts";
import { isKnown, namesOfRows, nearOf, type Judged } from "./judged.ts";
import { markup, type Markup } from "./markup.ts";
import { tableMarkup, textClass } from "./tables.ts";

/** The most neighbours and columns that are shown of a row. */
const NEIGHBOURS = 7;
const COLUMNS = 12;

/** @param shown the rows to show, which were predicted wrong */
export function besideMarkup(judged: Judged, shown: readonly number[]): Markup {
  const { rows, train, label, id, neighbors, truth, predicted } = judged;
  const features = judged.features.slice(0, COLUMNS);
  const left = judged.features.length - features.length;
  const [nameOf, nearName] = [namesOfRows(rows, id), namesOfRows(train, id)];
  const isText = features.map((name) => train.column(name).kind === "nominal");
  const cells = cellsOfRows(rows.select(features));
  const nearCells = cellsOfRows(train.select(features));
  const labels = cellsOfRows(train.select([label]));
  const labelColumn = train.column(label);
  const group = (row: number) => {
    const own = cells(row);
    const near = nearOf(neighbors, row)
      .slice(0, NEIGHBOURS)
      .map(({ row: at, distance }) => {
        const values = nearCells(at).map((cell, c) => valueCell(cell, isText[c], cell !== own[c]));
        const vote = textOf(labels(at)[0]);
        const isRight = cellOf(labelColumn, at) === truth[row];
        return markup`<tr><th scope="row">${nearName(at)}</th><td>${distanceText(distance)}</td><td${textClass}>${isRight ? markup`<b>${vote}</b>` : vote}</td>${values}</tr>
`;
      });
    const verdict = markup`${isKnown(truth[row]) ? truth[row] : "?"} <span class="no">not&nbsp;${predicted[row] ?? "?"}</span>`;
    return markup`<tbody>
<tr class="query"><th scope="rowgroup">${nameOf(row)}</th><td></td><td${textClass}>${verdict}</td>${own.map((cell, c) => valueCell(cell, isText[c], false))}</tr>
${near}</tbody>
`;
  };
  const more = left > 0 ? ` ${plural(left, "more column")} were compared.` : "";
  return tableMarkup(
    "Wrong rows beside their neighbours",
    `Below each grey row, which was predicted wrong, stand the neighbours that voted, nearest first. A bold class voted right; underlined words are not those of the row.${more}`,
    [["row", true], ["distance"], [label, true], ...features.map((name, c) => [name, isText[c]] as const)],
    shown.map(group),
  );
}

function valueCell(cell: CsvCell, isText: boolean, isOther: boolean): Markup {
  const shown = isText && isOther ? markup`<u>${textOf(cell)}</u>` : textOf(cell);
  return markup`<td${isText ? textClass : undefined}>${shown}</td>`;
}

function textOf(cell: CsvCell): string {
  return cell === null || cell === "" ? "–" : String(cell);
}

export function distanceText(distance: number): string {
  return String(Number(distance.toPrecision(4)));
}
