/**
 * This module cuts text that comes in pieces into the texts of rows: here its lines; objects.ts has those of
 * a list.
 */
import { InvalidInputError } from "../../core/errors.ts";

/** A line has at most this many characters; no honest one is longer. */
export const MAX_LINE_CHARS = 1 << 27;

export interface TextSplitter {
  /** Takes a piece; yields wherever the reader has something to do before the next row. */
  push(text: string): Generator<undefined, void>;
  end(): void;
}

/** Cuts text that comes in pieces into lines that are not blank, with their numbers from 1. */
export class LineSplitter implements TextSplitter {
  readonly #file: string;
  readonly #onLine: (text: string, line: number) => boolean;
  #pieces: string[] = [];
  #chars = 0;
  #line = 1;

  /** @param onLine returns true where the reader has something to do before the next line */
  constructor(file: string, onLine: (text: string, line: number) => boolean) {
    this.#file = file;
    this.#onLine = onLine;
  }

  *push(text: string): Generator<undefined, void> {
    let begin = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", begin)) {
      this.#pieces.push(text.slice(begin, end));
      if (this.#flush()) yield;
      begin = end + 1;
    }
    this.#pieces.push(text.slice(begin));
    this.#chars += text.length - begin;
    if (this.#chars <= MAX_LINE_CHARS) return;
    throw new InvalidInputError(`is longer than ${MAX_LINE_CHARS} characters; expected one object per line`, {
      file: this.#file,
      line: this.#line,
    });
  }

  end(): void {
    this.#flush();
  }

  #flush(): boolean {
    const text = this.#pieces.length === 1 ? this.#pieces[0] : this.#pieces.join("");
    this.#pieces = [];
    this.#chars = 0;
    const line = this.#line++;
    return text.trim() !== "" && this.#onLine(text, line);
  }
}
