/**
 * This module keeps the dictionaries of an Arrow file, one for each id, while it is read: a dictionary batch
 * replaces the one of its id or adds to it, so that each is decoded once and replaced ones are let go.
 * flechette asks here for the dictionaries of its columns (scripts/build.mjs puts that into it).
 */
import { capacityOf, checkLength, TYPES, VIEW_BYTES, type ArrowCells, type TypeFacts } from "./cells.ts";

/** Flechette gives a dictionary batch so. */
interface DictionaryBatch {
  readonly id: number;
  readonly isDelta: boolean;
  readonly body: Uint8Array;
}

/** Flechette finds this dictionary for a column. */
interface ArrowDictionary {
  /** Returns the value of a code. */
  at(code: number | bigint): unknown;
}

export class ArrowDictionaries {
  /** The dictionaries that are kept take so many bytes, those of their texts included. */
  bytes = 0;
  readonly #byId = new Map<number, Values>();

  get(id: number): ArrowDictionary {
    return this.#byId.get(id) ?? new Values();
  }

  /**
   * Keeps a dictionary batch, of which nothing is decoded before it is used.
   * @throws Error where it claims more values than it has bytes for
   */
  keep({ id, isDelta, body }: DictionaryBatch, cells: ArrowCells, type: TypeFacts): void {
    checkLength("a dictionary", cells.length, capacityOf(cells, type));
    const bytes = Math.max(body.length, bufferBytes(cells)) + textBytes(cells, type);
    const known = isDelta ? this.#byId.get(id) : new Values();
    if (known === undefined) throw new Error(`dictionary ${id} is added to before it is there`);
    if (!isDelta) this.bytes -= this.#byId.get(id)?.bytes ?? 0;
    this.bytes += bytes;
    known.add(cells, bytes);
    this.#byId.set(id, known);
  }
}

class Values implements ArrowDictionary {
  bytes = 0;
  readonly #decoded: unknown[] = [];
  #waiting: ArrowCells[] = [];

  add(cells: ArrowCells, bytes: number): void {
    this.#waiting.push(cells);
    this.bytes += bytes;
  }

  at(code: number | bigint): unknown {
    if (this.#waiting.length > 0) this.#decode();
    const at = Number(code);
    if (!(at >= 0 && at < this.#decoded.length))
      throw new Error(`a cell has the code ${code}, but its dictionary ${this.#decoded.length} values`);
    return this.#decoded[at];
  }

  #decode(): void {
    for (const cells of this.#waiting)
      for (let row = 0; row < cells.length; row++) this.#decoded.push(cells.at(row));
    this.#waiting = [];
  }
}

function bufferBytes({ validity, values, offsets, data = [] }: ArrowCells): number {
  return [validity, values, offsets, ...data].reduce((sum, buffer) => sum + (buffer?.byteLength ?? 0), 0);
}

/** Returns the bytes of all texts, which may lie over one another in the file and are apart once decoded. */
function textBytes({ length, values, offsets }: ArrowCells, { typeId }: TypeFacts): number {
  let sum = 0;
  if (typeId === TYPES.UTF8_VIEW && values?.buffer !== undefined) {
    const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
    for (let row = 0; row < length; row++) sum += view.getUint32(VIEW_BYTES * row, true);
  } else if (offsets !== undefined) {
    for (let row = 0; row < length; row++) {
      const bytes = Number(offsets[row + 1]) - Number(offsets[row]);
      if (!(bytes >= 0)) throw new Error(`value ${row} of a dictionary ends before it begins`);
      sum += bytes;
    }
  }
  return sum;
}
