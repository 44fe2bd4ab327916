/**
 * This module has the parameters that say how rows are compared. Every search among rows has them, and so do
 * the commands that search. It is no check of values against each other or against rows: that is
 * operators/neighbours/measure.ts.
 */
import { MOST_POLYNOMIAL_DEGREE, kernelDefaults, kernelTypes } from "../../distance/measures/kernels.ts";
import { metricNames } from "../../distance/metric.ts";
import type { MetricName } from "../../distance/metric.ts";
import {
  choice,
  exponent,
  flag,
  number,
  optionalNumber,
  optionalNumbers,
  wholeNumber,
} from "../catalogue/parameters.ts";
import { histogramParameters } from "./arrays.ts";

export const KERNEL_METRIC: MetricName = "rapidminer:KernelEuclideanDistance";

const least = { min: 0 };
export const kernelParameters = {
  kernel: choice(kernelTypes, {
    default: kernelDefaults.type,
    says: "kernel of RapidMiner's KernelEuclideanDistance",
  }),
  kernelGamma: number({
    ...least,
    default: kernelDefaults.gamma,
    says: "gamma of the kernels radial and anova",
  }),
  kernelSigma1: number({
    ...least,
    default: kernelDefaults.sigma1,
    says: "sigma1 of the kernels epanechnikov, gausian_combination and multiquadric",
  }),
  kernelSigma2: number({
    ...least,
    default: kernelDefaults.sigma2,
    says: "sigma2 of the kernel gausian_combination",
  }),
  kernelSigma3: number({
    ...least,
    default: kernelDefaults.sigma3,
    says: "sigma3 of the kernel gausian_combination",
  }),
  kernelDegree: number({
    ...least,
    default: kernelDefaults.degree,
    says: `degree of the kernels polynomial (at most ${MOST_POLYNOMIAL_DEGREE}), anova and epanechnikov`,
  }),
  kernelShift: number({
    default: kernelDefaults.shift,
    says: "shift of the kernels polynomial and multiquadric",
  }),
  kernelA: number({ default: kernelDefaults.a, says: "a of the kernel sigmoid" }),
  kernelB: number({ default: kernelDefaults.b, says: "b of the kernel sigmoid" }),
};

/** Returns the library's name of a parameter of a kernel: gamma of kernelGamma. */
export function kernelNameOf(parameter: string): string {
  const name = parameter.slice("kernel".length);
  return name[0].toLowerCase() + name.slice(1);
}

export const measureParameters = {
  k: wholeNumber({ min: 1, default: 5, says: "number of neighbours" }),
  metric: choice(["auto", ...metricNames], {
    default: "auto",
    says: "distance metric",
    otherwise: "euclidean, or mixed_euclidean with nominal columns",
  }),
  p: exponent({ default: 2, says: "exponent of the metric minkowski" }),
  ...kernelParameters,
  float32: flag({
    default: false,
    ofDevice: true,
    says: "use the float32 distances of the device, without certifying them in float64",
  }),
};

/** A search for the nearest rows has these parameters. */
export const neighbourParameters = {
  ...measureParameters,
  radius: optionalNumber({
    min: 0,
    says: "largest distance of a neighbour; a row may then have fewer than k of them",
    otherwise: "any",
  }),
  excludeSelf: flag({
    default: true,
    says: "leave each row out of its own neighbours, where there are no queries",
    not: "count each row among its own neighbours",
  }),
};

/** Distances that are counted have these parameters, beside bins, edges and whether a row counts itself. */
const { k: _, ...comparing } = measureParameters;
export const distanceParameters = {
  bins: histogramParameters.bins,
  edges: histogramParameters.edges,
  range: optionalNumbers({
    least: 2,
    says: "first and last edge of bins of equal width",
    otherwise: "the smallest and the largest distance of each query",
  }),
  together: flag({
    default: false,
    says: "use one range for all queries, from the smallest distance to the largest",
  }),
  excludeSelf: neighbourParameters.excludeSelf,
  ...comparing,
};

/** These parameters belong to one metric alone, which messages call so. */
export const belongings = {
  p: { is: "is the exponent of minkowski", metric: "minkowski" },
  kernel: { is: `belongs to ${KERNEL_METRIC}`, metric: KERNEL_METRIC },
} as const;
