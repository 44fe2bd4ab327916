/**
 * This module remembers where numbers lie besides memory, or instead of it, such as in a file: another thread
 * can fetch them from there while this one, which would have to read or to copy them, does something else.
 */
import type { NumericArray } from "./matrix.ts";
import type { MatrixStream } from "./matrixStream.ts";

/** Fills `target`, which must not go away meanwhile, with bytes from byte `begin` on. */
export type Fetch = (target: Uint8Array, begin: number) => Promise<void>;

/** Origins are kept by the array itself, so that no array that was made of it is taken for it. */
const origins = new WeakMap<NumericArray, Fetch>();

export function makeFetchable(data: NumericArray, fetch: Fetch): void {
  origins.set(data, fetch);
}

export function fetchOf(data: NumericArray): Fetch | undefined {
  return origins.get(data);
}

/**
 * All rows of a stream, one after the other in the type of its chunks, which can be fetched at any time and
 * in any order.
 */
export interface FetchableRows {
  readonly rows: number;
  readonly cols: number;
  /** The data of chunks have this constructor. */
  readonly type: unknown;
  readonly fetch: Fetch;
}

/**
 * Places are kept by the `chunks` of a stream, so that one that changes what it hands on is not taken for it.
 */
const places = new WeakMap<MatrixStream["chunks"], FetchableRows>();

export function makeRowsFetchable({ chunks }: Pick<MatrixStream, "chunks">, rows: FetchableRows): void {
  places.set(chunks, rows);
}

export function fetchableRowsOf({ chunks }: Pick<MatrixStream, "chunks">): FetchableRows | undefined {
  return places.get(chunks);
}
