/**
 * This module finds what `nearfield schema` shows of a model file: what was trained, on what, and how it
 * predicts.
 */
import { decompressed } from "../io/index.ts";
import type { ByteSource } from "../io/index.ts";
import { collectModel } from "../models/file/collect.ts";
import { KNeighborsClassifier, loadModel } from "../node.ts";
import { kindsOf, measureFacts, type MeasureFacts } from "./measure.ts";
import { count, plural } from "./format.ts";
import { visible } from "./visible.ts";

export interface ModelFileFacts extends MeasureFacts {
  readonly file: string;
  readonly format: "nfm";
  readonly predicts: "class" | "number";
  readonly label?: string;
  readonly weights: string;
  readonly rows: number;
  readonly features: readonly { readonly name: string; readonly type: string }[];
  /** A classifier has these classes, in its order. */
  readonly classes?: readonly (string | number)[];
  /** These steps go before the model, in their order. */
  readonly steps: readonly { readonly step: string; readonly options: object }[];
}

/**
 * Reads what a model file holds.
 * @throws InvalidInputError for a file that is no model, or damaged.
 */
export async function modelFacts(
  source: ByteSource,
  memory: number | undefined,
  signal: AbortSignal,
): Promise<ModelFileFacts> {
  const { name } = source;
  const pieces = (await decompressed(source, { signal })).stream(signal);
  const bytes = await collectModel(pieces, { name, memory, signal });
  const { pipeline, features, label } = await loadModel(bytes, { backend: "cpu", threads: 1, name, signal });
  try {
    const { model, steps } = pipeline;
    const { trained } = model;
    const table =
      "table" in trained && features !== undefined ? { train: trained.table, features } : undefined;
    const columns = table?.features.map((feature) => {
      const { kind, type } = table.train.column(feature);
      return { name: feature, type: type === "date" || type === "time" ? type : kind };
    });
    return {
      file: name,
      format: "nfm",
      predicts: model instanceof KNeighborsClassifier ? "class" : "number",
      ...(label === undefined ? {} : { label }),
      weights: model.options.weights ?? "uniform",
      ...measureFacts(model.options, table === undefined ? [] : kindsOf(table)),
      rows: "table" in trained ? trained.table.rows : trained.matrix.rows,
      features: columns ?? [],
      ...(model instanceof KNeighborsClassifier ? { classes: model.classes } : {}),
      steps: steps.map((step) => {
        const { step: kind, options } = step.toState();
        return { step: kind, options };
      }),
    };
  } finally {
    pipeline.dispose();
  }
}

/** At most so many classes or features are listed: more make a line unreadable. */
const SHOWN = 12;

export function modelText(facts: ModelFileFacts): string {
  const { file, predicts, label, rows, features, classes, steps, k, metric, p, weights, compat } = facts;
  const what = predicts === "class" ? "classifier" : "regressor";
  const list = (texts: readonly string[]) =>
    texts.length <= SHOWN
      ? texts.join(", ")
      : `${texts.slice(0, SHOWN).join(", ")} and ${count(texts.length - SHOWN)} more`;
  const lines = [
    `${file}: k-NN ${what}${label === undefined ? "" : ` of ${label}`}, trained on ${plural(rows, "row")}`,
    `votes     k = ${k}, ${p === undefined ? metric : `${metric} with p = ${p}`}, weights ${weights}` +
      (compat === undefined ? "" : `, as ${compat} does it`),
    `features  ${features.length === 0 ? "columns of a matrix" : list(features.map(({ name, type }) => `${name} (${type})`))}`,
    ...(classes === undefined ? [] : [`classes   ${count(classes.length)}: ${list(classes.map(String))}`]),
    ...steps.map(({ step, options }) => {
      const texts = Object.entries(options).map(([key, value]) => `${key} ${String(value)}`);
      return `before    ${step}${texts.length === 0 ? "" : `: ${texts.join(", ")}`}`;
    }),
  ];
  return lines.map(visible).join("\n");
}
