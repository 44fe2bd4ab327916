/**
 * These are the buffers and steps that sketches add to a k-NN plan: the axes, the sketches of the references
 * made once, those of the queries made in every job. sketch.ts decides whether there are sketches, and loads
 * this.
 */
import type { Span } from "../../../core/math.ts";
import type { Step } from "../../../runtime/backend.ts";
import type { BufferSpec, HostSource, Sources } from "../../../runtime/source.ts";
import type { Bound } from "../../../distance/bound/bound.ts";
import { sketchStride } from "../contract/sketch.ts";
import type { KnnFilterBinding, KnnFilterParams } from "../contract/filter.ts";
import { knnSketch, knnSketchedFilter } from "../sketchPrimitives.ts";
import { run } from "../../../runtime/primitive.ts";

export interface SketchAxes {
  readonly axes: number;
  /** The axes are the rows of this basis, float64 [axes][stride]. */
  readonly basis: Float64Array;
  /** The basis is this far from orthonormal (distance/axes.ts). */
  readonly defect: number;
  /** This share of the pairs is expected to be compared whole. */
  readonly share: number;
}

/** These are axes with the bound that they prove. */
export interface ProvedAxes extends SketchAxes {
  readonly bound: Bound;
}

/** Returns how many bytes a row takes beside itself. */
export function sketchRowBytes(sketch: ProvedAxes): number {
  return sketchStride(sketch.axes) * 4 + 4;
}

/** Returns the buffers of one side; `name` is "query", or "refs" with the number of its buffer. */
export function sketchBuffers(sketch: ProvedAxes, name: string, rows: number): BufferSpec[] {
  const { sketches, floors } = sketchNames(name);
  return [
    { name: sketches, bytes: rows * sketchStride(sketch.axes) * 4 },
    { name: floors, bytes: rows * 4 },
  ];
}

/** Returns the buffers of the axes and of the references, which stay. */
export function residentSketches(sketch: ProvedAxes, chunks: readonly Span[]): BufferSpec[] {
  const refs = chunks.flatMap(({ begin, end }, c) => sketchBuffers(sketch, `refs.${c}`, end - begin));
  return [...refs, { name: "axes", bytes: sketch.basis.byteLength }];
}

/** Uploads the axes, and makes the sketches of references. */
export function sketchChunks(sketch: ProvedAxes, chunks: readonly Span[], stride: number): Step[] {
  return [
    { kind: "upload", to: "axes", source: "axes", part: "all", rows: { begin: 0, end: 1 } },
    ...chunks.flatMap(({ begin, end }, c) => sketchStep(sketch, `refs.${c}`, end - begin, stride)),
  ];
}

/** Makes the sketches of the rows in a buffer. */
export function sketchStep(sketch: ProvedAxes, buffer: string, rows: number, stride: number): Step[] {
  const { axes, bound } = sketch;
  const { productFactor, marginFactor, marginConstant } = bound;
  return [
    run(knnSketch, {
      params: { rows, stride, axes, productFactor, marginFactor, marginConstant },
      bindings: { rows: buffer, axes: "axes", ...sketchNames(buffer) },
      cost: 0,
    }),
  ];
}

/** Makes the filter step, of the buffers of queries and of references. */
export function sketchedFilter(
  { axes }: ProvedAxes,
  params: KnnFilterParams,
  bindings: Readonly<Record<Exclude<KnnFilterBinding, "scratch">, string>>,
  cost: number,
): Step {
  const [q, r] = [sketchNames(bindings.queries), sketchNames(bindings.refs)];
  const sketches = { querySketches: q.sketches, queryFloors: q.floors };
  return run(knnSketchedFilter, {
    bindings: { ...bindings, ...sketches, refSketches: r.sketches, refFloors: r.floors },
    params: { ...params, axes },
    cost,
  });
}

function sketchNames(name: string): { readonly sketches: string; readonly floors: string } {
  return { sketches: `${name}.sketches`, floors: `${name}.floors` };
}

/** Returns the axes as a host source of one row. */
export function axesSource({ basis }: ProvedAxes): Sources {
  const axes: HostSource = {
    rows: 1,
    rowBytes: () => basis.byteLength,
    fill: (_part, _rows, target) =>
      target.set(new Uint8Array(basis.buffer, basis.byteOffset, basis.byteLength)),
  };
  return { axes };
}
