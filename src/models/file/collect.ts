/**
 * Collects the bytes of a model file from a stream, such as a file on disk or a pipe. The first bytes tell
 * whether it is a model and how long it is. Memory is taken only for what they claim, only within the budget,
 * and nothing is read beyond it, so that neither a device without an end nor a small file that unpacks to a
 * large one can take more.
 */
import { untilAborted } from "../../core/async/aborted.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { currentPlatform } from "../../core/platform.ts";
import { PRELUDE_BYTES } from "./container.ts";
import { checkStart, cutOff, lengthIn, tooLarge } from "./reader.ts";

export interface CollectOptions {
  /** Errors call the file by this name. */
  readonly name: string;
  /** The file may have at most so many bytes; default most of the machine's memory. */
  readonly memory: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the bytes of one model.
 * @throws InvalidInputError for bytes that are no model, are cut off, go on beyond the model's end, or exceed
 *   the budget
 */
export async function collectModel(
  pieces: AsyncIterable<Uint8Array>,
  { name, memory = currentPlatform().memory, signal }: CollectOptions,
): Promise<Uint8Array> {
  const prelude = new Filling(new Uint8Array(PRELUDE_BYTES));
  let whole: Filling | undefined;
  for await (const piece of untilAborted(pieces, signal)) {
    if (piece.length === 0) continue;
    let rest = piece;
    if (whole === undefined) {
      rest = prelude.take(piece);
      checkStart(prelude.bytes, name);
      if (!prelude.isFull) continue;
      whole = new Filling(allocate(claimedLength(prelude.bytes, memory, name), name));
      whole.take(prelude.bytes);
    }
    if (whole.take(rest).length > 0) throw goesOn(whole.bytes.length, name);
  }
  checkStart(prelude.bytes, name);
  if (whole === undefined) throw cutOff(prelude.bytes.length, undefined, name);
  if (whole.isFull) return whole.bytes;
  throw cutOff(whole.bytes.length, lengthIn(prelude.bytes), name);
}

class Filling {
  readonly #room: Uint8Array;
  #filled = 0;

  constructor(room: Uint8Array) {
    this.#room = room;
  }

  /** Takes as many bytes as there is room for. @returns the rest */
  take(piece: Uint8Array): Uint8Array {
    const part = piece.subarray(0, this.#room.length - this.#filled);
    this.#room.set(part, this.#filled);
    this.#filled += part.length;
    return piece.subarray(part.length);
  }

  get isFull(): boolean {
    return this.#filled === this.#room.length;
  }

  /** Returns the bytes that were taken so far. */
  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#filled);
  }
}

/**
 * Returns the length that the file claims. It is compared with the budget as a BigInt, since it may be any
 * number of 64 bits.
 */
function claimedLength(prelude: Uint8Array, memory: number, name: string): number {
  const length = lengthIn(prelude);
  if (length > BigInt(memory)) throw tooLarge(length, memory, name);
  if (length > BigInt(PRELUDE_BYTES)) return Number(length);
  throw new InvalidInputError(`is damaged: it says that it has ${length} bytes; copy it again`, {
    file: name,
  });
}

function allocate(length: number, name: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch (error) {
    throw new InvalidInputError(
      `says that it has ${length} bytes, which this machine cannot give in one piece; free some memory, or copy the file ` +
        "again if it is smaller",
      { file: name },
      error,
    );
  }
}

function goesOn(length: number, name: string): InvalidInputError {
  return new InvalidInputError(
    `is damaged: it says that it has ${length} bytes, and more follow; copy it again`,
    { file: name },
  );
}
