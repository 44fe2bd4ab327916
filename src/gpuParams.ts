/**
 * GpuPrimitives takes these parameters, with defaults where those of a primitive have none. The buffers that
 * follow from them are here too. What is done with both is the matter of gpuPrimitives.ts.
 */
import type { OptionNames } from "./core/options.ts";
import type { CompactParams, RunLengthParams, UniqueParams } from "./ops/compact/index.ts";
import type { GpuConvolveParams } from "./ops/convolve/index.ts";
import { distanceHistogramParamNames } from "./ops/distances/index.ts";
import type { HistogramParams } from "./ops/histogram/index.ts";
import type { KnnSearchParams, KnnVariant, NearestPointsParams, PointTreeParams } from "./ops/knn/index.ts";
import type { ReduceParams } from "./ops/reduce/index.ts";
import type { ScanParams } from "./ops/scan/index.ts";
import type { SelectParams } from "./ops/select/index.ts";
import type { SortBinding, SortParams } from "./ops/sort/index.ts";

/**
 * A scan has these parameters. `initial` is what comes before the first element, as bits, by default nothing.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: GpuScanParams = { type: "i32", op: "max", count: 1000, exclusive: true };
 * (await primitives.scan(params)).bytes.output; // => 4000
 */
export type GpuScanParams = Omit<ScanParams, "initial" | "exclusive"> &
  Partial<Pick<ScanParams, "initial" | "exclusive">>;

/**
 * A compact has these parameters. By default flags are words, values are wanted and indices not, and there is
 * room for all.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: GpuCompactParams = { count: 100, capacity: 10 };
 * const { flags, values } = (await primitives.compact(params)).bytes;
 * [flags, values]; // => [400, 40]
 */
export type GpuCompactParams = Pick<CompactParams, "count"> &
  Partial<Pick<CompactParams, "flags" | "values" | "indices" | "capacity" | "firstIndex">>;

/**
 * A compact is bound to the buffers of what is wanted.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params = { count: 100, values: false, indices: true } as const;
 * const operation: GpuOperation<GpuCompactBinding<typeof params>> = await primitives.compact(params);
 * const { flags, found, indices } = operation.bytes; // and no values
 * [flags, found, indices]; // => [400, 4, 400]
 */
export type GpuCompactBinding<Params extends GpuCompactParams> =
  | "flags"
  | "found"
  | "scratch"
  | (Params extends { readonly values: false } ? never : "input" | "values")
  | (Params extends { readonly indices: true } ? "indices" : never);

/**
 * A unique has these parameters. By default there is room for all, and nothing comes before.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: GpuUniqueParams = { type: "f32", count: 100, capacity: 10 };
 * const { input, values } = (await primitives.unique(params)).bytes;
 * [input, values]; // => [400, 40]
 */
export type GpuUniqueParams = Pick<UniqueParams, "type" | "count"> &
  Partial<Pick<UniqueParams, "continued" | "capacity">>;

/**
 * A run-length encoding has the parameters of GpuUniqueParams, and `firstIndex`, which is 0 by default.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: GpuRunLengthParams = { type: "f32", count: 100, capacity: 10 };
 * const { values, counts, offsets } = (await primitives.runLength(params)).bytes;
 * [values, counts, offsets]; // => [40, 40, 40]
 */
export type GpuRunLengthParams = GpuUniqueParams & Partial<Pick<RunLengthParams, "firstIndex">>;

/**
 * A k-NN search has these parameters. `variant` chooses kernels, for measurements; by default the sizes
 * decide.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: GpuKnnParams = { queries: 2, references: 100, columns: 5, k: 3 };
 * (await primitives.knn(params)).bytes.queries; // => 2 * 8 * 4
 */
export type GpuKnnParams = Omit<KnnSearchParams, "metric"> &
  Partial<Pick<KnnSearchParams, "metric">> & { readonly variant?: KnnVariant | undefined };

/**
 * A search for the nearest points has these parameters, of which `points` and `queries` are needed. By
 * default k is 1 and the metric "euclidean".
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: GpuNearestPointsParams = { points: 1000, queries: 10, k: 8 };
 * (await primitives.nearestPoints(params)).bytes.indices; // => 10 * 8 * 4
 */
export type GpuNearestPointsParams = Pick<NearestPointsParams, "points" | "queries"> &
  Partial<NearestPointsParams>;

/**
 * A sort has these parameters, of which type and count are needed. By default all keys form one row without
 * values, sorted in ascending order by all bits.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: GpuSortParams = { type: "u64", count: 6, rows: 2, descending: true };
 * (await primitives.sort(params)).bytes.keys; // => 48
 */
export type GpuSortParams = Pick<SortParams, "type" | "count"> & Partial<SortParams>;

/**
 * A sort binds these buffers: those of values where keys carry them.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params = { type: "f32", count: 6, values: "indices" } as const;
 * const operation: GpuOperation<GpuSortBinding<typeof params>> = await primitives.sort(params);
 * operation.bytes.sortedValues; // => 32
 */
export type GpuSortBinding<Params extends GpuSortParams> =
  | Exclude<SortBinding, "values" | "sortedValues" | "offsets">
  | (Params extends { readonly offsets: Uint32Array } ? "offsets" : never)
  | (Params extends { readonly values: "given" } ? "values" | "sortedValues" : never)
  | (Params extends { readonly values: "indices" } ? "sortedValues" : never);

const uniqueNames: OptionNames<GpuUniqueParams> = { type: 1, count: 1, continued: 1, capacity: 1 };

/** Each primitive has the parameters of these names; `variant` is for measurements. */
export const names = {
  scan: { type: 1, op: 1, count: 1, exclusive: 1, initial: 1 } satisfies OptionNames<GpuScanParams>,
  reduce: { type: 1, op: 1, rows: 1, cols: 1 } satisfies OptionNames<ReduceParams>,
  histogram: { type: 1, bins: 1, rows: 1, cols: 1, perRow: 1 } satisfies OptionNames<HistogramParams>,
  select: { type: 1, largest: 1, rows: 1, cols: 1, k: 1 } satisfies OptionNames<SelectParams>,
  compact: {
    count: 1,
    flags: 1,
    values: 1,
    indices: 1,
    capacity: 1,
    firstIndex: 1,
  } satisfies OptionNames<GpuCompactParams>,
  unique: uniqueNames,
  runLength: { ...uniqueNames, firstIndex: 1 } satisfies OptionNames<GpuRunLengthParams>,
  convolve: {
    type: 1,
    count: 1,
    taps: 1,
    rows: 1,
    masks: 1,
    mode: 1,
    flip: 1,
    boundary: 1,
    fill: 1,
    technique: 1,
  } satisfies OptionNames<GpuConvolveParams>,
  knn: {
    queries: 1,
    references: 1,
    columns: 1,
    k: 1,
    metric: 1,
    workPerDispatch: 1,
    variant: 0,
  } satisfies OptionNames<GpuKnnParams>,
  pointTree: { points: 1 } satisfies OptionNames<PointTreeParams>,
  nearestPoints: {
    points: 1,
    queries: 1,
    k: 1,
    metric: 1,
    radius: 1,
    excludeSelf: 1,
    visitsPerDispatch: 1,
  } satisfies OptionNames<GpuNearestPointsParams>,
  distanceHistogram: distanceHistogramParamNames,
  sort: {
    type: 1,
    count: 1,
    rows: 1,
    values: 1,
    descending: 1,
    beginBit: 1,
    endBit: 1,
    offsets: 1,
  } satisfies OptionNames<GpuSortParams>,
} as const;
