/**
 * A dictionary gives the values of a nominal column codes 0, 1, 2 ... in order of first appearance. Values
 * compare as strings, case-sensitive. A code means nothing outside its own dictionary: compare two tables by
 * value.
 * @example
 * const column = Table.fromColumns({ kind: ["b", "a", "b"] }).column("kind") as NominalColumn;
 * const dictionary: Dictionary = column.dictionary;
 * dictionary.values; // => ["b", "a"]
 * dictionary.codeOf("a"); // => 1
 * dictionary.codeOf("c"); // => undefined
 */
export class Dictionary {
  readonly #values: string[] = [];
  readonly #codes = new Map<string, number>();

  static from(values: Iterable<string>): Dictionary {
    const dictionary = new Dictionary();
    for (const value of values) dictionary.add(value);
    return dictionary;
  }

  /** Returns the values, in the order of their codes. */
  get values(): readonly string[] {
    return this.#values;
  }

  /** Returns the number of values. */
  get size(): number {
    return this.#values.length;
  }

  /**
   * Returns what console.log shows in Node.
   * @internal
   */
  [Symbol.for("nodejs.util.inspect.custom")](): readonly string[] {
    return this.#values;
  }

  /** Returns the value's code; a new value gets the next one. Codes given out never change. */
  add(value: string): number {
    const known = this.#codes.get(value);
    if (known !== undefined) return known;
    const own = ownCopy(value);
    this.#codes.set(own, this.#values.length);
    return this.#values.push(own) - 1;
  }

  /** Returns the value's code; undefined for a value that is not there. */
  codeOf(value: string): number | undefined {
    return this.#codes.get(value);
  }
}

/**
 * From so many characters on V8 cuts strings out of a larger one without copying, which keeps the larger one
 * in memory.
 */
const SLICED_CHARS = 13;

function ownCopy(text: string): string {
  return text.length < SLICED_CHARS ? text : ` ${text}`.slice(1);
}
