/** This is the contract of the primitive for few queries, which only GPUs have. */
import { assert } from "../../../core/errors.ts";
import { ceilDiv } from "../../../core/math.ts";
import { knnWaitingRoom, type KnnFilterParams } from "./filter.ts";

/** A group has this many references, of which only the least ends are kept at first. */
export const FEW_GROUP = 8;
/** A span is what a workgroup reads: at least so many references, whose least ends are kept once more. */
const LEAST_SPAN = 128;

/**
 * `knn.fewFilter` is `knn.filter` for so few queries that reading the references takes most of the time,
 * which it does once for every eight of them.
 *
 * The lists have another promise: a list keeps every reference seen so far that may be among the k nearest,
 * ties included, whose low end is then at most the k-th smallest high end listed. Values of the pairs that it
 * looks at twice are summed in two orders, and each order has an interval of its own, which is why other
 * entries may differ from those of `knn.filter`. There are no keep-all lists, and none with `cut`. `scratch`
 * has knnFewScratchBytes(...) bytes.
 */
export interface KnnFewFilterParams extends KnnFilterParams {
  /** A single query takes the kernel of several, which is slower; default its own. */
  readonly asSeveral?: boolean;
}

type KnnFewSizes = Pick<KnnFilterParams, "queryRows" | "refRows" | "k">;

/**
 * Returns where the parts of `scratch` begin, in words: the least low and the least high end of each group of
 * a query, u32 [queryRows][groups][2]; of each span, [queryRows][spans][2]; limits, [queryRows]; and pairs
 * that wait, [queryRows][knnWaitingRoom][3].
 * @param span references of a span
 */
export function knnFewPlaces({ queryRows, refRows, k }: KnnFewSizes, span = LEAST_SPAN) {
  assert(span >= LEAST_SPAN, `there is no room for spans of ${span} references`);
  const [groups, spans] = [ceilDiv(refRows, FEW_GROUP), ceilDiv(refRows, span)];
  const spanEnds = 2 * queryRows * groups;
  const limits = spanEnds + 2 * queryRows * spans;
  const waiting = limits + queryRows;
  return {
    span,
    groups,
    spans,
    spanEnds,
    limits,
    waiting,
    words: waiting + 3 * queryRows * knnWaitingRoom(k),
  };
}

export function knnFewScratchBytes(sizes: KnnFewSizes): number {
  return 4 * knnFewPlaces(sizes).words;
}
