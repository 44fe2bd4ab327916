/**
 * Sorts arrays of the host on a device with a memory of its own: rows that fit a piece in a stream of pieces,
 * each longer row in blocks (blocks/plan.ts). What comes back as runs is merged here. sort.ts has checked the
 * arguments.
 */
import type { Device } from "../../runtime/device.ts";
import { runProgram, runStream, type ArrayOptions } from "../../runtime/onArrays.ts";
import { pieceBytes } from "../../runtime/stream.ts";
import { blockProgram, planBlocks } from "./blocks/plan.ts";
import { keyWords, rowBegin, type KeyArray, type SortParams } from "./contract.ts";
import { mergeRuns, type CarriedValues } from "./merge.ts";
import { pieceOf, sortStream } from "./plan.ts";

export interface SortTuning {
  /** A piece has at most this many keys; longer rows then come back in runs of so many keys. */
  readonly piece?: number | undefined;
  /** Keys of a block at most; longer rows are sorted in blocks. */
  readonly block?: number | undefined;
}

export type SortArrays = Readonly<Record<"keys" | "sortedKeys", KeyArray>> &
  Readonly<Partial<Record<"values" | "sortedValues", ArrayBufferView>>>;

type Options = ArrayOptions & { readonly tuning?: SortTuning | undefined };

export async function sortOnDevice(
  device: Device,
  params: SortParams,
  arrays: SortArrays,
  options: Options,
): Promise<void> {
  for (const { first, last, isLong } of rowsOf(params, (count) =>
    needsBlocks(device, params, count, options),
  )) {
    const [begin, end] = [rowBegin(params, first), rowBegin(params, last)];
    if (begin === end) continue;
    const words = keyWords(params.type);
    const some = (array: ArrayBufferView | undefined, words = 1) =>
      array && wordsOf(array, begin * words, end * words);
    const rowWords: RowWords = {
      keys: some(arrays.keys, words)!,
      values: params.values === "given" ? some(arrays.values) : undefined,
      sorted: { keys: some(arrays.sortedKeys, words)!, values: some(arrays.sortedValues) },
    };
    const { offsets } = params;
    const part: SortParams = {
      ...params,
      count: end - begin,
      rows: last - first,
      offsets: isLong ? undefined : offsets?.subarray(first, last + 1),
    };
    await (isLong ? inBlocks : inPieces)(device, part, rowWords, options);
  }
}

/** It has the keys and values of some rows, and where they go, as words. */
interface RowWords {
  readonly keys: Uint32Array;
  readonly values: Uint32Array | undefined;
  readonly sorted: CarriedValues;
}

/** Rows [first, last) are sorted in a stream, or are one that is long. */
interface SortedRows {
  readonly first: number;
  readonly last: number;
  readonly isLong: boolean;
}

function rowsOf(params: SortParams, isLong: (count: number) => boolean): SortedRows[] {
  const { rows, offsets, count } = params;
  if (!offsets && (rows <= 1 || !isLong(count / rows))) {
    return [{ first: 0, last: rows, isLong: rows === 1 && isLong(count) }];
  }
  const parts: SortedRows[] = [];
  let first = 0;
  for (let row = 0; row < rows; row++) {
    if (!isLong(rowBegin(params, row + 1) - rowBegin(params, row))) continue;
    if (row > first) parts.push({ first, last: row, isLong: false });
    parts.push({ first: row, last: row + 1, isLong: true });
    first = row + 1;
  }
  return first < rows ? [...parts, { first, last: rows, isLong: false }] : parts;
}

/** Says whether a row is too long for a piece of a stream. */
function needsBlocks(device: Device, params: SortParams, count: number, { tuning }: Options): boolean {
  if (tuning?.block !== undefined) return count > tuning.block;
  if (tuning?.piece !== undefined) return false;
  const { total, largest } = sortStream({ ...params, count, rows: 1, offsets: undefined }).bytes(count);
  return total > pieceBytes(device.info) || largest > device.info.bufferBytes;
}

/** Sorts a row in blocks, and merges what comes back as runs. */
async function inBlocks(
  device: Device,
  params: SortParams,
  rowWords: RowWords,
  options: Options,
): Promise<void> {
  const { runs } = await runProgram(
    device,
    blockProgram(params),
    planBlocks(device.info, params, options.tuning?.block),
    arraysOf(rowWords),
    ({ begin, base }, downloads) => deliver(params, rowWords, downloads, begin, base),
    options,
    {
      technique: "in blocks that are uploaded, sorted, merged by merge path there and downloaded",
      why: "a row is longer than a piece",
    },
  );
  await merged(device, params, rowWords, [...runs, params.count], options);
}

/** Sorts rows in pieces, and merges those that are runs of one row. */
async function inPieces(
  device: Device,
  params: SortParams,
  rowWords: RowWords,
  options: Options,
): Promise<void> {
  /** The runs of each row that was cut: where they begin. */
  const runs = new Map<number, number[]>();
  const { offsets } = params;
  await runStream(
    device,
    sortStream(params),
    undefined,
    { ...arraysOf(rowWords), ...(offsets && { offsets }) },
    ({ begin, end }, downloads) => {
      const { first, isRun } = pieceOf(params, begin, end);
      if (isRun && !runs.get(first)?.push(begin)) runs.set(first, [begin]);
      return deliver(params, rowWords, downloads, begin, begin, rowBegin(params, first));
    },
    options,
    options.tuning?.piece,
  );
  for (const [row, begins] of runs) {
    await merged(device, params, rowWords, [...begins, rowBegin(params, row + 1)], options);
  }
}

function arraysOf({ keys, values }: RowWords): Readonly<Record<string, Uint32Array>> {
  return { keys, ...(values && { values }) };
}

/**
 * Writes what came back, from key `begin` on, of a run from `base` on; places count from the row's beginning.
 */
function deliver(
  params: SortParams,
  { sorted }: RowWords,
  downloads: ReadonlyMap<string, ArrayBuffer>,
  begin: number,
  base: number,
  row = 0,
): Promise<void> {
  sorted.keys.set(new Uint32Array(downloads.get("keys")!), begin * keyWords(params.type));
  if (!sorted.values) return Promise.resolve();
  const values = new Uint32Array(downloads.get("values")!);
  const before = params.values === "indices" ? base - row : 0;
  if (before > 0) values.forEach((_, at) => (values[at] += before));
  sorted.values.set(values, begin);
  return Promise.resolve();
}

async function merged(
  device: Device,
  params: SortParams,
  { sorted }: RowWords,
  bounds: readonly number[],
  { device: given, signal }: Options,
): Promise<void> {
  if (bounds.length < 3) return;
  await mergeRuns(device, params, sorted, bounds, { keeps: given !== undefined, signal });
}

/** Views words [begin, end) of an array. */
function wordsOf({ buffer, byteOffset }: ArrayBufferView, begin: number, end: number): Uint32Array {
  return new Uint32Array(buffer, byteOffset + begin * 4, end - begin);
}
