/**
 * These are the contracts of `knn.sketch` and `knn.sketchedFilter`, which only the CPU backend has. Rows are
 * first compared by a few coordinates and the length of the rest, and as a whole only where that does not
 * rule a pair out.
 *
 * Axes are columns of a matrix that is orthonormal but for rounding. The sketch of a row is its coordinates
 * along the axes, the length of what they leave over, and its share of the product of the interval, divided
 * by sqrt(2). The floor of a row is its squared length less its margin. For rows q and r, floor(q) + floor(r)
 * - 2 sketch(q).sketch(r) is at most the rank of the pair (distance/bound/sketch.ts), since no
 * more than the difference of the lengths left over is certain of the rest.
 */
import type { KnnFilterBinding, KnnFilterParams } from "./filter.ts";

export interface KnnSketchParams {
  readonly rows: number;
  /**
   * A row begins this many float32 after the one before, a multiple of 4; entries past the columns are zero.
   */
  readonly stride: number;
  readonly axes: number;
  readonly productFactor: number;
  readonly marginFactor: number;
  readonly marginConstant: number;
}

/**
 * `knn.sketch` binds these buffers:
 *
 * rows     f32 [rows][stride]
 * axes     f64 [axes][stride]
 * sketches f32 [rows][sketchStride(axes)], zero past the axes + 2 entries
 * floors   f32 [rows]
 */
export type KnnSketchBinding = "rows" | "axes" | "sketches" | "floors";

/** Returns how many float32 lie from one sketch to the next. */
export function sketchStride(axes: number): number {
  return Math.ceil((axes + 2) / 4) * 4;
}

/**
 * `knn.sketchedFilter` keeps the lists of `knn.filter` with the core dot, but references that their sketch
 * rules out may be missing from a list: those whose rank is certain to exceed the k-th smallest high end seen
 * so far. It never has `cut`.
 */
export interface KnnSketchedFilterParams extends KnnFilterParams {
  readonly axes: number;
}

export type KnnSketchedFilterBinding =
  Exclude<KnnFilterBinding, "scratch"> | "querySketches" | "queryFloors" | "refSketches" | "refFloors";
