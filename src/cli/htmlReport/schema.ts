/**
 * Writes the report of `schema`: how the values of each column are spread, their gaps, and how scales differ.
 */
import { count, plural } from "../format.ts";
import { typeText, valuesText, type ColumnSummary, type FileProfile } from "../profile.ts";
import { likeHints } from "../inputs/likeHints.ts";
import { bars, meter, scaleOf } from "./marks.ts";
import { code, markup, type Markup } from "./markup.ts";
import { pageText } from "./page.ts";
import { lastSections } from "./settings.ts";
import { factsMarkup, tableMarkup, textClass } from "./tables.ts";

export function schemaPage(profile: FileProfile): string {
  const { file, format, rows, columns, guesses, hints } = profile;
  const range = ({ min = 0, max = 0, unit }: ColumnSummary) => (unit === undefined ? max - min : 0);
  const widest = Math.max(...columns.map(range));
  const gaps = columns.reduce((sum, { missing }) => sum + missing, 0);
  const numeric = columns.filter(({ type }) => type === "numeric").length;
  const row = (column: ColumnSummary) =>
    markup`<tr><th scope="row">${column.name}</th><td${textClass}>${typeText(column)}</td><td>${count(column.missing)}${meter(column.missing / rows)}</td><td>${spark(column)}</td><td>${range(column) > 0 ? meter(range(column) / widest) : undefined}</td><td${textClass}>${valuesText(column, rows)}</td></tr>
`;
  const table = tableMarkup(
    "Columns",
    "Gaps are missing cells. The bars show how numbers are spread from the least to the greatest, or how often the most frequent texts appear. The range is compared with that of the widest column: columns with short bars hardly count in a distance unless they are scaled (--normalize z).",
    [["column", true], ["type", true], ["gaps"], ["spread"], ["range"], ["values", true]],
    markup`<tbody>${columns.map(row)}</tbody>`,
  );
  const notes = guesses.map(({ what, value, option }) => code(`${what}: ${value} (override with ${option})`));
  return pageText({
    title: file,
    about: `${format}, ${plural(rows, "row")}, ${plural(columns.length, "column")}`,
    sections: [
      {
        id: "columns",
        title: "Columns",
        body: markup`${factsMarkup([
          ["rows", count(rows)],
          ["columns of numbers", count(numeric)],
          ["columns of words", count(columns.length - numeric)],
          ["gaps", count(gaps), `of ${plural(rows * columns.length, "cell")}`],
        ])}${table}${notes.map((note) => markup`<p>${note}</p>\n`)}`,
      },
      ...lastSections({ hints: likeHints(hints).map((hint) => ({ ...hint, file })) }),
    ],
  });
}

/** Draws counts as bars; the texts beside them say the ends. */
function spark({ histogram, frequencies = [] }: ColumnSummary): Markup {
  const counts = histogram ?? frequencies;
  const y = scaleOf([0, Math.max(...counts, 1)], [30, 0]);
  const edges = counts.map((each, at) => [at * 12, at * 12 + 12, y(each)] as const);
  return markup`<svg class="spark" viewBox="0 0 96 30" role="img" aria-label="counts ${counts.join(", ")}">${bars(edges, 30)}</svg>`;
}
