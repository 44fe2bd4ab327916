/**
 * This reads one side of a stream, from its first row each time. A stream of a single chunk is read once and
 * held.
 */
import { untilAborted } from "../../../core/async/aborted.ts";
import { InvalidInputError } from "../../../core/errors.ts";
import type { Matrix } from "../../../core/matrix.ts";
import type { MatrixStream } from "../../../core/matrixStream.ts";

/** Each chunk knows the number of its first row. */
export type Numbered = Matrix & { readonly firstRow: number };

export class ChunkReadings {
  readonly stream: MatrixStream;
  readonly #maxRows: number;
  readonly #signal: AbortSignal | undefined;
  #only: Numbered | undefined;
  #wasRead = false;

  constructor(stream: MatrixStream, maxRows: number, signal: AbortSignal | undefined) {
    this.stream = stream;
    this.#maxRows = maxRows;
    this.#signal = signal;
  }

  /**
   * Reads the rows chunk by chunk, from the first one.
   * @throws InvalidInputError for a second reading of what can be read only once
   */
  async *chunks(): AsyncGenerator<Numbered> {
    if (this.#only) return yield this.#only;
    const { stream } = this;
    if (stream.once && this.#wasRead)
      throw new InvalidInputError(
        "can be read only once, and is needed again to count, or for more queries; save it to a file, give a " +
          "range of two numbers or edges, or raise trainRows, queryRows or memory",
        { file: stream.name },
      );
    this.#wasRead = true;
    const chunks = stream.chunks({ maxRows: this.#maxRows, signal: this.#signal });
    let [begin, first]: [number, Numbered | undefined] = [0, undefined];
    for await (const chunk of untilAborted(chunks, this.#signal)) {
      const numbered = { ...chunk, firstRow: begin };
      first = begin === 0 ? numbered : undefined;
      begin += chunk.rows;
      yield numbered;
    }
    this.#only = first;
  }
}
