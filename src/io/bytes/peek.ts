/**
 * This module looks at the first bytes of a source, to recognise it by; reading it afterwards starts at its
 * first byte all the same.
 */
import { joinPieces } from "./pieces.ts";
import type { ByteSource } from "./source.ts";

/**
 * Returns the head of a source, which has `length` bytes, or all there are. Where a source can be read only
 * once, use the one returned.
 */
export async function peek(
  source: ByteSource,
  length: number,
): Promise<{ readonly head: Uint8Array; readonly source: ByteSource }> {
  const iterator = source.stream()[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let held = 0;
  while (held < length) {
    const { done, value } = await iterator.next();
    if (done) break;
    pieces.push(value);
    held += value.length;
  }
  const head = joinPieces(pieces, source.name).subarray(0, length);
  if (!source.once) {
    await iterator.return?.();
    return { head, source };
  }
  return { head, source: { ...source, stream: () => resumed(pieces, iterator) } };
}

async function* resumed(
  pieces: Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces.splice(0);
    for (;;) {
      const { done, value } = await iterator.next();
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
