/**
 * This module turns the parameters that say how rows are compared into the library's options, and says what
 * is wrong with them.
 */
import {
  MOST_POLYNOMIAL_DEGREE,
  kernelDefaults,
  kernelParameters as takenBy,
} from "../../../distance/measures/kernels.ts";
import type { KernelOptions, KernelType } from "../../../distance/measures/kernels.ts";
import { columnsTaken } from "../../../distance/metric.ts";
import type { MetricName } from "../../../distance/metric.ts";
import { quote } from "../../document/json.ts";
import { featuresOf } from "../../facts.ts";
import type { Report, TableFacts } from "../../facts.ts";
import {
  KERNEL_METRIC,
  belongings,
  kernelNameOf,
  kernelParameters,
  measureParameters,
} from "../../parameters/measure.ts";

interface Measure {
  readonly k: number;
  readonly metric: MetricName | "auto";
  readonly p: number | "inf";
  readonly kernel: KernelType;
  readonly kernelGamma: number;
  readonly kernelSigma1: number;
  readonly kernelSigma2: number;
  readonly kernelSigma3: number;
  readonly kernelDegree: number;
  readonly kernelShift: number;
  readonly kernelA: number;
  readonly kernelB: number;
  readonly float32: boolean;
}

/**
 * Returns the library's options for the same; what is a default is left out, so that it makes no difference.
 */
export function measureOptions(measure: Measure) {
  const { k, metric, p, float32 } = measure;
  const kernel = metric === KERNEL_METRIC ? kernelOptions(measure) : {};
  return {
    nNeighbors: k,
    ...(metric === "auto" ? {} : { metric }),
    ...(metric === "minkowski" ? { p: p === "inf" ? Infinity : p } : {}),
    ...(Object.keys(kernel).length === 0 ? {} : { kernel }),
    ...(float32 ? { precision: "float32" as const } : {}),
  };
}

function kernelOptions(measure: Measure): KernelOptions {
  const { kernel, kernelGamma, kernelSigma1, kernelSigma2, kernelSigma3 } = measure;
  const { kernelDegree, kernelShift, kernelA, kernelB } = measure;
  const all: KernelOptions = {
    type: kernel,
    gamma: kernelGamma,
    sigma1: kernelSigma1,
    sigma2: kernelSigma2,
    sigma3: kernelSigma3,
    degree: kernelDegree,
    shift: kernelShift,
    a: kernelA,
    b: kernelB,
  };
  const given = Object.entries(all).filter(
    ([name, value]) => value !== kernelDefaults[name as keyof KernelOptions],
  );
  return Object.fromEntries(given);
}

/** Reports what is wrong with the parameters by themselves, and for the rows that are searched. */
export function checkMeasure(measure: Measure, report: Report, rows: TableFacts | undefined): void {
  const { metric } = measure;
  for (const parameter of ["p", ...Object.keys(kernelParameters)] as (
    keyof typeof kernelParameters | "p"
  )[]) {
    const { is, metric: own } = belongings[parameter === "p" ? "p" : "kernel"];
    if (metric === own || measure[parameter] === measureParameters[parameter].default) continue;
    report(`${is}, but the metric is ${metric}; set metric to ${own}, or leave ${parameter} out`, {
      parameter,
      value: undefined,
    });
  }
  const { kernel, kernelDegree } = measure;
  if (metric === KERNEL_METRIC)
    for (const [parameter, { says }] of strangersTo(kernel)) {
      if (measure[parameter] === measureParameters[parameter].default) continue;
      report(`is ${says}, but the kernel is ${kernel}; choose another kernel, or leave ${parameter} out`, {
        parameter,
        value: undefined,
      });
    }
  if (metric === KERNEL_METRIC && kernel === "polynomial" && kernelDegree > MOST_POLYNOMIAL_DEGREE)
    report(`is ${kernelDegree}; expected at most ${MOST_POLYNOMIAL_DEGREE} of a polynomial`, {
      parameter: "kernelDegree",
      value: MOST_POLYNOMIAL_DEGREE,
    });
  const features = rows && featuresOf(rows);
  if (features === undefined || metric === "auto") return;
  const [numeric, nominal] = (["numeric", "nominal"] as const).map((kind) =>
    features.find((column) => column.kind === kind),
  );
  const takes = columnsTaken(metric);
  const unfit = takes === "numeric" ? nominal : takes === "nominal" ? numeric : undefined;
  if (unfit !== undefined)
    report(
      `is ${metric}, which compares ${takes} columns, but ${quote(unfit.name)} is ${unfit.kind}; ` +
        "choose another, such as mixed_euclidean, or leave the column out",
      { parameter: "metric" },
    );
  if (takes === "either" && numeric !== undefined && nominal !== undefined)
    report(
      `is ${metric}, which compares columns of one kind, but ${quote(numeric.name)} is numeric and ` +
        `${quote(nominal.name)} nominal; choose mixed_euclidean, or leave columns out`,
      { parameter: "metric" },
    );
}

/** Returns the parameters of other kernels. */
function strangersTo(kernel: KernelType) {
  const own: readonly string[] = takenBy[kernel];
  const all = Object.entries(kernelParameters) as [keyof typeof kernelParameters, { says: string }][];
  return all.filter(([name]) => name !== "kernel" && !own.includes(kernelNameOf(name)));
}

/** Reports a k for which there are too few rows. */
export function checkRows(k: number, most: number | undefined, whose: string, report: Report): void {
  if (most === undefined || k <= most) return;
  report(`is ${k}, but there are at most ${most} ${whose}; give more rows or a smaller k`, {
    parameter: "k",
    ...(most > 0 ? { value: most } : {}),
  });
}
