/**
 * `knn.mixedFilter` and `knn.powerFilter` as passes: those of `knn.filter` with other steps, sums or values. A folder of its own, so that
 * pages which search rows of numbers without gaps by distances do not load it.
 */
import type { KnnMixed } from "../../core/primitives/mixed.ts";
import type { KnnPower } from "../../core/primitives/power.ts";
import type { UniformField } from "../compose.ts";
import type { Kernel } from "../index.ts";
import { knnFilterBytes, knnFilterPasses, type MixedKernels } from "../knn.ts";
import * as wgsl from "./wgsl.generated.ts";

export const knnMixedFilterKernel: Kernel<"knn.mixedFilter"> = {
  name: "knn.mixedFilter",
  passes: (params, limits) => knnFilterPasses(params, limits, { mixed: mixedKernels(params.mixed) }),
  bytes: knnFilterBytes,
  pairs: ({ queryRows, refRows }) => queryRows * refRows,
};

export const knnPowerFilterKernel: Kernel<"knn.powerFilter"> = {
  name: "knn.powerFilter",
  passes: (params, limits) => knnFilterPasses(params, limits, { mixed: powerKernels(params.power) }),
  bytes: knnFilterBytes,
  pairs: ({ queryRows, refRows }) => queryRows * refRows,
};

function powerKernels({ shift, times }: KnnPower): MixedKernels {
  const uniforms: readonly UniformField[] = [
    ["shift", "f32", shift],
    ["times", "u32", times],
  ];
  return { metric: wgsl.knn_power, uniforms };
}

function mixedKernels({ codes, unit, gaps, mark, counts, quotient, columns = 0 }: KnnMixed): MixedKernels {
  // Vectors of a row that hold codes.
  const vectors: UniformField = ["codes", "u32", codes / 4];
  const texts = { steps: wgsl.knn_steps_mixed, row: wgsl.knn_row_mixed };
  if (quotient) {
    return {
      ...texts,
      differences: wgsl.knn_quotient,
      constants: { GAPS: gaps },
      uniforms: [vectors, ["neither", "f32", quotient.neither]],
    };
  }
  return {
    ...texts,
    differences: wgsl.knn_mixed,
    constants: { GAPS: gaps, MARKED: mark > 0, RESCALED: columns > 0 },
    uniforms: [
      vectors,
      ["unit", "f32", unit],
      ["mark", "f32", mark],
      ["counts", "u32", Number(counts)],
      ["columns", "f32", columns],
    ],
  };
}
