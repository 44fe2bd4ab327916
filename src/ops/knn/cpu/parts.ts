/**
 * This cuts the references of a block of queries between workers, which visit them side by side: each part
 * continues a copy of the block's lists, and what the copies hold afterwards is merged into the lists that
 * one visit after the other would have left. filter.ts runs the visits.
 */
import { ceilDiv, spans } from "../../../core/math.ts";
import { bytesIn, HostBuffer, wordsOf } from "../../../runtime/cpu/buffers.ts";
import { NO_ROW } from "../../../distance/order.ts";
import type { KnnParams } from "./filterRequest.ts";

export const LISTS = ["heads", "candidates", "intervals"] as const;

/** These are the lists of a block, as `knn.filter` binds them. */
export type Lists = Readonly<Record<(typeof LISTS)[number], HostBuffer>>;

/** This is some queries, from `query` on, with their lists and the references that they visit. */
export interface Block {
  readonly params: KnnParams;
  readonly query: number;
  readonly lists: Lists;
}

/** Returns the lists of some of the queries, in place. */
export function listsAt(all: Lists, query: number, queryRows: number, capacity: number): Lists {
  const part = (name: keyof Lists, bytes: number) => all[name].part(query * bytes, queryRows * bytes);
  return {
    heads: part("heads", 8),
    candidates: part("candidates", capacity * 4),
    intervals: part("intervals", capacity * 8),
  };
}

/** Cuts the references of a call into ranges of `size`, the last one shorter. */
export function rangesOf(params: KnnParams, size: number): KnnParams[] {
  return spans(params.refRows, size).map(({ begin, end }) => ({
    ...params,
    refBegin: params.refBegin + begin,
    refRows: end - begin,
  }));
}

/** Cuts the references of a block, with a copy of its lists for each part. */
export function partsOf({ params, query, lists }: Block, parts: number, shared: boolean): Block[] {
  return rangesOf(params, ceilDiv(params.refRows, parts)).map((part) => ({
    params: part,
    query,
    lists: {
      heads: copyOf(lists.heads, shared),
      candidates: copyOf(lists.candidates, shared),
      intervals: copyOf(lists.intervals, shared),
    },
  }));
}

function copyOf(buffer: HostBuffer, shared: boolean): HostBuffer {
  const { name, bytes } = buffer;
  const copy = new HostBuffer(name, shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  copy.view(0, bytes).set(bytesIn(buffer.lend(0, bytes)));
  return copy;
}

/**
 * Merges the lists of the parts into those of their block.
 * @returns false, with nothing merged, where a list overflowed that one visit after the other may not
 *   overflow, since it knows lower limits
 */
export function mergeParts({ params, lists }: Block, parts: readonly Block[]): boolean {
  const { queryRows, capacity } = params;
  const counts = wordsOf(lists.heads.address, 0, 2 * queryRows);
  const living = Array.from({ length: queryRows }, (_, i) => i).filter((i) => counts[2 * i] <= capacity);
  const overflows = parts.some(({ lists: { heads } }) => {
    const words = wordsOf(heads.address, 0, 2 * queryRows);
    return living.some((i) => words[2 * i] > capacity);
  });
  if (!overflows) for (const query of living) mergeLists(params, query, lists, parts);
  return !overflows;
}

/** An entry of a list is a row and the two ends of its interval. */
type Entry = readonly [number, number, number];

function mergeLists(
  { k, capacity, cut, refOffset }: KnnParams,
  query: number,
  lists: Lists,
  parts: readonly Block[],
): void {
  const limits = parts.map(({ lists }) => floatsAt(lists.heads, 2 * query + 1, 1)[0]);
  // Every list with k entries has a limit that is no lower than that of all; the others have Infinity.
  const limit = Math.min(...limits);
  const entries = parts.flatMap(({ params: { refBegin }, lists }, part): Entry[] => {
    const [count] = wordsOf(lists.heads.address, 2 * query, 1);
    const rows = wordsOf(lists.candidates.address, query * capacity, count);
    const ends = floatsAt(lists.intervals, 2 * query * capacity, 2 * count);
    const begin = refOffset + refBegin;
    // What the lists held before is in all of them: only the first part brings it.
    return Array.from(rows, (row, i): Entry => [row, ends[2 * i], ends[2 * i + 1]]).filter(
      ([row, low]) => low <= limit && (part === 0 || (row >= begin && row !== NO_ROW)),
    );
  });
  const highs = Float32Array.from(entries, ([, , high]) => high).sort();
  const kth = highs.length < k ? Infinity : highs[k - 1];
  const kept = cut ? nearest(entries, k, kth) : entries.filter(([, low]) => low <= kth);
  const fits = kept.length <= capacity;
  wordsOf(lists.heads.address, 2 * query, 1)[0] = kept.length;
  floatsAt(lists.heads, 2 * query + 1, 1)[0] = fits ? kth : -Infinity;
  if (!fits) return;
  wordsOf(lists.candidates.address, query * capacity, kept.length).set(kept.map(([row]) => row));
  floatsAt(lists.intervals, 2 * query * capacity, 2 * kept.length).set(kept.flatMap(([, ...ends]) => ends));
}

/** Returns the entries of the k smallest values, of those equal to the k-th the first. */
function nearest(entries: readonly Entry[], k: number, kth: number): Entry[] {
  let ties = k - entries.filter(([, , high]) => high < kth).length;
  return entries.filter(([, , high]) => high < kth || (high === kth && ties-- > 0));
}

function floatsAt({ address }: HostBuffer, begin: number, length: number): Float32Array {
  return new Float32Array(address.buffer, address.byteOffset + 4 * begin, length);
}
