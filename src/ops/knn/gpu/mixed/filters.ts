/**
 * These are `knn.mixedFilter` and `knn.powerFilter` as passes: those of `knn.filter` with a variant of the
 * distance tile. They have a folder of their own, so that pages which search rows of numbers without gaps by
 * distances do not load it.
 */
import { mixedVariant, powerVariant } from "../../../../distance/gpu/mixed/variants.ts";
import type { KnnMixedFilterParams } from "../../contract/filter.ts";
import type { KnnPowerFilterParams } from "../../contract/filter.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import type { KnnFilterBinding } from "../../contract/filter.ts";
import { knnFilterBuffers, knnFilterPasses } from "../filter/filter.ts";

export const knnMixedFilterKernel: GpuKernel<KnnMixedFilterParams, KnnFilterBinding> = {
  passes: (params, limits) => knnFilterPasses(params, limits, { variant: mixedVariant(params.mixed) }),
  bytes: knnFilterBuffers,
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

export const knnPowerFilterKernel: GpuKernel<KnnPowerFilterParams, KnnFilterBinding> = {
  passes: (params, limits) => knnFilterPasses(params, limits, { variant: powerVariant(params.power) }),
  bytes: knnFilterBuffers,
  work: ({ queryRows, refRows }) => queryRows * refRows,
};
