/**
 * The contract of the primitive `knn.filter`: its parameters, its bindings and what it promises. Not how: kernels/knn.ts and
 * cpu/knn.ts.
 */

/** How a pair of float32 rows becomes a value: see KnnFilterParams. */
export type DistanceCore = "dot" | "l2" | "l1" | "linf" | "lp";

/**
 * `knn.filter`: adds the references of one buffer to the running candidate list of every query.
 *
 * The value of a pair (q, r) of rows of float32, whose first `dims` entries count (the rest of the stride is zero):
 *
 *     dot    base(q) + base(r) + weight * sum q*r      l1    sum |q-r|        lp   sum |q-r|^p
 *     l2     sum (q-r)^2                               linf  max |q-r|
 *
 * Sums are made in any order. A pair's interval is value -+ half with half = slack * |value| + product(q) * product(r) + margin(q) +
 * margin(r), where a row's meta is four float32: base, product, margin, unused.
 *
 * The list keeps, in any order, every reference seen so far, and every entry of `knn.seed`, whose low end is at most the k-th
 * smallest high end seen so far (all, while fewer than k were seen). On a GPU entries that stay keep the order that they have, and
 * come before those that a call adds: `knn.carry` relies on it. If it needs more than `capacity` entries its count becomes
 * a number above `capacity`; its entries are then undefined and later calls leave that query alone.
 *
 * With `cut` the interval is the value itself, and of the values equal to the k-th only those of lowest index stay, so
 * that the list has exactly min(k, seen) entries and never overflows.
 *
 * With `history` nothing leaves a list: it keeps every reference whose low end was at most the k-th smallest high end of
 * those before it (with `cut`, below it), and maybe others. Those are what may ever be among the k nearest of the
 * references up to itself, k log2(n / k) of n in random order.
 *
 * A cleared (all-zero) `heads` means empty lists. Several calls over disjoint, ascending references equal one call over
 * all of them, whatever the tiles, for lists that never overflow on the way. With groups one call may look
 * at its references in several turns, like calls. The contents of `scratch` do not survive the call.
 */
export interface KnnFilterParams {
  readonly core: DistanceCore;
  /** Exponent of lp; unused elsewhere. */
  readonly p: number;
  /** Factor of the dot product; unused elsewhere. */
  readonly weight: number;
  readonly slack: number;
  readonly cut: boolean;
  /** Default false. */
  readonly history?: boolean | undefined;
  readonly k: number;
  /** Entries per query in `candidates` and `intervals`; at least k. */
  readonly capacity: number;
  /** Columns that count, and float32 entries from one row to the next (a multiple of 4, at least dims). */
  readonly dims: number;
  readonly stride: number;
  readonly queryRows: number;
  /** Rows [refBegin, refBegin + refRows) of the buffer `refs` are visited. */
  readonly refBegin: number;
  readonly refRows: number;
  /** Row index that row 0 of the buffer `refs` has in the whole reference set. */
  readonly refOffset: number;
  /**
   * How the GPU goes about it; the lists are the same. 0 or nothing: the values of all pairs go to scratch. 8, 16, 32 or 64: of the
   * first references only; then pairs that pass the threshold are noted, and where too many do, the least low and high end
   * of every so many references, and the groups that matter are computed again.
   */
  readonly group?: number | undefined;
  /**
   * With groups: how many references' values are stored; default knnFirstRows(k). With 0 no pairs are noted. A history stores
   * none, and needs no groups.
   */
  readonly first?: number | undefined;
  /** With groups: pairs of a query that can be noted; default knnAppendRoom(k). Of a history as many as the list holds. */
  readonly room?: number | undefined;
}

/**
 * queries    f32 [queryRows][stride]            queryMeta  f32 [queryRows][4]
 * refs       f32 [..][stride]                   refMeta    f32 [..][4]
 * heads      u32 [queryRows][2]: count; float32 bits of the k-th smallest high end (meaningful once count >= k)
 * candidates u32 [queryRows][capacity]: row indices in the whole reference set
 * intervals  f32 [queryRows][capacity][2]: low, high
 * scratch    knnFilterScratchBytes(...) bytes; only the GPU needs it
 */
export type KnnFilterBinding =
  "queries" | "queryMeta" | "refs" | "refMeta" | "heads" | "candidates" | "intervals" | "scratch";

/**
 * Bytes of scratch: f32 [queryRows][refRows rounded up to 4]. With groups or a history values of the first references, or the largest of
 * what follows five words for each query, a count and its limit and meta: pairs noted, u32 [queryRows][knnAppendRoom][3]; minima, u32 [queryRows][1 + groups][2]
 * and behind them u32 [queryRows][knnWaitingRoom][3].
 */
export function knnFilterScratchBytes(params: KnnScratchParams): number {
  const { queryRows, refRows, k, group = 0, history = false } = params;
  if (group === 0 && !history) return queryRows * Math.ceil(refRows / 4) * 16;
  const { first, room } = knnRooms(params);
  const values = Math.ceil(Math.min(refRows, first) / 4) * 16;
  const minima = history ? 0 : knnGroupPitch(refRows, group) * 8 + knnWaitingRoom(k) * 12;
  const appended = room * 12;
  return queryRows * Math.max(values, 20 + minima, 20 + appended) + 16;
}

type KnnScratchParams = Pick<KnnFilterParams, "queryRows" | "refRows" | "k" | "group"> & KnnRoomParams;

type KnnRoomParams = Pick<KnnFilterParams, "k" | "first" | "room" | "history"> & {
  readonly capacity?: number;
};

/** References whose values are stored, and pairs that can be noted: as given, or their defaults. */
export function knnRooms({ k, history = false, capacity = k, first, room }: KnnRoomParams): {
  readonly first: number;
  readonly room: number;
} {
  if (history) return { first: 0, room: capacity };
  return { first: first ?? knnFirstRows(k), room: room ?? knnAppendRoom(k) };
}

/** The minima of a query, and one entry before them for what was chosen among them. */
export function knnGroupPitch(refRows: number, group: number): number {
  return 1 + Math.ceil(refRows / group);
}

/** Pairs of a query that may wait to be merged into its list: enough to select k among, and for those of a workgroup. */
export function knnWaitingRoom(k: number): number {
  return Math.max(512, 2 * k + 256);
}

/** References whose values are all stored before others are compared with a threshold. */
export function knnFirstRows(k: number): number {
  return Math.max(4096, 6 * k);
}

/** References that a history begins with; from then on it is taken further by as many as it has seen. */
export function knnHistoryRows(k: number): number {
  return Math.max(16, k);
}

/** Pairs of a query for which there is room when they pass its threshold. */
export function knnAppendRoom(k: number): number {
  return Math.max(2048, Math.ceil(3.2 * k));
}
