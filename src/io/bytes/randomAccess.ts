/**
 * This module gives bytes at any place of a source, for formats that begin at their end. A source that can
 * only be read from its start is held in memory, within a budget.
 */
import { unlessAborted, untilAborted } from "../../core/async/aborted.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { DEFAULT_BYTES } from "./budget.ts";
import { joinPieces } from "./pieces.ts";
import type { ByteSource } from "./source.ts";

export interface RandomAccess {
  readonly name: string;
  readonly byteLength: number;
  /**
   * Gives the bytes from `begin` to `end` (exclusive), both within the length. They may be a view: do not
   * write to it.
   */
  slice(begin: number, end: number): Promise<Uint8Array>;
}

export async function randomAccess(
  source: ByteSource,
  options: { readonly memory?: number; readonly signal?: AbortSignal } = {},
): Promise<RandomAccess> {
  const { name, byteLength } = source;
  const slice = source.slice?.bind(source);
  if (slice !== undefined && byteLength !== undefined) {
    return {
      name,
      byteLength,
      slice: async (begin, end) => {
        const bytes = await slice(begin, end);
        if (bytes.length === end - begin) return bytes;
        throw new InvalidInputError(
          `byte ${begin + bytes.length}: the file ends here; it changed while it was read: run it again when nothing writes to it`,
          { file: name },
        );
      },
    };
  }
  const bytes = await allBytes(source, options);
  return {
    name,
    byteLength: bytes.length,
    slice: (begin, end) => Promise.resolve(bytes.subarray(begin, end)),
  };
}

/** Returns the same bytes for a reader who hears an abort of the signal while waiting for some. */
export function heard(access: RandomAccess, signal: AbortSignal | undefined): RandomAccess {
  return {
    ...access,
    async slice(begin, end) {
      signal?.throwIfAborted();
      return unlessAborted(access.slice(begin, end), signal);
    },
  };
}

async function allBytes(
  source: ByteSource,
  { memory = DEFAULT_BYTES, signal }: { readonly memory?: number; readonly signal?: AbortSignal },
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of untilAborted(source.stream(signal), signal)) {
    length += piece.length;
    if (length > memory) {
      throw new InvalidInputError(
        `its format is read from its end, so it must be held in memory, but it is larger than ${memory} bytes; put it into an ` +
          `uncompressed file, or allow more memory (option memory)`,
        { file: source.name },
      );
    }
    pieces.push(piece);
  }
  return joinPieces(pieces, source.name);
}
