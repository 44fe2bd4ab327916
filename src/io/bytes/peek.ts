/**
 * This module looks at the first bytes of a source, to recognise it by. Reading it afterwards still starts at
 * its first byte.
 */
import { joinPieces } from "./pieces.ts";
import { Resumable } from "./resumable.ts";
import type { ByteSource } from "./source.ts";

/**
 * Returns the head of a source, which has `length` bytes, or all there are. Where a source can be read only
 * once, use the one returned.
 */
export async function peek(
  source: ByteSource,
  length: number,
  signal?: AbortSignal,
): Promise<{ readonly head: Uint8Array; readonly source: ByteSource }> {
  const pass = new Resumable((left) => source.stream(left));
  const pieces: Uint8Array[] = [];
  let held = 0;
  try {
    while (held < length) {
      const { done, value } = await pass.next(signal);
      if (done === true) break;
      pieces.push(value);
      held += value.length;
    }
  } catch (error) {
    await pass.close(signal);
    throw error;
  }
  const head = joinPieces(pieces, source.name).subarray(0, length);
  if (!source.once) {
    await pass.close(signal);
    return { head, source };
  }
  return { head, source: { ...source, stream: (later) => resumed(pieces, pass, later) } };
}

async function* resumed(
  pieces: Uint8Array[],
  pass: Resumable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces.splice(0);
    for (;;) {
      const { done, value } = await pass.next(signal);
      if (done === true) return;
      yield value;
    }
  } finally {
    await pass.close(signal);
  }
}
