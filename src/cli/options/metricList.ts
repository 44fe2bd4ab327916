/**
 * `--metric list` prints the names of all metrics with what each is, and ends the command; the error for an
 * unknown name points to it.
 */
import { CommanderError, InvalidArgumentError } from "commander";
import { metricNames } from "../../node.ts";
import { metricAliases } from "./aliases.ts";
import { askedOfFew } from "./meant.ts";

/** These metrics have names that do not say what they are; RapidMiner's are explained by that program. */
const meanings: Readonly<Record<string, string>> = {
  euclidean: "root of the sum of squared differences",
  sqeuclidean: "sum of squared differences",
  manhattan: "sum of absolute differences",
  chebyshev: "largest absolute difference",
  minkowski: "p-th root of the sum of differences to the power of --p",
  cosine: "1 - cosine of the angle",
  correlation: "1 - Pearson's correlation of two rows",
  inner_product: "minus the inner product, so that the largest is the nearest",
  nan_euclidean: "euclidean, scaled up where cells are missing",
  mixed_euclidean: "euclidean; words differ by 0 or 1",
  hamming: "share of columns that differ",
  canberra: "sum of |a - b| / (|a| + |b|)",
  braycurtis: "sum of |a - b| / sum of |a + b|",
  jaccard: "1 - shared / all columns that are not 0",
  dice: "1 - twice the shared / all counts of columns that are not 0",
  haversine:
    "angle between latitude, longitude in radians, along the sphere; search takes degrees with --degrees",
  precomputed: "the columns are the distances to the training rows",
};

/** Answers "list", and does nothing for other texts. */
export function listMetrics(text: string): void {
  if (text !== "list") return;
  const lines = metricNames.map((name) => {
    const others = [...metricAliases].filter(([, meant]) => meant === name).map(([alias]) => alias);
    const also = others.length === 0 ? "" : ` (also ${others.join(", ")})`;
    const meaning = meanings[name];
    return meaning === undefined ? name : `${name.padEnd(WIDTH)}${meaning}${also}`;
  });
  process.stdout.write(`${lines.join("\n")}\n`);
  throw new CommanderError(0, "nearfield.metrics", "");
}

const WIDTH = 17;

/** Makes the error for a name that no metric has. @param before what it says first */
export function unknownMetric(name: string, before = ""): InvalidArgumentError {
  return new InvalidArgumentError(
    `${before}${askedOfFew(name, metricNames)}See --metric list for all ${metricNames.length} names.`,
  );
}
