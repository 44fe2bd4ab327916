/**
 * Plans how `sort` goes over arrays in pieces: some whole rows, or a run of a row that is longer than a
 * piece; the host merges such runs (merge.ts). It is pure.
 */
import type { BufferSpec } from "../../runtime/source.ts";
import { run, type RunStep } from "../../runtime/primitive.ts";
import { bytesOf, type Stream } from "../../runtime/stream.ts";
import { keyBytes, keyWords, MAX_SORTED, rowBegin, type SortBinding, type SortParams } from "./contract.ts";
import { scratchWords } from "./layout.ts";
import { leastTile } from "./policy.ts";
import { sortPrimitive } from "./primitive.ts";

/** A piece holds a part of the keys: rows [first, last) of them, of which a run is one. */
export interface SortPiece {
  readonly begin: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
  /** The piece is part of a row. */
  readonly isRun: boolean;
}

/** Makes the stream. Its units are keys. */
export function sortStream(params: SortParams): Stream<undefined> {
  const words = keyWords(params.type);
  return {
    phase: "sort",
    units: params.count,
    step: 1,
    bytes: (count) => bytesOf(buffersOf(params, count, params.rows + 1)),
    cost: (count) => workOf({ ...params, count }),
    cut: (begin, end) => cutRows(params, begin, Math.min(end, begin + MAX_SORTED)),
    segment: (begin, end) => {
      const piece = pieceOf(params, begin, end);
      const part = partOf(params, piece);
      const { first, last } = piece;
      return {
        label: `keys ${begin}-${end - 1}`,
        buffers: buffersOf(part, part.count, last - first + 1),
        steps: [
          upload("keys", begin * words, end * words),
          ...(params.values === "given" ? [upload("values", begin, end)] : []),
          ...(part.offsets ? [upload("offsets", first, last + 1)] : []),
          sortStep(part),
          { kind: "download", from: "sortedKeys", as: "keys", bytes: part.count * words * 4 },
          ...(params.values === "none"
            ? []
            : [{ kind: "download" as const, from: "sortedValues", as: "values", bytes: part.count * 4 }]),
        ],
      };
    },
  };
}

function upload(name: SortBinding, begin: number, end: number) {
  return { kind: "upload", to: name, source: name, part: "words", rows: { begin, end } } as const;
}

/** Returns the row that holds a key; of empty rows beside it none. */
function rowOf(params: SortParams, key: number): number {
  let [low, high] = [0, params.rows];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (rowBegin(params, middle) <= key) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns where a piece from `begin` on must end: with a row, unless one row is all that it holds. */
function cutRows(params: SortParams, begin: number, end: number): number {
  const row = rowOf(params, begin);
  const own = rowBegin(params, row + 1);
  if (rowBegin(params, row) < begin || own >= end) return Math.min(own, end);
  return end === params.count ? end : rowBegin(params, rowOf(params, end));
}

export function pieceOf(params: SortParams, begin: number, end: number): SortPiece {
  const first = rowOf(params, begin);
  const last = rowOf(params, end - 1) + 1;
  const isRun = rowBegin(params, first) < begin || rowBegin(params, last) > end;
  return { begin, end, first, last, isRun };
}

/** Returns a piece as a sort of its own. */
function partOf(params: SortParams, { begin, end, first, last, isRun }: SortPiece): SortParams {
  const count = end - begin;
  if (isRun) return { ...params, count, rows: 1, offsets: undefined };
  return { ...params, count, rows: last - first, offsets: params.offsets?.subarray(first, last + 1) };
}

function buffersOf(params: SortParams, count: number, offsets: number): BufferSpec[] {
  const keys = keyBytes(count, keyWords(params.type));
  const values = keyBytes(count);
  return [
    { name: "keys", bytes: keys },
    { name: "sortedKeys", bytes: keys },
    { name: "scratchKeys", bytes: keys },
    ...(params.values === "given" ? [{ name: "values", bytes: values }] : []),
    ...(params.values === "none"
      ? []
      : [
          { name: "sortedValues", bytes: values },
          { name: "scratchValues", bytes: values },
        ]),
    ...(params.offsets ? [{ name: "offsets", bytes: offsets * 4 }] : []),
    { name: "scratch", bytes: scratchWords(count, leastTile(params.type)) * 4 },
  ];
}

export function sortStep(params: SortParams): RunStep {
  return run(sortPrimitive, { params, bindings: bindingsOf(params), cost: workOf(params) });
}

function bindingsOf({ values, offsets }: SortParams): Partial<Record<SortBinding, SortBinding>> {
  const names: SortBinding[] = ["keys", "sortedKeys", "scratch", "scratchKeys"];
  if (values === "given") names.push("values");
  if (values !== "none") names.push("sortedValues", "scratchValues");
  if (offsets) names.push("offsets");
  return Object.fromEntries(names.map((name) => [name, name]));
}

/** Estimates the work, some multiply-adds for each digit of a key. */
export function workOf({ type, count }: SortParams): number {
  return count * 64 * keyWords(type);
}
