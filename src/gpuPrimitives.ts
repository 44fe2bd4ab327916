/**
 * These are array primitives for other WebGPU programs: on their own GPUBuffers, recorded into their own
 * GPUCommandEncoder, without a wait or a decision of the host. They are not for arrays of the host, which are
 * ops/.
 */
import { InvalidInputError } from "./core/errors.ts";
import { checkOneOf, checkOptions } from "./core/options.ts";
import { capacityOf, checkCount, Operation, type GpuOperation } from "./gpuOperation.ts";
import {
  names,
  type GpuCompactBinding,
  type GpuCompactParams,
  type GpuKnnParams,
  type GpuNearestPointsParams,
  type GpuRunLengthParams,
  type GpuScanParams,
  type GpuSortBinding,
  type GpuSortParams,
  type GpuUniqueParams,
} from "./gpuParams.ts";
import {
  compactPrimitive,
  flagTypes,
  runLengthPrimitive,
  uniquePrimitive,
  type RunLengthBinding,
  type UniqueBinding,
} from "./ops/compact/index.ts";
import {
  boundaries,
  checkFill,
  chooseTechnique,
  convolveModes,
  convolvePrimitive,
  placeOutputs,
  type ConvolveBinding,
  type GpuConvolveParams,
} from "./ops/convolve/index.ts";
import {
  distanceHistogramMetrics,
  distanceHistogramPrimitive,
  type DistanceHistogramBinding,
  type DistanceHistogramParams,
} from "./ops/distances/index.ts";
import {
  MAX_BINS,
  histogramPrimitive,
  type HistogramBinding,
  type HistogramParams,
} from "./ops/histogram/index.ts";
import {
  checkRadius,
  knnSearch,
  knnSearchMetrics,
  MOST_NEAREST,
  nearestPoints,
  pointTree,
  type KnnSearchBinding,
  type NearestPointsBinding,
  type PointTreeBinding,
  type PointTreeParams,
} from "./ops/knn/index.ts";
import { reduceOps, reducePrimitive, type ReduceBinding, type ReduceParams } from "./ops/reduce/index.ts";
import { scanOps, scanPrimitive, type ScanBinding } from "./ops/scan/index.ts";
import { selectPrimitive, type SelectBinding, type SelectParams } from "./ops/select/index.ts";
import {
  MAX_SORTED,
  offsetRows,
  keyTypes,
  keyWords,
  sortPrimitive,
  sortValues,
  type SortParams,
} from "./ops/sort/index.ts";
import { elementTypes, identityBits } from "./runtime/element.ts";
import type { Preparer } from "./runtime/gpu/operation.ts";
import type { Primitive } from "./runtime/primitive.ts";

export type { BufferArgument } from "./runtime/gpu/operation.ts";
export type { GpuBuffers, GpuOperation } from "./gpuOperation.ts";
export type { GpuConvolveParams } from "./ops/convolve/index.ts";
export type * from "./gpuParams.ts";

/**
 * It prepares primitives on a GPUDevice of the caller, for the caller's own buffers and command encoders.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * if (!adapter) throw new Error("no GPU");
 * const device = await adapter.requestDevice();
 * const primitives = await GpuPrimitives.create(device);
 * const sums = await primitives.scan({ type: "u32", op: "sum", count: 4 });
 *
 * const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
 * const input = device.createBuffer({ size: sums.bytes.input, usage: STORAGE | COPY_DST });
 * const output = device.createBuffer({ size: sums.bytes.output, usage: STORAGE | COPY_SRC });
 * const readable = device.createBuffer({ size: sums.bytes.output, usage: MAP_READ | COPY_DST });
 * device.queue.writeBuffer(input, 0, new Uint32Array([3, 1, 4, 1]));
 *
 * const encoder = device.createCommandEncoder();
 * sums.encode(encoder, { input, output });
 * encoder.copyBufferToBuffer(output, 0, readable, 0, 16);
 * device.queue.submit([encoder.finish()]);
 * await readable.mapAsync(GPUMapMode.READ);
 * new Uint32Array(readable.getMappedRange(0, 16)); // => Uint32Array [3, 4, 8, 9]
 * sums.dispose();
 */
export class GpuPrimitives {
  readonly #device: GPUDevice;
  readonly #preparer: Preparer;

  private constructor(device: GPUDevice, preparer: Preparer) {
    this.#device = device;
    this.#preparer = preparer;
  }

  /**
   * Makes primitives for a device; nothing is compiled yet. The device remains the caller's; it needs no
   * optional features.
   */
  static async create(device: GPUDevice): Promise<GpuPrimitives> {
    const { Preparer } = await import("./runtime/gpu/operation.ts");
    return new GpuPrimitives(device, new Preparer(device));
  }

  /**
   * Prepares a scan: output[i] combines input[0..i]; see `scan`. Word 0 of `scratch` is then the total.
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  async scan(params: GpuScanParams): Promise<GpuOperation<ScanBinding>> {
    checkOptions(params, "GpuPrimitives.scan", names.scan);
    const { type, op, count, exclusive = false, initial = identityBits(op) } = params;
    checkOneOf(type, elementTypes, "type");
    checkOneOf(op, scanOps, "op");
    checkCount(count, "count", 0);
    return this.#prepare(scanPrimitive, { ...params, exclusive, initial });
  }

  /**
   * Prepares a reduce: output[r] combines row r; see `reduce`.
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  async reduce(
    params: Omit<ReduceParams, "rows"> & { readonly rows?: number },
  ): Promise<GpuOperation<ReduceBinding>> {
    checkOptions(params, "GpuPrimitives.reduce", names.reduce);
    const { type, op, rows = 1, cols } = params;
    checkOneOf(type, elementTypes, "type");
    checkOneOf(op, reduceOps, "op");
    checkCount(rows, "rows", 0);
    checkCount(cols, "cols", 1);
    return this.#prepare(reducePrimitive, { type, op, rows, cols });
  }

  /**
   * Prepares a histogram, which adds to counts[r][b] and outside[r]; the caller clears them. See `histogram`.
   * The contents of `edges` and `ranges` are made by `binKeys`.
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  histogram(
    params: Omit<HistogramParams, "rows" | "perRow"> & Partial<Pick<HistogramParams, "rows" | "perRow">>,
  ): Promise<GpuOperation<HistogramBinding>> {
    checkOptions(params, "GpuPrimitives.histogram", names.histogram);
    const { type, bins, rows = 1, cols, perRow = false } = params;
    checkOneOf(type, elementTypes, "type");
    checkCount(bins, "bins", 1, MAX_BINS);
    checkCount(rows, "rows", 0);
    checkCount(cols, "cols", 0);
    return this.#prepare(histogramPrimitive, { type, bins, rows, cols, perRow });
  }

  /**
   * Prepares a select: values[r] and indices[r] are the k first elements of row r and their columns; see
   * `select`.
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  select(
    params: Omit<SelectParams, "rows" | "largest"> & Partial<Pick<SelectParams, "rows" | "largest">>,
  ): Promise<GpuOperation<SelectBinding>> {
    checkOptions(params, "GpuPrimitives.select", names.select);
    const { type, largest = false, rows = 1, cols, k } = params;
    checkOneOf(type, elementTypes, "type");
    checkCount(rows, "rows", 0);
    checkCount(cols, "cols", 1);
    checkCount(k, "k", 1, cols);
    return this.#prepare(selectPrimitive, { type, largest, rows, cols, k });
  }

  /**
   * Prepares a sort: each row of sortedKeys has the keys of that row in order, and sortedValues what they
   * carry; see `sort`. Keys of 64 bits lie as two words, the low one first. `sortedKeys` is written in any
   * case. For rows of unequal length give `offsets`, and the same numbers in the buffer of that name.
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  async sort<const Params extends GpuSortParams>(
    params: Params,
  ): Promise<GpuOperation<GpuSortBinding<Params>>> {
    checkOptions(params, "GpuPrimitives.sort", names.sort);
    const { type, count, offsets, values = "none", descending = false, beginBit = 0 } = params;
    checkOneOf(type, keyTypes, "type");
    checkOneOf(values, sortValues, "values");
    checkCount(count, "count", 0, MAX_SORTED);
    const rows = offsets ? offsetRows(offsets, count, params.rows) : (params.rows ?? 1);
    if (!offsets) checkCount(rows, "rows", 1);
    if (!offsets && count % rows !== 0)
      throw new InvalidInputError(`rows is ${rows}; expected a divisor of count, ${count}`);
    const { endBit = 32 * keyWords(type) } = params;
    checkCount(endBit, "endBit", 0, 32 * keyWords(type));
    checkCount(beginBit, "beginBit", 0, endBit);
    const all: SortParams = { ...params, rows, values, descending, beginBit, endBit };
    return this.#prepare(sortPrimitive, all);
  }

  /**
   * Prepares a compact: elements whose flag is not 0, their indices, or both; see `compact`. `found` counts
   * all of them, even if `values` and `indices` have room for fewer (`capacity`).
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  async compact<const Params extends GpuCompactParams>(
    params: Params,
  ): Promise<GpuOperation<GpuCompactBinding<Params>>> {
    checkOptions(params, "GpuPrimitives.compact", names.compact);
    const { count, flags = "u32", values = true, indices = false, firstIndex = 0 } = params;
    checkOneOf(flags, flagTypes, "flags");
    checkCount(firstIndex, "firstIndex", 0);
    if (!values && !indices) {
      throw new InvalidInputError("values and indices are both false; expected at least one that is wanted");
    }
    const capacity = capacityOf(params);
    return this.#prepare(compactPrimitive, {
      ...params,
      count,
      flags,
      values,
      indices,
      capacity,
      firstIndex,
    });
  }

  /**
   * Prepares a unique: the first element of every run of equal ones; see `unique`. `found` counts all runs,
   * even if `values` has room for fewer (`capacity`).
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  async unique(params: GpuUniqueParams): Promise<GpuOperation<UniqueBinding>> {
    checkOptions(params, "GpuPrimitives.unique", names.unique);
    const { continued = false } = params;
    checkOneOf(params.type, elementTypes, "type");
    return this.#prepare(uniquePrimitive, { ...params, continued, capacity: capacityOf(params) });
  }

  /**
   * Prepares a run-length encoding: runs of equal elements as their first elements, lengths and offsets; see
   * `runLength`. `found` counts all runs, even if the other three have room for fewer (`capacity`).
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  async runLength(params: GpuRunLengthParams): Promise<GpuOperation<RunLengthBinding>> {
    checkOptions(params, "GpuPrimitives.runLength", names.runLength);
    const { continued = false, firstIndex = 0 } = params;
    checkOneOf(params.type, elementTypes, "type");
    checkCount(firstIndex, "firstIndex", 0);
    return this.#prepare(runLengthPrimitive, {
      ...params,
      continued,
      firstIndex,
      capacity: capacityOf(params),
    });
  }

  /**
   * Prepares a convolution: output[r][m] is row r of the signal with mask m; see `convolve` for modes,
   * boundaries and bounds. Sums of i32 wrap modulo 2^32. Taps must be finite.
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  async convolve(params: GpuConvolveParams): Promise<GpuOperation<ConvolveBinding>> {
    checkOptions(params, "GpuPrimitives.convolve", names.convolve);
    const { type, count, taps, rows = 1, masks = 1, mode = "full", flip = true } = params;
    const { boundary = "constant", fill = 0 } = params;
    checkOneOf(type, ["f32", "i32"], "type");
    checkOneOf(mode, convolveModes, "mode");
    checkOneOf(boundary, mode === "same" ? boundaries : ["constant"], `boundary of mode "${mode}"`);
    checkFill(fill, { mode, boundary, type });
    for (const [name, value] of Object.entries({ count, taps, rows, masks })) checkCount(value, name, 1);
    const shape = { type, count, taps, rows, masks, ...placeOutputs(mode, count, taps) };
    const { technique = chooseTechnique(shape, "auto").technique } = params;
    checkOneOf(technique, ["plain", "tiled", "fft"], "technique");
    if (type === "i32") checkOneOf(technique, ["plain", "tiled"], "technique of i32");
    return await this.#prepare(convolvePrimitive, { ...shape, flip, boundary, fill, technique });
  }

  /**
   * Prepares a search for the k nearest references of every query, in float32, ascending by (distance,
   * index): see `KnnSearchParams` for the rows and the metrics; certified neighbours come from `kneighbors`.
   * Buffers may be larger than the device can bind at a time.
   * @example
   * const adapter = await navigator.gpu.requestAdapter();
   * if (!adapter) throw new Error("no GPU");
   * const device = await adapter.requestDevice();
   * const primitives = await GpuPrimitives.create(device);
   * const search = await primitives.knn({ queries: 1, references: 3, columns: 2, k: 2 });
   *
   * const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
   * const buffer = (size: number, usage = STORAGE | COPY_SRC | COPY_DST) => device.createBuffer({ size, usage });
   * const [queries, references] = [buffer(search.bytes.queries), buffer(search.bytes.references)];
   * const [distances, indices] = [buffer(search.bytes.distances), buffer(search.bytes.indices)];
   * // Two columns and two zeros a row: rows are as long as a multiple of 4.
   * device.queue.writeBuffer(queries, 0, new Float32Array([0, 0, 0, 0]));
   * device.queue.writeBuffer(references, 0, new Float32Array([9, 9, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0]));
   * const readable = buffer(8, MAP_READ | COPY_DST);
   * const encoder = device.createCommandEncoder();
   * search.encode(encoder, { queries, references, distances, indices });
   * encoder.copyBufferToBuffer(indices, 0, readable, 0, 8);
   * device.queue.submit([encoder.finish()]);
   * await readable.mapAsync(GPUMapMode.READ);
   * new Uint32Array(readable.getMappedRange(0, 8)); // => Uint32Array [2, 1]
   * search.dispose();
   * @throws InvalidInputError for invalid sizes
   */
  async knn(params: GpuKnnParams): Promise<GpuOperation<KnnSearchBinding>> {
    checkOptions(params, "GpuPrimitives.knn", names.knn);
    const { variant = {}, metric = "euclidean", ...sizes } = params;
    const { queries, references, columns, k, workPerDispatch } = sizes;
    checkOneOf(metric, knnSearchMetrics, "metric");
    checkCount(queries, "queries", 1);
    checkCount(references, "references", 1, 2 ** 32 - 2);
    checkCount(columns, "columns", 1);
    checkCount(k, "k", 1, references);
    if (workPerDispatch !== undefined) checkCount(workPerDispatch, "workPerDispatch", 1);
    return this.#prepare(knnSearch, { ...sizes, metric, variant });
  }

  /**
   * Prepares a tree over points of one to three columns, for `nearestPoints`; see `PointTreeParams` for the
   * rows.
   * @throws InvalidInputError when the device cannot bind buffers of that size
   */
  async pointTree(params: PointTreeParams): Promise<GpuOperation<PointTreeBinding>> {
    checkOptions(params, "GpuPrimitives.pointTree", names.pointTree);
    checkCount(params.points, "points", 1, 2 ** 32 - 2);
    return this.#prepare(pointTree, params);
  }

  /**
   * Prepares a search along a tree of `pointTree` for the k nearest points of every query, in float32,
   * ascending by (distance, index); see `NearestPointsParams`. Certified neighbours come from `PointCloud`.
   * @example
   * const adapter = await navigator.gpu.requestAdapter();
   * if (!adapter) throw new Error("no GPU");
   * const device = await adapter.requestDevice();
   * const primitives = await GpuPrimitives.create(device);
   * const build = await primitives.pointTree({ points: 3 });
   * const search = await primitives.nearestPoints({ points: 3, queries: 1 });
   *
   * const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
   * const buffer = (size: number, usage = STORAGE | COPY_SRC | COPY_DST) => device.createBuffer({ size, usage });
   * const { bytes } = build;
   * const [points, leaves, boxes] = [buffer(bytes.points), buffer(bytes.leaves), buffer(bytes.boxes)];
   * const [queries, distances, indices] = [buffer(search.bytes.queries), buffer(4), buffer(4)];
   * // Three columns and a zero a row.
   * device.queue.writeBuffer(points, 0, new Float32Array([9, 9, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0]));
   * device.queue.writeBuffer(queries, 0, new Float32Array([3, 0, 0, 0]));
   * const readable = buffer(4, MAP_READ | COPY_DST);
   * const encoder = device.createCommandEncoder();
   * build.encode(encoder, { points, leaves, boxes });
   * search.encode(encoder, { queries, leaves, boxes, distances, indices });
   * encoder.copyBufferToBuffer(indices, 0, readable, 0, 4);
   * device.queue.submit([encoder.finish()]);
   * await readable.mapAsync(GPUMapMode.READ);
   * new Uint32Array(readable.getMappedRange(0, 4)); // => Uint32Array [2]
   * @throws InvalidInputError for invalid sizes, or if the device cannot bind them
   */
  async nearestPoints(params: GpuNearestPointsParams): Promise<GpuOperation<NearestPointsBinding>> {
    checkOptions(params, "GpuPrimitives.nearestPoints", names.nearestPoints);
    const { points, queries, k = 1, metric = "euclidean", visitsPerDispatch = 2 ** 28 } = params;
    const { radius = Infinity, excludeSelf = false } = params;
    checkCount(points, "points", excludeSelf ? 2 : 1, 2 ** 32 - 2);
    checkCount(queries, "queries", 1);
    if (excludeSelf && queries !== points) {
      throw new InvalidInputError(
        `excludeSelf is true, but queries is ${queries} and points is ${points}; expected as many of both`,
      );
    }
    checkCount(k, "k", 1, Math.min(points - Number(excludeSelf), MOST_NEAREST));
    checkRadius(radius, { signed: false });
    checkOneOf(metric, ["euclidean", "sqeuclidean"], "metric");
    checkCount(visitsPerDispatch, "visitsPerDispatch", 1);
    const searched = { points, queries, k, metric, radius, excludeSelf, visitsPerDispatch };
    return this.#prepare(nearestPoints, searched);
  }

  /**
   * Prepares a distance histogram: the float32 distances of each query in equal bins of its own; see
   * `DistanceHistogramParams` for the rows and the metrics. Exact counts come from `distanceHistogram`.
   * Buffers may be larger than the device can bind at a time.
   * @throws InvalidInputError for invalid sizes
   */
  async distanceHistogram(params: DistanceHistogramParams): Promise<GpuOperation<DistanceHistogramBinding>> {
    checkOptions(params, "GpuPrimitives.distanceHistogram", names.distanceHistogram);
    const { metric, queries, references, columns, bins, workPerDispatch = 1 } = params;
    if (metric !== undefined) checkOneOf(metric, distanceHistogramMetrics, "metric");
    checkCount(references, "references", 1, 2 ** 32 - 2);
    checkCount(bins, "bins", 1, MAX_BINS);
    for (const [name, value] of Object.entries({ queries, columns, workPerDispatch }))
      checkCount(value, name, 1);
    return this.#prepare(distanceHistogramPrimitive, params);
  }

  async #prepare<Params, Binding extends string>(
    primitive: Primitive<Params, Binding>,
    params: Params,
  ): Promise<GpuOperation<Binding>> {
    const prepared = await this.#preparer.prepare(primitive, params);
    return new Operation(this.#device, primitive.name, prepared);
  }
}
