/**
 * This is RapidMiner's KernelEuclideanDistance: K(x, x) + K(q, q) - 2 K(x, q), without a root. Missing values
 * are not handled: NaN spreads. Some kernels are odd on purpose: multiquadric falls with distance, so its
 * nearest row is the farthest one.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import { checkOneOf } from "../../core/options.ts";
import { exp } from "../../core/float/explog.ts";
import { pow } from "../../core/float/fdlibm.ts";
import { dot, squaredDifferences } from "./differences.ts";
import type { Rank } from "./rank.ts";

/** Each kernel has these parameters. */
export const kernelParameters = {
  dot: [],
  radial: ["gamma"],
  polynomial: ["degree", "shift"],
  sigmoid: ["a", "b"],
  anova: ["gamma", "degree"],
  epanechnikov: ["sigma1", "degree"],
  gausian_combination: ["sigma1", "sigma2", "sigma3"],
  multiquadric: ["sigma1", "shift"],
} as const;

export const kernelTypes = Object.keys(kernelParameters) as KernelType[];

/**
 * RapidMiner's kernels have these names.
 * @example
 * const type: KernelType = "dot"; // x x + q q - 2 x q
 * const metric = "rapidminer:KernelEuclideanDistance";
 * const { distances } = await kneighbors([[1], [5]], [[2]], { k: 2, metric, kernel: { type } });
 * distances; // => [1, 9]
 */
export type KernelType = keyof typeof kernelParameters;

/**
 * A kernel takes RapidMiner's parameters, without their prefix `kernel_`, and with its defaults. One that the
 * kernel does not have is refused; RapidMiner ignores it.
 * @example
 * const kernel: KernelOptions = { type: "polynomial", degree: 2 }; // (x q + 1)^2
 * const metric = "rapidminer:KernelEuclideanDistance";
 * const { distances } = await kneighbors([[1], [3]], [[2]], { k: 2, metric, kernel });
 * distances; // => [11, 27]
 */
export interface KernelOptions {
  /** The kernel is one of these; default "radial". */
  readonly type?: KernelType | undefined;
  /** It is for radial and anova, at least 0; default 1. */
  readonly gamma?: number | undefined;
  /** It is for epanechnikov, gausian_combination and multiquadric, at least 0; default 1. */
  readonly sigma1?: number | undefined;
  /** It is for gausian_combination, at least 0; default 0. */
  readonly sigma2?: number | undefined;
  /** It is for gausian_combination, at least 0; default 2. */
  readonly sigma3?: number | undefined;
  /**
   * It is the degree of polynomial, anova and epanechnikov, at least 0, not only whole; default 3. A
   * polynomial is multiplied out, degree by degree as RapidMiner does it, and takes at most 1000.
   */
  readonly degree?: number | undefined;
  /** It is for polynomial and multiquadric; default 1. */
  readonly shift?: number | undefined;
  /** It is for sigmoid; default 1. */
  readonly a?: number | undefined;
  /** It is for sigmoid; default 0. */
  readonly b?: number | undefined;
}

export type Kernel = { readonly [K in keyof KernelOptions]-?: Exclude<KernelOptions[K], undefined> };

export const kernelDefaults: Kernel = {
  type: "radial",
  gamma: 1,
  sigma1: 1,
  sigma2: 0,
  sigma3: 2,
  degree: 3,
  shift: 1,
  a: 1,
  b: 0,
};

/** These parameters may be below 0. */
const unbounded: readonly string[] = ["shift", "a", "b"];

/**
 * No degree is larger: a pair of rows then takes a few microseconds, so that a search can still be stopped.
 */
export const MOST_POLYNOMIAL_DEGREE = 1000;

/**
 * Checks a kernel's options and fills in the defaults.
 * @throws InvalidInputError for an unknown type, a parameter that the kernel lacks, or a value out of range.
 */
export function resolveKernel(options: KernelOptions = {}): Kernel {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const kernel: Kernel = { ...kernelDefaults, ...Object.fromEntries(given) };
  checkOneOf(kernel.type, kernelTypes, "kernel");
  for (const [name, value] of given) if (name !== "type") checkParameter(kernel, name, value);
  return kernel;
}

function checkParameter({ type }: Kernel, name: string, value: unknown): void {
  const names: readonly string[] = kernelParameters[type];
  if (!names.includes(name)) {
    throw new InvalidInputError(
      `the kernel ${type} has no parameter ${JSON.stringify(name)}; expected ${oneOf(names) || "none"}`,
    );
  }
  const least = unbounded.includes(name) ? -Infinity : 0;
  const most = type === "polynomial" && name === "degree" ? MOST_POLYNOMIAL_DEGREE : Infinity;
  if (typeof value === "number" && Number.isFinite(value) && value >= least && value <= most) return;
  const range = least < 0 ? "" : most < Infinity ? ` from 0 to ${most}` : " of at least 0";
  throw new InvalidInputError(
    `the kernel's ${name} is ${typeof value === "number" ? value : JSON.stringify(value)}; expected a finite number${range}`,
  );
}

export function kernelDistance(kernel: Kernel): Rank {
  const k = kernelFunction(kernel);
  return (x, q) => k(x, x) + k(q, q) - 2 * k(x, q);
}

function kernelFunction(kernel: Kernel): Rank {
  const { type, gamma, sigma1, sigma2, sigma3, degree, shift, a, b } = kernel;
  switch (type) {
    case "dot":
      return dot;
    case "radial":
      return (x, q) => exp(-gamma * squaredDifferences(x, q));
    case "polynomial":
      return (x, q) => repeatedProduct(dot(x, q) + shift, degree);
    case "sigmoid":
      return (x, q) => sigmoid(a * dot(x, q) + b);
    case "anova":
      return (x, q) => power(anovaSum(x, q, gamma), degree);
    case "epanechnikov":
      return (x, q) => {
        const t = squaredDifferences(x, q) / sigma1;
        return t > 1 ? 0 : power(1 - t, degree);
      };
    case "gausian_combination":
      return (x, q) => {
        const square = squaredDifferences(x, q);
        return gaussian(square, sigma1) + gaussian(square, sigma2) - gaussian(square, sigma3);
      };
    case "multiquadric":
      return (x, q) => Math.sqrt(squaredDifferences(x, q) / sigma1 + shift * shift);
  }
}

/** Returns value^ceil(degree), and the value itself for degrees up to 1, 0 included. */
function repeatedProduct(value: number, degree: number): number {
  let product = value;
  for (let i = 1; i < degree; i++) product *= value;
  return product;
}

function sigmoid(z: number): number {
  const up = exp(z);
  const down = exp(-z);
  return (up - down) / (up + down);
}

/** Two values whose distances from 0 are below it make an attribute count twice. */
const ALMOST_ZERO = 1e-6;

function anovaSum(x: Float64Array, q: Float64Array, gamma: number): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) {
    if (Math.abs(x[j]) < ALMOST_ZERO && Math.abs(q[j]) < ALMOST_ZERO) sum++;
    const difference = x[j] - q[j];
    sum += exp(-gamma * (difference * difference));
  }
  return sum;
}

function gaussian(square: number, sigma: number): number {
  return sigma === 0 ? 0 : exp(-square / sigma);
}

/** Takes powers as Java's Math.pow does, for which NaN^0 is 1. */
function power(base: number, degree: number): number {
  return degree === 0 ? 1 : pow(base, degree);
}
