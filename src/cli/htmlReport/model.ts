/**
 * Writes the report of `classify` and `regress`: how good predictions are, what is mistaken for what, and
 * why.
 */
import type { Table } from "../../table/index.ts";
import { count, percent, plural } from "../format.ts";
import type { Trained } from "../inputs/tables.ts";
import type { ModelOptions } from "../options/model.ts";
import { cellsOf, type ClassMeasures, type CrossValidation, type NumberMeasures } from "../performance.ts";
import { numberText } from "../performanceText.ts";
import type { Judgement } from "../results/predictions.ts";
import type { Summary } from "../summary.ts";
import { besideMarkup, besideMost } from "./beside.ts";
import { classesMarkup, confusionMarkup } from "./confusion.ts";
import { importanceSection } from "./importance.ts";
import { viewOf, worstRows, wrongRows, type JudgedRows } from "./judged.ts";
import { markup, type Markup } from "./markup.ts";
import { numbersMarkup } from "./numbers.ts";
import { pageText, type Section } from "./page.ts";
import { mapMarkup } from "./places.ts";
import { modelProgram } from "./program.ts";
import { lastSections } from "./settings.ts";
import { factsMarkup, paragraph, type KeyFact } from "./tables.ts";

export interface ModelReport {
  readonly summary: Summary;
  /** It judges each training row by those of other folds. */
  readonly validated: Judgement | undefined;
  /** It judges the rows of the test file. */
  readonly tested: Judgement | undefined;
}

export function modelPage(
  { summary, validated, tested }: ModelReport,
  inputs: Trained & { readonly queries?: Table },
  options: ModelOptions,
): string {
  const { train, queries, features } = inputs;
  const { label } = options;
  const { k, metric, crossValidation, classification, regression } = summary;
  const command = summary.command === "classify" ? "classify" : "regress";
  const sections: Section[] = [];
  const folds = validated && judgedOf(validated, train, inputs, options);
  if (crossValidation && folds) {
    const { micro } = crossValidation;
    sections.push({
      id: "validation",
      title: "Cross-validation",
      body: markup`${paragraph(foldsText(crossValidation))}${resultMarkup(micro, folds, train, crossValidation)}`,
    });
  }
  const test = tested && queries && judgedOf(tested, queries, inputs, options);
  const measures = classification ?? regression;
  if (measures && test && queries) {
    const how = `${plural(measures.labelledRows, "row")} of ${summary.queries?.file} with a label, predicted by a model of all training rows.${weightedText(measures.sampleWeight)}`;
    sections.push({
      id: "test",
      title: "Test file",
      body: markup`${paragraph(how)}${resultMarkup(measures, test, queries, measures)}`,
    });
  }
  const { importance } = summary;
  if (importance) sections.push(importanceSection(importance, test !== undefined));
  return pageText({
    title: `${command === "classify" ? "Classes" : "Numbers"} of ${label}`,
    about: `${summary.train.file}: ${plural(train.rows, "row")}, ${plural(features.length, "feature")}; k = ${k}, ${metric}`,
    sections: [...sections, ...lastSections(summary, modelProgram(command, options, features))],
  });
}

export function foldsText({ folds, micro, sampleWeight }: CrossValidation): string {
  return `Each of ${plural(micro.labelledRows, "row")} was predicted once, by a model of the rows of the other ${folds - 1} of ${folds} folds.${weightedText(sampleWeight)}`;
}

function weightedText(sampleWeight: string | undefined): string {
  return sampleWeight === undefined
    ? ""
    : ` Measures count rows by the weights of column ${sampleWeight}; the confusion matrix counts rows.`;
}

/** Brings predictions and rows together; undefined where the truth or the neighbours are not known. */
export function judgedOf(
  { neighbors, truth, predicted }: Judgement,
  rows: Table,
  { train, features }: Trained,
  { label, id }: Pick<ModelOptions, "label" | "id">,
): JudgedRows | undefined {
  if (neighbors === undefined || truth === undefined) return undefined;
  const labels = cellsOf(train.column(label), train.rows);
  const [seen, near] = [rows, train].map((table) => viewOf(table, features, id));
  return { rows: seen, train: near, neighbors, label, labels, truth, predicted };
}

/**
 * Shows measures, pictures of them, and the rows that went wrong.
 * @param table the rows, for a map of them; undefined for a matrix
 */
export function resultMarkup(
  measures: ClassMeasures | NumberMeasures,
  judged: JudgedRows,
  table: Table | undefined,
  { macro = {}, sampleWeight }: Partial<Pick<CrossValidation, "macro" | "sampleWeight">> = {},
): Markup {
  const isClasses = "confusion" in measures;
  const worst = isClasses ? wrongRows(judged) : worstRows(judged);
  const rest = Array.from({ length: judged.rows.rows }, (_, row) => row);
  const map =
    table &&
    mapMarkup(table, [
      { name: "rows", rows: rest },
      {
        name: isClasses ? "wrong" : "the tenth with the largest errors",
        rows: isClasses ? worst : worst.slice(0, Math.ceil(worst.length / 10)),
      },
    ]);
  return markup`${factsMarkup(factsOf(measures, { macro, sampleWeight }, worst.length))}${isClasses ? classesParts(measures, sampleWeight) : numbersMarkup(judged)}${map}<h3>What went wrong</h3>
${paragraph(wrongText(worst.length, besideMost(judged), isClasses))}${worst.length === 0 ? undefined : besideMarkup(judged, worst)}`;
}

function classesParts({ confusion, report }: ClassMeasures, sampleWeight: string | undefined): Markup {
  const counted = sampleWeight === undefined ? "rows" : "weight";
  return markup`${confusion ? confusionMarkup(confusion) : undefined}${report ? classesMarkup(report, counted) : undefined}`;
}

function wrongText(wrong: number, most: number, isClasses: boolean): string {
  if (!isClasses) return "The rows with the largest errors come first.";
  if (wrong === 0) return "No row was predicted wrong.";
  const surest = wrong > most ? `The ${most} surest mistakes are shown` : "The surest mistakes come first";
  return `${plural(wrong, "row was", "rows were")} predicted wrong. ${surest}: those whose neighbours speak least for the true class.`;
}

/** @param wrong the number of rows whose class was predicted wrong */
function factsOf(
  measures: ClassMeasures | NumberMeasures,
  { macro, sampleWeight }: Pick<CrossValidation, "macro"> & { readonly sampleWeight: string | undefined },
  wrong: number,
): KeyFact[] {
  const spread = (name: string, text: (value: number) => string, otherwise?: string) => {
    const deviation = macro[name]?.deviation ?? null;
    return deviation === null ? otherwise : `± ${text(deviation)} between folds`;
  };
  const rows = measures.labelledRows;
  type Candidate = readonly [string, number | null, (value: number) => string, string | undefined];
  const facts: Candidate[] = [];
  if ("confusion" in measures) {
    const { accuracy, kappa, report } = measures;
    const right =
      sampleWeight === undefined ? `${count(rows - wrong)} of ${count(rows)}` : `weighted by ${sampleWeight}`;
    const { balancedAccuracy = null, auc = null, logLoss = null } = report ?? {};
    facts.push(
      ["accuracy", accuracy, percent, spread("accuracy", percent, right)],
      ["wrong", wrong, count, `of ${plural(rows, "row")}`],
      ["kappa", kappa, numberText, "1 is perfect, 0 is chance"],
      ["balanced accuracy", balancedAccuracy, percent, "mean recall of classes"],
      ["AUC", auc, numberText, "1 is perfect, 0.5 is chance"],
      ["log loss", logLoss, numberText, "0 is perfect"],
    );
  } else {
    facts.push(
      ["R²", measures.r2, numberText, "1 is perfect, 0 is the mean"],
      ["RMSE", measures.rmse, numberText, spread("rmse", numberText)],
      ["MAE", measures.mae, numberText, spread("mae", numberText)],
      ["correlation", measures.correlation, numberText, "1 is perfect"],
      ["rows", rows, count, undefined],
    );
  }
  return facts.flatMap(([name, value, text, note]) => (value === null ? [] : [[name, text(value), note]]));
}
