/** Shows how much worse predictions get where the cells of a column are shuffled, the worst first. */
import { percent, plural } from "../format.ts";
import type { Importance } from "../performance.ts";
import { numberText } from "../performanceText.ts";
import { meter } from "./marks.ts";
import { markup, type Markup } from "./markup.ts";
import type { Section } from "./page.ts";
import { paragraph, tableMarkup } from "./tables.ts";

/** @param isTested says whether the rows are those of the test file */
export function importanceSection(found: Importance, isTested: boolean): Section {
  const { measure, baseline, columns, repeats, rows, sampleWeight } = found;
  const isShare = measure === "accuracy";
  const text = isShare ? percent : numberText;
  const name = isShare ? "accuracy" : "R²";
  const whose = isTested ? "of the test file" : "of the folds";
  const weighted = sampleWeight === undefined ? "" : `, weighted by column ${sampleWeight}`;
  const about = `The ${name} of ${plural(rows, "row")} ${whose} is ${text(baseline)}${weighted}. It falls by this much when the cells of one column are shuffled (${plural(repeats, "time")} each). Columns that carry the same information stand in for each other.`;
  return {
    id: "importance",
    title: "Importance of columns",
    body: markup`${paragraph(about)}${columnsMarkup(columns, name, text)}`,
  };
}

function columnsMarkup(
  columns: Importance["columns"],
  name: string,
  text: (value: number) => string,
): Markup {
  const sorted = [...columns].sort((a, b) => b.mean - a.mean);
  const most = sorted[0]?.mean ?? 0;
  const row = ({ column, mean, deviation }: (typeof sorted)[number]) =>
    markup`<tr><th scope="row">${column}</th><td>${text(mean)}${meter(mean / most)}</td><td>${text(deviation)}</td></tr>
`;
  return tableMarkup(
    "Importance",
    "The column that matters most stands first.",
    [["column", true], [`${name} falls by`], ["deviation"]],
    markup`<tbody>${sorted.map(row)}</tbody>
`,
  );
}
