/** This is the contract of the primitive for few queries, which only GPUs have. */
import type { KnnFilterParams } from "./filter.ts";

/** A group has this many references, of which only the least ends are kept at first. */
export const FEW_GROUP = 32;

/**
 * `knn.fewFilter` is `knn.filter` for so few queries that reading the references takes most of the time,
 * which it does once for every eight of them.
 *
 * The lists have another promise: a list keeps every reference seen so far that may be among the k nearest,
 * ties included, whose low end is then at most the k-th smallest high end listed. Values of the pairs that it
 * looks at twice are summed in two orders, and each order has an interval of its own, which is why other
 * entries may differ from those of `knn.filter`. There are no keep-all lists, and none with `cut`.
 */
export interface KnnFewFilterParams extends KnnFilterParams {
  /** A single query takes the kernel of several, which is slower; default its own. */
  readonly asSeveral?: boolean;
}
