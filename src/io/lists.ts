/**
 * These are append-only lists for data whose length is known only at the end of a file. They are compact:
 * typed memory that doubles.
 */

/**
 * A list has no memory before its first number, and then room for a few: a file may have 100,000 columns and
 * hardly a row, and a column has several lists.
 */
const FIRST_CAPACITY = 8;

/** A list holds numbers; `make` allocates so many zeros, of which `none` has none. */
export class NumberList<T extends Float64Array | Uint32Array | Uint8Array> {
  /** The list has this length, which may be set to less, which keeps the memory for more. */
  length = 0;
  readonly #make: (length: number) => T;
  #items: T;

  constructor(make: (length: number) => T, none: T) {
    this.#make = make;
    this.#items = none;
  }

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = this.#make(Math.max(FIRST_CAPACITY, 2 * this.length));
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length++] = value;
  }

  at(index: number): number {
    return this.#items[index];
  }

  /** Returns a copy of the right length. */
  toArray(): T {
    const exact = this.#make(this.length);
    exact.set(this.#items.subarray(0, this.length));
    return exact;
  }
}

const float64s = (length: number) => new Float64Array(length);
const uint32s = (length: number) => new Uint32Array(length);
const uint8s = (length: number) => new Uint8Array(length);
const [noFloat64s, noUint32s, noUint8s] = [float64s(0), uint32s(0), uint8s(0)];

export const float64List = () => new NumberList(float64s, noFloat64s);
export const uint32List = () => new NumberList(uint32s, noUint32s);
export const uint8List = () => new NumberList(uint8s, noUint8s);

/** An entry of a Map and the head of its string take so many bytes. */
const WIDE_BYTES = 80;

/**
 * Keeps the texts of some rows, appended in ascending row order; a character takes a byte where Latin-1
 * suffices.
 */
export class SparseTexts {
  readonly #rows = uint32List();
  readonly #ends = uint32List();
  readonly #bytes = uint8List();
  readonly #wide = new Map<number, string>();
  #wideBytes = 0;

  /** Returns the bytes that the texts take. */
  get bytes(): number {
    return 8 * this.#rows.length + this.#bytes.length + this.#wideBytes;
  }

  push(row: number, text: string): void {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0xff) this.#wide.set(row, text);
      this.#bytes.push(unit);
    }
    if (this.#wide.has(row)) this.#wideBytes += WIDE_BYTES + 2 * text.length;
    this.#rows.push(row);
    this.#ends.push(this.#bytes.length);
  }

  get(row: number): string | undefined {
    const at = lastAtMost(this.#rows, row);
    if (at < 0 || this.#rows.at(at) !== row) return undefined;
    const wide = this.#wide.get(row);
    if (wide !== undefined) return wide;
    let text = "";
    for (let byte = at === 0 ? 0 : this.#ends.at(at - 1); byte < this.#ends.at(at); byte++) {
      text += String.fromCharCode(this.#bytes.at(byte));
    }
    return text;
  }
}

/**
 * Keeps a number for each index that changes rarely, such as how far line numbers run ahead of row numbers.
 */
export class RunList {
  readonly #starts = uint32List();
  readonly #values = uint32List();

  /** Sets the value from `index` on to `value`. Indices ascend. */
  push(index: number, value: number): void {
    const { length } = this.#values;
    if (length > 0 && this.#values.at(length - 1) === value) return;
    this.#starts.push(index);
    this.#values.push(value);
  }

  get(index: number): number {
    return this.#values.at(lastAtMost(this.#starts, index));
  }
}

/** Returns the index of the last item of an ascending list that is at most `value`, or -1. */
function lastAtMost(ascending: NumberList<Uint32Array>, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending.at(middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
