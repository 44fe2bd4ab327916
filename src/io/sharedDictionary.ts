/**
 * These are the dictionaries that the chunks of a stream share, under one budget: they are the only part of a
 * stream that grows with the file.
 */
import { InvalidInputError } from "../core/errors.ts";
import { Dictionary } from "../table/dictionary.ts";
import type { ColumnSchema } from "../table/stream.ts";
import { DEFAULT_BYTES } from "./bytes/budget.ts";

export interface SharedDictionary {
  readonly dictionary: Dictionary;
  /** Returns the code of a text, and adds a text that is new. */
  codeOf(text: string): number;
}

export interface WantedColumns {
  /** The texts of these columns will be asked for; texts of the others are not kept. The default is all. */
  readonly columns?: readonly string[];
}

/**
 * A value costs so many bytes for a string's head and two table entries besides its characters: 80 to 110
 * were measured with Node 20.
 */
const VALUE_BYTES = 100;
/** V8 limits a Map to so many entries. */
const MAX_VALUES = 2 ** 24 - 1;

export class DictionaryBudget {
  readonly #file: string;
  readonly #bytes: number;
  #used = 0;

  constructor(file: string, bytes = DEFAULT_BYTES) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /**
   * Returns dictionaries for every nominal column, by name; the dictionaries of those that are not wanted
   * stay empty, and their codes mean nothing.
   */
  dictionaries(
    schema: readonly ColumnSchema[],
    wanted?: readonly string[],
  ): ReadonlyMap<string, SharedDictionary> {
    const nominal = schema.filter(({ kind }) => kind === "nominal");
    const kept = wanted && new Set(wanted);
    return new Map(
      nominal.map(({ name }) => [
        name,
        kept === undefined || kept.has(name) ? this.dictionary(name) : keptNowhere(),
      ]),
    );
  }

  /**
   * Makes a dictionary for a column; it refuses new values when all dictionaries together have used up the
   * budget.
   */
  dictionary(column: string): SharedDictionary {
    const dictionary = new Dictionary();
    const codeOf = (text: string) => {
      const known = dictionary.codeOf(text);
      if (known !== undefined) return known;
      this.#used += VALUE_BYTES + 2 * text.length;
      if (this.#used > this.#bytes || dictionary.size >= MAX_VALUES) throw this.#full(column, dictionary);
      return dictionary.add(text);
    };
    return { dictionary, codeOf };
  }

  #full(column: string, { size }: Dictionary): InvalidInputError {
    const why =
      size >= MAX_VALUES
        ? `has more than ${MAX_VALUES} different texts`
        : `has ${size} different texts so far, and those of all columns take more than ${this.#bytes} bytes`;
    return new InvalidInputError(
      `${why}; leave columns out that tell every row apart (option columns), or allow more memory (option memory)`,
      { file: this.#file, column },
    );
  }
}

function keptNowhere(): SharedDictionary {
  return { dictionary: new Dictionary(), codeOf: () => 0 };
}
