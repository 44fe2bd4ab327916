/**
 * This keeps what a segment downloads: in memory of its own, or in that of a target, where the call has one.
 * Both backends use it. It copies nothing.
 */
import { assert } from "../core/errors.ts";
import type { DownloadStep, SegmentOutput, Targets } from "./backend.ts";

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
    assert(
      target.at + bytes <= whole.byteLength,
      `target "${target.name}" of ${whole.byteLength} bytes has no ${bytes} at ${target.at}`,
    );
    // Of the whole there may be no such view: some engines allow 2^32 bytes.
    const part = new Uint8Array(whole.buffer, whole.byteOffset + target.at, bytes);
    this.#placed.set(as, part);
    return part;
  }
}
