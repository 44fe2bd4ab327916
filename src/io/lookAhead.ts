/**
 * This module looks at text before it is read, to find out the columns and their types. A source that can be
 * read again is looked at from end to end; of one that cannot, such as a pipe, the first characters are kept,
 * and they are all there is to see.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { TableChunkOptions } from "../table/stream.ts";
import { watched, type ByteSource } from "./bytes/source.ts";
import { Resumable } from "./bytes/resumable.ts";
import { decodeText } from "./bytes/utf8.ts";

/** So many characters are kept of a source that can be read only once. */
export const LOOK_CHARS = 1 << 23;

type Watching = Pick<TableChunkOptions, "signal" | "onProgress">;

export class LookAhead {
  readonly once: boolean;
  /** The look went from the first character to the last. */
  whole = false;
  readonly #source: ByteSource;
  readonly #encoding: string | undefined;
  readonly #lookChars: number;
  readonly #kept: string[] = [];
  #rest: Resumable<string> | undefined;
  #spent = false;

  /** @param lookChars for tests; it decides what is seen of a pipe. */
  constructor(source: ByteSource, encoding: string | undefined, lookChars = LOOK_CHARS) {
    this.#encoding = encoding;
    this.once = source.once ?? false;
    this.#source = source;
    this.#lookChars = lookChars;
  }

  /** Gives the text to look at; call it once, and go through to its end before read(). */
  async *look(watching: Watching): AsyncGenerator<string> {
    if (!this.once) {
      yield* decodeText(watched(this.#source, watching), this.#encoding);
      this.whole = true;
      return;
    }
    const text = new Resumable((signal) =>
      decodeText(watched(this.#source, { ...watching, signal }), this.#encoding),
    );
    this.#rest = text;
    let more = false;
    try {
      for (let chars = 0; chars < this.#lookChars;) {
        const { done, value } = await text.next(watching.signal);
        if (done === true) {
          this.whole = true;
          return;
        }
        this.#kept.push(value);
        chars += value.length;
        yield value;
      }
      more = true;
    } finally {
      // The look was left early, such as by an error in the text: nobody will read the rest.
      if (!more) await text.close(watching.signal);
    }
  }

  /** Gives all of the text from its start; a second time only where the source allows it. */
  async *read(watching: Watching): AsyncGenerator<string> {
    if (!this.once) {
      yield* decodeText(watched(this.#source, watching), this.#encoding);
      return;
    }
    if (this.#spent) {
      throw new InvalidInputError("can be read only once; put it into a file", { file: this.#source.name });
    }
    this.#spent = true;
    const rest = this.#rest;
    try {
      for (let piece = this.#kept.shift(); piece !== undefined; piece = this.#kept.shift()) {
        watching.signal?.throwIfAborted();
        yield piece;
      }
      while (rest !== undefined) {
        const { done, value } = await rest.next(watching.signal);
        if (done === true) return;
        yield value;
      }
    } finally {
      await rest?.close(watching.signal);
    }
  }
}
