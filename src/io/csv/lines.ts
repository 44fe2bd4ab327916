/**
 * This module reads CSV records whose cells stay where they are in the text: numbers are read from there, and
 * only who asks for a cell's text makes a string of it, which takes longer than all the rest. It reads what
 * files usually hold; whatever is unusual about a quote is left to PapaParse (records.ts), which also says
 * what is wrong.
 */
import { isFractionIn, shortNumberIn, shortestNumberIn, type Decimal } from "../number.ts";

/** It has the cells of one record, numbered from 0. They are good until the next record is read. */
export interface RecordCells {
  readonly count: number;
  text(cell: number): string;
  /** Returns all cells, for the caller to keep. */
  texts(): string[];
  /** Returns the first UTF-16 unit; NaN of an empty cell. */
  first(cell: number): number;
  /** Returns the number of a short text, or NaN (shortNumberIn). */
  short(cell: number, decimal: Decimal): number;
  /** Returns the short number that is printed as the text, or NaN. */
  shortest(cell: number, decimal: Decimal): number;
  /** Returns true where the text is a number with digits behind the separator, of any length. */
  isFraction(cell: number, decimal: Decimal): boolean;
}

/** Gives cells that are strings already. */
export class TextCells implements RecordCells {
  readonly #texts: string[];

  constructor(texts: string[]) {
    this.#texts = texts;
  }

  get count(): number {
    return this.#texts.length;
  }

  text(cell: number): string {
    return this.#texts[cell];
  }

  texts(): string[] {
    return this.#texts;
  }

  first(cell: number): number {
    return this.#texts[cell].charCodeAt(0);
  }

  short(cell: number, decimal: Decimal): number {
    const text = this.#texts[cell];
    return shortNumberIn(text, 0, text.length, decimal);
  }

  shortest(cell: number, decimal: Decimal): number {
    const text = this.#texts[cell];
    return shortestNumberIn(text, 0, text.length, decimal);
  }

  isFraction(cell: number, decimal: Decimal): boolean {
    const text = this.#texts[cell];
    return isFractionIn(text, 0, text.length, decimal);
  }
}

const [LF, CR, QUOTE] = [10, 13, 34];

/**
 * A record has at most so many cells. A header has fewer (MOST_TEXT_COLUMNS); a line of delimiters alone must
 * not take memory for each.
 */
export const MOST_CELLS = 2 ** 20;

/** Reads a text from its start, record by record; of the last one it holds the cells. */
export class LineCells implements RecordCells {
  count = 0;
  /** The last record ends here, after its line end; 0 before the first. */
  end = 0;
  /** The last record has this many line feeds. */
  lines = 0;
  /** The next record is not one to read here. */
  unusual = false;
  /** The record has more cells than MOST_CELLS, of which the first are held. */
  overfull = false;
  readonly #delimiter: number;
  #text = "";
  /** It is the last line feed that was looked for, or the length of the text where there is none. */
  #feed = -1;
  #begins = new Int32Array(64);
  #ends = new Int32Array(64);
  /** Holds quotes that are written twice. */
  #doubled = new Uint8Array(64);

  /** @param delimiter one UTF-16 unit */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  start(text: string): void {
    this.#text = text;
    this.end = 0;
    this.unusual = false;
    this.#feed = -1;
  }

  /**
   * Reads the next record. Returns false when no further record is complete, or the next one is unusual or
   * overfull. Lines end with LF, or CR and LF.
   */
  next(): boolean {
    const text = this.#text;
    const { length } = text;
    const delimiter = this.#delimiter;
    let at = this.end;
    this.count = 0;
    this.lines = 1;
    this.overfull = false;
    while (at < length) {
      let unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        at = this.#quoted(at);
        if (at < 0) return false;
        unit = text.charCodeAt(at);
      } else {
        const begin = at;
        while (unit !== delimiter && unit !== LF) {
          if (++at === length) return false;
          unit = text.charCodeAt(at);
        }
        const returned = unit === LF && at > begin && text.charCodeAt(at - 1) === CR;
        this.#add(begin, returned ? at - 1 : at, 0);
      }
      at++;
      if (this.overfull) return false;
      if (unit !== LF) continue;
      this.end = at;
      return true;
    }
    return false;
  }

  /** Adds the quoted cell that starts there. @returns where the delimiter or the LF behind it is, or -1 */
  #quoted(begin: number): number {
    const text = this.#text;
    let close = text.indexOf('"', begin + 1);
    let doubled = 0;
    while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) {
      doubled = 1;
      close = text.indexOf('"', close + 2);
    }
    let after = close + 1;
    if (text.charCodeAt(after) === CR) after++;
    if (close < 0 || after >= text.length) return -1;
    const unit = text.charCodeAt(after);
    if (unit !== LF && (unit !== this.#delimiter || after > close + 1)) {
      this.unusual = true;
      return -1;
    }
    for (let feed = this.#feedFrom(begin); feed < close; feed = this.#feedFrom(feed + 1)) this.lines++;
    this.#add(begin + 1, close, doubled);
    return after;
  }

  /**
   * Finds the first line feed from there on. It is looked for once, not by every cell before it: a line may
   * have a million.
   */
  #feedFrom(at: number): number {
    if (this.#feed < at) {
      const found = this.#text.indexOf("\n", at);
      this.#feed = found < 0 ? this.#text.length : found;
    }
    return this.#feed;
  }

  #add(begin: number, end: number, doubled: number): void {
    if (this.count === this.#begins.length) {
      if (this.count === MOST_CELLS) {
        this.overfull = true;
        return;
      }
      this.#grow();
    }
    const cell = this.count++;
    this.#begins[cell] = begin;
    this.#ends[cell] = end;
    this.#doubled[cell] = doubled;
  }

  #grow(): void {
    const [begins, ends, doubled] = [this.#begins, this.#ends, this.#doubled];
    this.#begins = new Int32Array(2 * begins.length);
    this.#ends = new Int32Array(2 * begins.length);
    this.#doubled = new Uint8Array(2 * begins.length);
    this.#begins.set(begins);
    this.#ends.set(ends);
    this.#doubled.set(doubled);
  }

  text(cell: number): string {
    const text = this.#text.slice(this.#begins[cell], this.#ends[cell]);
    return this.#doubled[cell] === 0 ? text : text.replaceAll('""', '"');
  }

  texts(): string[] {
    return Array.from({ length: this.count }, (_, cell) => this.text(cell));
  }

  first(cell: number): number {
    const begin = this.#begins[cell];
    return begin === this.#ends[cell] ? NaN : this.#text.charCodeAt(begin);
  }

  short(cell: number, decimal: Decimal): number {
    return shortNumberIn(this.#text, this.#begins[cell], this.#ends[cell], decimal);
  }

  shortest(cell: number, decimal: Decimal): number {
    return shortestNumberIn(this.#text, this.#begins[cell], this.#ends[cell], decimal);
  }

  isFraction(cell: number, decimal: Decimal): boolean {
    return isFractionIn(this.#text, this.#begins[cell], this.#ends[cell], decimal);
  }
}
