/**
 * `knn.mixedFilter` and `knn.powerFilter` as passes: those of `knn.filter` with other steps, sums or values. A folder of its own, so that
 * pages which search rows of numbers without gaps by distances do not load it.
 */
import type { KnnMixed } from "../../../../distance/contract/mixed.ts";
import type { KnnPower } from "../../../../distance/contract/power.ts";
import type { UniformField } from "../../../../runtime/gpu/passes/compose.ts";
import type { Kernel } from "../../../../runtime/gpu/passes/kernel.ts";
import { knnFilterBytes, knnFilterPasses, type MixedKernels } from "../filter/filter.ts";
import * as mixedWgsl from "../../../../distance/gpu/mixed/wgsl.generated.ts";

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
  return { metric: mixedWgsl.knn_power, uniforms };
}

function mixedKernels({ codes, unit, gaps, mark, counts, quotient, columns = 0 }: KnnMixed): MixedKernels {
  // Vectors of a row that hold codes.
  const vectors: UniformField = ["codes", "u32", codes / 4];
  const texts = { steps: mixedWgsl.knn_steps_mixed, row: mixedWgsl.knn_row_mixed };
  if (quotient) {
    return {
      ...texts,
      differences: mixedWgsl.knn_quotient,
      constants: { GAPS: gaps },
      uniforms: [vectors, ["neither", "f32", quotient.neither]],
    };
  }
  return {
    ...texts,
    differences: mixedWgsl.knn_mixed,
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
