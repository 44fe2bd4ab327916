/**
 * This module has the types and cells of a batch as flechette gives them, and holds the number of cells that
 * a file claims against the bytes that there are. It reads no cell.
 */
import type { ArrowType } from "./table.ts";

/** The Arrow format's Type has these numbers; flechette adds that of dictionaries. */
export const TYPES = {
  DICTIONARY: -1,
  NULL: 1,
  INT: 2,
  FLOAT: 3,
  UTF8: 5,
  BOOL: 6,
  DECIMAL: 7,
  DATE: 8,
  TIME: 9,
  TIMESTAMP: 10,
  LARGE_UTF8: 20,
  UTF8_VIEW: 24,
} as const satisfies Readonly<Record<string, number>>;

/** Flechette describes a type so. */
export interface TypeFacts extends ArrowType {
  readonly bitWidth?: number;
  readonly signed?: boolean;
  readonly dictionary?: TypeFacts;
}

/** Flechette gives a column of one batch so. */
export interface ArrowCells {
  readonly length: number;
  readonly nullCount: number;
  readonly validity?: Uint8Array;
  readonly values?: ArrayLike<unknown> & Partial<ArrayBufferView>;
  readonly offsets?: ArrayLike<number | bigint> & Partial<ArrayBufferView>;
  /** Views point into these bytes. */
  readonly data?: readonly Uint8Array[];
  at(row: number): unknown;
}

export const VIEW_BYTES = 16;
/** Columns without values have no byte for each cell, and at most so many cells. */
const MOST_BARE_CELLS = 2 ** 20;

/** Returns the number of cells that there are bytes for; Infinity for columns that need none. */
export function capacityOf({ values, offsets }: ArrowCells, { typeId, bitWidth = 128 }: TypeFacts): number {
  if (typeId === TYPES.NULL) return Infinity;
  if (offsets !== undefined) return Math.max(0, offsets.length - 1);
  if (values === undefined) return Infinity;
  const bytes = values.byteLength ?? 0;
  if (typeId === TYPES.BOOL) return 8 * bytes;
  if (typeId === TYPES.DECIMAL) return Math.floor((8 * bytes) / bitWidth);
  return typeId === TYPES.UTF8_VIEW ? Math.floor(bytes / VIEW_BYTES) : values.length;
}

/** @throws Error for more rows than there are bytes for */
export function checkLength(what: string, rows: number, capacity: number): void {
  const most = capacity === Infinity ? MOST_BARE_CELLS : capacity;
  if (!(rows >= 0 && rows <= most)) throw new Error(`${what} claims ${rows} rows and has bytes for ${most}`);
}
