/** Writes what `tune` found as lines for people: the best combinations, a curve over k, and the measures. */
import type { TuneMeasure } from "../../node.ts";
import { count, percent, plural } from "../format.ts";
import type { FileHint } from "../inputs/tables.ts";
import type { CrossValidation } from "../performance.ts";
import { crossValidationLines, numberText, tableText } from "../performanceText.ts";
import { runLines, type Seconds } from "../summary.ts";

export interface Candidate {
  readonly k: number;
  readonly metric: string;
  readonly weights: string;
  readonly scaling: string;
  readonly mean: number;
  readonly deviation: number;
  readonly scores: readonly number[];
}

export interface TuneSummary {
  readonly command: "tune";
  readonly backend: string;
  readonly device: string;
  readonly task: "classify" | "regress";
  readonly train: { readonly file: string; readonly rows: number };
  readonly features: readonly string[];
  /** An option chose them, so that a command of the same needs it too. */
  readonly featuresAreChosen: boolean;
  readonly label: string;
  readonly measure: TuneMeasure;
  readonly smallestIsBest: boolean;
  readonly searches: number;
  readonly best: Candidate;
  readonly candidates: readonly Candidate[];
  readonly crossValidation: CrossValidation;
  readonly hints?: readonly FileHint[];
  readonly output?: string;
  readonly model?: string;
  readonly seconds: Seconds;
}

/** At most so many candidates are shown. */
const SHOWN = 10;
const BAR = 40;

export function tuneText(summary: TuneSummary): string {
  const { train, features, candidates, searches, measure, best, label, crossValidation } = summary;
  const score = ({ mean, deviation }: Candidate) =>
    `${valueText(mean, measure)} +- ${valueText(deviation, measure)}`;
  const ranked = [...candidates].sort((a, b) => (summary.smallestIsBest ? a.mean - b.mean : b.mean - a.mean));
  return [
    `tried ${plural(candidates.length, "combination")} by ${plural(searches, "search", "searches")} on ${plural(train.rows, "row")}, ${plural(features.length, "feature")}`,
    ...runLines({ ...summary, output: summary.output ?? "-" }, ["read", "tune", "write"]),
    ...(summary.model === undefined ? [] : [`model     ${summary.model}`]),
    `best      ${score(best)} ${measure}: nearfield ${bestCommand(summary)}`,
    tableText([
      ["metric", "scaling", "weights", "k", measure],
      ...ranked
        .slice(0, SHOWN)
        .map((each) => [each.metric, each.scaling, each.weights, String(each.k), score(each)]),
    ]),
    ...curve(summary),
    ...crossValidationLines(crossValidation, label),
  ].join("\n");
}

/** Draws the measure over k, all else as the best has it. */
function curve({ candidates, best, measure }: TuneSummary): string[] {
  const line = candidates.filter(
    (each) => each.metric === best.metric && each.scaling === best.scaling && each.weights === best.weights,
  );
  if (line.length < 2) return [];
  const means = line.map(({ mean }) => mean);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  const width = (mean: number) =>
    most > least ? 1 + Math.round(((mean - least) / (most - least)) * (BAR - 1)) : BAR;
  return [
    `${measure} over k (${best.metric}, ${best.scaling}, ${best.weights})`,
    ...line.map(
      ({ k, mean }) =>
        `  ${count(k).padStart(5)}  ${valueText(mean, measure).padStart(9)}  ${"█".repeat(width(mean))}`,
    ),
  ];
}

/** Writes the words after `nearfield` that predict as the best combination does. */
export function bestCommand({ task, train, label, best, features, featuresAreChosen }: TuneSummary): string {
  const compared = featuresAreChosen ? ` --features ${features.join(",")}` : "";
  return `${task} --train ${train.file} --label ${label}${compared} ${optionsOf(best)}`;
}

function optionsOf({ k, metric, weights, scaling }: Candidate): string {
  return [
    `-k ${k}`,
    ...(metric === "euclidean" || metric === "mixed_euclidean" ? [] : [`--metric ${metric}`]),
    ...(weights === "uniform" ? [] : [`--weights ${weights}`]),
    ...(scaling === "none" ? [] : [`--normalize ${scaling}`]),
  ].join(" ");
}

function valueText(value: number, measure: TuneMeasure): string {
  return measure === "accuracy" || measure === "balancedAccuracy" ? percent(value) : numberText(value);
}
