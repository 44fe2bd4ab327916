/**
 * This is RapidMiner's KernelEuclideanDistance: K(x, x) + K(q, q) - 2 K(x, q), without a root. Missing values
 * are not handled: NaN spreads. Some kernels are odd on purpose: multiquadric falls with distance, so its
 * nearest row is the farthest one.
 */
import { exp } from "../../../core/float/explog.ts";
import { pow } from "../../../core/float/fdlibm.ts";
import { dot, squaredDifferences } from "../differences.ts";
import type { Kernel } from "../kernels.ts";
import type { Rank } from "../rank.ts";

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
