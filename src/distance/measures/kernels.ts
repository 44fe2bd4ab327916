/**
 * These are the kernels of RapidMiner's KernelEuclideanDistance and their parameters. What they are of two
 * rows is not here: see rare/kernelDistance.ts.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import { checkOneOf } from "../../core/options.ts";

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
 * A kernel takes RapidMiner's parameters, with its defaults but without the prefix `kernel_`. A parameter
 * that the kernel does not have is an error; RapidMiner ignores it.
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
   * It is the degree of polynomial, anova and epanechnikov, at least 0; fractions are allowed. The default is
   * 3. For polynomial it is at most 1000, since that is multiplied out as RapidMiner does it.
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
