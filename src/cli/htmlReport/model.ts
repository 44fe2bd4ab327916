/** The report of `classify`: how well classes are predicted, what is mistaken for what, and why. */
import type { Table } from "../../table/index.ts";
import { count, percent, plural } from "../format.ts";
import type { Trained } from "../inputs/tables.ts";
import type { ModelOptions } from "../options/model.ts";
import type { ClassMeasures, CrossValidation } from "../performance.ts";
import { numberText } from "../performanceText.ts";
import type { Judgement } from "../results/predictions.ts";
import type { Summary } from "../summary.ts";
import { besideMarkup } from "./beside.ts";
import { classesMarkup, confusionMarkup } from "./confusion.ts";
import { wrongRows, type Judged } from "./judged.ts";
import { markup, type Markup } from "./markup.ts";
import { pageText, type Section } from "./page.ts";
import { hintSections, settingsSection } from "./settings.ts";
import { factsMarkup, paragraph, type Fact } from "./tables.ts";

export interface ModelReport {
  readonly summary: Summary;
  /** The training rows, each judged by those of other folds. */
  readonly validated: Judgement | undefined;
  /** The rows of the test file. */
  readonly tested: Judgement | undefined;
}

/** The most rows that are shown beside their neighbours. */
const WRONG_ROWS = 20;

/** @param args the words of the command line after `nearfield` */
export function modelPage(
  { summary, validated, tested }: ModelReport,
  { train, queries, features }: Trained & { readonly queries?: Table },
  { label, id }: Pick<ModelOptions, "label" | "id">,
  args: readonly string[] = process.argv.slice(2),
): string {
  const judged = ({ neighbors, truth, predicted }: Judgement, rows: Table): Judged | undefined =>
    neighbors && truth && { rows, train, label, features, id, neighbors, truth, predicted };
  const { k, metric, crossValidation, classification } = summary;
  const sections: Section[] = [];
  const folds = validated && judged(validated, train);
  if (crossValidation && folds) {
    const { micro, macro, folds: many } = crossValidation;
    const how = `Each of ${plural(micro.labelledRows, "row")} was predicted once, by a model of the rows of the other ${many - 1} of ${many} folds.`;
    sections.push({
      id: "validation",
      title: "Cross-validation",
      body: markup`${paragraph(how)}${classesBody(micro as ClassMeasures, folds, macro)}`,
    });
  }
  const test = tested && queries && judged(tested, queries);
  if (classification && test) {
    const how = `${plural(classification.labelledRows, "row")} of ${summary.queries?.file} with a label, predicted by a model of all training rows.`;
    sections.push({
      id: "test",
      title: "Test file",
      body: markup`${paragraph(how)}${classesBody(classification, test)}`,
    });
  }
  sections.push(...hintSections(summary), settingsSection(args));
  return pageText({
    title: `Classes of ${label}`,
    about: `${summary.train.file}: ${plural(train.rows, "row")}, ${plural(features.length, "feature")}; k = ${k}, ${metric}`,
    sections,
  });
}

function classesBody(measures: ClassMeasures, judged: Judged, macro: CrossValidation["macro"] = {}): Markup {
  const { confusion, report } = measures;
  return markup`${factsMarkup(classFacts(measures, macro))}
${confusion ? confusionMarkup(confusion) : undefined}${report ? classesMarkup(report) : undefined}${wrongMarkup(judged)}`;
}

function classFacts(
  { accuracy, kappa, labelledRows, report }: ClassMeasures,
  macro: CrossValidation["macro"],
): Fact[] {
  const right = Math.round((accuracy ?? 0) * labelledRows);
  const deviation = macro.accuracy?.deviation ?? null;
  const note = deviation === null ? undefined : `± ${percent(deviation)} between folds`;
  const { balancedAccuracy = null, auc = null, logLoss = null } = report ?? {};
  const facts: readonly (readonly [string, number | null, (value: number) => string, string])[] = [
    ["accuracy", accuracy, percent, note ?? `${count(right)} of ${count(labelledRows)}`],
    ["wrong", labelledRows - right, count, `of ${plural(labelledRows, "row")}`],
    ["kappa", kappa, numberText, "1 is perfect, 0 is chance"],
    ["balanced accuracy", balancedAccuracy, percent, "mean recall of classes"],
    ["AUC", auc, numberText, "1 is perfect, 0.5 is chance"],
    ["log loss", logLoss, numberText, "0 is perfect"],
  ];
  return facts.flatMap(([name, value, text, says]) => (value === null ? [] : [[name, text(value), says]]));
}

function wrongMarkup(judged: Judged): Markup {
  const wrong = wrongRows(judged);
  const shown = wrong.slice(0, WRONG_ROWS);
  const which =
    wrong.length === 0
      ? "No row was predicted wrong."
      : `${shown.length === wrong.length ? "All" : `${count(shown.length)} of`} ${plural(wrong.length, "row")} that were predicted wrong, the surest mistakes first: those whose neighbours speak least for the true class.`;
  return markup`<h3>What went wrong</h3>
${paragraph(which)}${shown.length === 0 ? undefined : besideMarkup(judged, shown)}`;
}
