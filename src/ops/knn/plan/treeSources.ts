/**
 * These sources are rows of few columns that copy float32 to the strides of a device in one loop over words,
 * whatever types other searches have had: that of distance/rows takes three times as long. Only searches of
 * few columns load this module, as part of tree.ts.
 */
import type { Matrix } from "../../../core/matrix.ts";
import type { HostSource, RowSet, Sources } from "../../../runtime/source.ts";

/** Returns the sources of the sides that are float32, to stand in place of those of the same names. */
export function pointSources(sides: Sources, train: Matrix, queries: Matrix): Sources {
  const rows = { train, queries };
  return Object.fromEntries(
    Object.entries(rows).flatMap(([name, { data, cols }]) => {
      const { [name]: source } = sides;
      if (cols > 3 || !source || !(data instanceof Float32Array)) return [];
      return [[name, new PointWords(source, wordsOf(data), cols)]];
    }),
  );
}

class PointWords implements HostSource {
  readonly rows: number;
  readonly #prepared: HostSource;
  readonly #words: Uint32Array;
  readonly #cols: number;

  constructor(prepared: HostSource, words: Uint32Array, cols: number) {
    this.rows = prepared.rows;
    this.#prepared = prepared;
    this.#words = words;
    this.#cols = cols;
  }

  rowBytes(part: string): number {
    return this.#prepared.rowBytes(part);
  }

  fill(part: string, rows: RowSet, target: Uint8Array): void {
    const cols = this.#cols;
    if (part !== "raw" || !("begin" in rows)) return this.#prepared.fill(part, rows, target);
    const to = new Uint32Array(target.buffer, target.byteOffset, target.byteLength >> 2);
    spread(this.#words.subarray(rows.begin * cols, rows.end * cols), cols, to);
  }
}

function wordsOf({ buffer, byteOffset, length }: Float32Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}

/** Copies rows of up to three words to rows of four, which end in 0. */
function spread(from: Uint32Array, cols: number, to: Uint32Array): void {
  for (let at = 0, begin = 0; at < from.length; at += cols, begin += 4) {
    to[begin] = from[at];
    to[begin + 1] = cols > 1 ? from[at + 1] : 0;
    to[begin + 2] = cols > 2 ? from[at + 2] : 0;
    to[begin + 3] = 0;
  }
}
