/** Draws how predicted classes compare with true ones: the heat map of the confusion matrix, measures. */
import { count, percent } from "../format.ts";
import type { ClassMeasures, ReportMeasures } from "../performance.ts";
import { meter } from "./marks.ts";
import { markup, type Markup } from "./markup.ts";
import { SHADES } from "./style.ts";
import { paragraph, tableMarkup, textClass } from "./tables.ts";

type ConfusionCounts = NonNullable<ClassMeasures["confusion"]>;

/**
 * A matrix with numbers in it has at most so many classes; of more, the pairs that are confused most are
 * listed.
 */
const MATRIX_CLASSES = 24;
const PAIRS = 20;

export function confusionMarkup({ classes, counts }: ConfusionCounts): Markup {
  if (counts === null || classes.length > MATRIX_CLASSES) return pairsMarkup(classes, counts);
  const sums = counts.map((row) => row.reduce((sum, value) => sum + value, 0));
  const errors = counts.flatMap((row, truth) =>
    row.map((value, at) => (at === truth || value === 0 ? 0 : value / sums[truth])),
  );
  const worst = Math.max(...errors);
  const cell = (value: number, truth: number, at: number) => {
    if (value === 0) return markup`<td class="zero">0</td>`;
    const share = value / sums[truth];
    const shade = at === truth ? `hit h${shadeOf(share)}` : `e${shadeOf(share / worst)}`;
    return markup`<td class="${shade}">${count(value)}<small>${percent(share)}</small></td>`;
  };
  const row = (values: readonly number[], truth: number) =>
    markup`<tr><th scope="row">${classes[truth]}</th>${values.map((value, at) => cell(value, truth, at))}</tr>
`;
  return tableMarkup(
    "Confusion matrix",
    "Rows are true classes, columns predicted ones. Below each count stands its share of the true class. What is right stands on the diagonal, in bold. The larger the share, the stronger the colour; errors are compared with the largest one.",
    [["true \\ predicted"], ...classes.map((name) => [name] as const)],
    markup`<tbody>${counts.map(row)}</tbody>`,
    "matrix",
  );
}

function shadeOf(share: number): number {
  return Math.max(1, Math.min(SHADES, Math.ceil(share * SHADES)));
}

/** Lists the pairs of classes that are confused most often. */
function pairsMarkup(classes: readonly string[], counts: ConfusionCounts["counts"]): Markup {
  if (counts === null) return paragraph(`A matrix of ${count(classes.length)} classes is too large to draw.`);
  const pairs = counts
    .flatMap((row, truth) => row.map((value, at) => ({ truth, at, value })))
    .filter(({ truth, at, value }) => truth !== at && value > 0)
    .sort((a, b) => b.value - a.value);
  const shown = pairs.slice(0, PAIRS);
  if (shown.length === 0) return paragraph("No class is taken for another.");
  const row = ({ truth, at, value }: (typeof shown)[number]) =>
    markup`<tr><th scope="row">${classes[truth]}</th><td${textClass}>${classes[at]}</td><td>${count(value)}${meter(value / shown[0].value)}</td></tr>
`;
  return tableMarkup(
    "Classes taken for others",
    `The ${count(shown.length)} most frequent of ${count(pairs.length)} pairs, of ${count(classes.length)} classes.`,
    [["true", true], ["predicted", true], ["rows"]],
    markup`<tbody>${shown.map(row)}</tbody>`,
  );
}

/** At most so many classes have their measures listed: those of most rows. */
const LISTED = 50;

/** @param counted what the last column counts */
export function classesMarkup(
  { classes, macro, weighted }: ReportMeasures,
  counted: "rows" | "weight",
): Markup {
  const isLong = classes.length > LISTED;
  const listed = isLong ? [...classes].sort((a, b) => b.support - a.support).slice(0, LISTED) : classes;
  const note = isLong
    ? ` Of ${count(classes.length)} classes the ${LISTED} with most ${counted} are listed.`
    : "";
  const row = (name: string, values: { precision: number; recall: number; f1: number }, rows: string) => {
    const cells = [values.precision, values.recall, values.f1].map(
      (value) => markup`<td>${percent(value)}${meter(value)}</td>`,
    );
    return markup`<tr><th scope="row">${name}</th>${cells}<td>${rows}</td></tr>
`;
  };
  return tableMarkup(
    "Each class",
    `Precision is the share of predictions that are right, recall the share of rows that are found, F1 their harmonic mean.${counted === "weight" ? " Rows count by their weights." : ""}${note}`,
    [["class", true], ["precision"], ["recall"], ["F1"], [counted]],
    markup`<tbody>${listed.map((each) => row(each.class, each, count(each.support)))}</tbody>
<tbody>${row("macro average", macro, "")}${row("weighted average", weighted, "")}</tbody>
`,
  );
}
