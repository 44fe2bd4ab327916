/**
 * These are made-up rows, and the lists that searches of them leave: whoever times kernels of bytes, or looks
 * whether they are right, searches these. What is searched for with which kernel is the caller's choice.
 */
import { boundOf } from "../../../distance/bound/bound.ts";
import type { Session, Step } from "../../../runtime/backend.ts";
import { rowAt, rowCount, type HostSource } from "../../../runtime/source.ts";

const K = 10;
const CAPACITY = 16 * K;

/** It says how many of the rows are searched for, and among how many. */
export interface MadeShape {
  readonly dims: number;
  readonly queries: number;
  readonly refs: number;
}

/** Returns the parameters of `knn.filter` for a search of them. */
export function paramsOf({ dims, queries: queryRows, refs: refRows }: MadeShape) {
  return {
    ...{ core: "dot" as const, p: 0, weight: -2, slack: boundFor(dims).slack, cut: false, k: K },
    ...{ capacity: CAPACITY, dims, stride: dims, queryRows, refBegin: 0, refRows, refOffset: 0, group: 32 },
  };
}

/** Returns the bound of squared distances for rows whose entries are at most a half. */
export function boundFor(dims: number) {
  return boundOf({ core: "dot", dot: "squared", dims, p: 2, rounded: false, underflow: 0, largest: 0.5 })!;
}

/** The buffers of such a search are called as they are bound. */
export const bindings = {
  ...{ queries: "queries", queryMeta: "queryMeta", refs: "refs", refMeta: "refMeta" },
  ...{ heads: "heads", candidates: "candidates", intervals: "intervals", scratch: "scratch" },
};

export const clearLists: Step = { kind: "clear", buffer: "heads" };

export interface FilterLists {
  readonly heads: Uint32Array;
  readonly candidates: Uint32Array;
}

/** Returns the lists that a step leaves. */
export async function listsOf(session: Session, queries: number, step: Step): Promise<FilterLists> {
  const steps: Step[] = [
    ...[clearLists, step],
    { kind: "download", from: "heads", bytes: queries * 8 },
    { kind: "download", from: "candidates", bytes: queries * CAPACITY * 4 },
  ];
  const { downloads } = await session.run({ label: "lists of bytes", buffers: [], steps }, {});
  return {
    heads: new Uint32Array(downloads.get("heads")!),
    candidates: new Uint32Array(downloads.get("candidates")!),
  };
}

/** Tells whether lists hold the same rows, in any order. */
export function sameLists(a: FilterLists, b: FilterLists): boolean {
  for (let query = 0; query < a.heads.length / 2; query++) {
    const count = a.heads[2 * query];
    if (count !== b.heads[2 * query]) return false;
    const begin = query * CAPACITY;
    const [left, right] = [a, b].map(({ candidates }) => candidates.slice(begin, begin + count).sort());
    if (count <= CAPACITY && left.some((row, at) => row !== right[at])) return false;
  }
  return true;
}

/** Returns the steps that upload the first made-up rows as references, and those that follow as queries. */
export function uploads(queries: number, refs: number): readonly Step[] {
  const upload = (to: string, part: string, begin: number, end: number): Step => {
    return { kind: "upload", to, source: "made", part, rows: { begin, end } };
  };
  return [
    ...[upload("refs", "values", 0, refs), upload("refMeta", "meta", 0, refs)],
    ...[upload("queries", "values", refs, refs + queries)],
    ...[upload("queryMeta", "meta", refs, refs + queries)],
    { kind: "clear", buffer: "byteCentre" },
  ];
}

/** This many rows are made; the others have their columns moved on. */
const BLOCK = 4096;
/** Metas are rounded by less than this factor. */
const UP = 1 + 2 ** -20;

/** Makes rows of entries between -0.5 and 0.5. */
export function madeUp(dims: number, count: number): HostSource {
  const values = new Float32Array(BLOCK * dims);
  const metas = new Float32Array(BLOCK * 4);
  const { productFactor, marginFactor, marginConstant } = boundFor(dims);
  let state = 1;
  for (let row = 0, at = 0; row < BLOCK; row++) {
    let square = 0;
    for (const end = at + dims; at < end; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      values[at] = (state >>> 8) * 2 ** -24 - 0.5;
      square += values[at] ** 2;
    }
    const margin = (marginFactor * square + marginConstant) * UP;
    metas.set([square, productFactor * Math.sqrt(square) * UP, margin], 4 * row);
  }
  return {
    rows: count,
    rowBytes: (part) => (part === "meta" ? 16 : dims * 4),
    fill(part, rows, target) {
      const out = new Float32Array(target.buffer, target.byteOffset, target.byteLength >> 2);
      for (let i = 0; i < rowCount(rows); i++) {
        const row = rowAt(rows, i);
        const place = row % BLOCK;
        if (part === "meta") {
          out.set(metas.subarray(4 * place, 4 * place + 4), 4 * i);
        } else {
          const moved = Math.floor(row / BLOCK) % dims;
          const split = place * dims + moved;
          out.set(values.subarray(split, (place + 1) * dims), i * dims);
          out.set(values.subarray(place * dims, split), (i + 1) * dims - moved);
        }
      }
    },
  };
}
