/**
 * This keeps what a segment downloads: in memory of its own, or in that of a target, where the call has one.
 * Both backends use it. A target is the caller's memory, who may take it away meanwhile.
 */
import { assert, InvalidInputError } from "../core/errors.ts";
import type { DownloadStep, SegmentOutput, Targets } from "./backend.ts";

const GONE = "an array for results was detached or made smaller; keep it as it is until the call ends";

/**
 * Returns a part of a target.
 * @throws InvalidInputError if its memory is gone
 */
export function partOf(
  { buffer, byteOffset, byteLength }: ArrayBufferView,
  begin: number,
  bytes: number,
): Uint8Array {
  if (byteLength < begin + bytes) throw new InvalidInputError(GONE);
  // Of a whole target there may be no such view: some engines allow 2^32 bytes.
  return new Uint8Array(buffer, byteOffset + begin, bytes);
}

/**
 * Copies bytes to a target.
 * @throws InvalidInputError if its memory is gone
 */
export function place(bytes: Uint8Array, target: Uint8Array): void {
  partOf(target, 0, bytes.byteLength).set(bytes);
}

export class Downloads {
  readonly #targets: Targets;
  readonly #own = new Map<string, ArrayBuffer>();
  readonly #placed = new Map<string, Uint8Array>();

  constructor(targets: Targets = {}) {
    this.#targets = targets;
  }

  /** Returns these as parts of a segment's output. */
  get output(): Pick<SegmentOutput, "downloads" | "placed"> {
    return { downloads: this.#own, placed: this.#placed };
  }

  /** Returns the memory that the bytes of a step go to. */
  memoryOf({ from, bytes, as = from, target }: DownloadStep): Uint8Array {
    const whole = target && this.#targets[target.name];
    if (!whole) {
      const data = new ArrayBuffer(bytes);
      this.#own.set(as, data);
      return new Uint8Array(data);
    }
    // What was detached has no bytes.
    assert(
      whole.byteLength === 0 || target.at + bytes <= whole.byteLength,
      `target "${target.name}" of ${whole.byteLength} bytes has no ${bytes} at ${target.at}`,
    );
    const part = partOf(whole, target.at, bytes);
    this.#placed.set(as, part);
    return part;
  }
}
