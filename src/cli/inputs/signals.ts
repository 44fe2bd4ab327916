/** Reads a file of the command line as signals. What is a signal there is said in graph/signals.ts. */
import { isSound, readSignal } from "../../graph/signals.ts";
import type { SignalValue } from "../../graph/index.ts";
import { decompressed, peek } from "../../io/index.ts";
import type { ByteSource } from "../../io/index.ts";
import { DASH, inputSource } from "../files.ts";
import { readOptions, type FormatOptions } from "../options/reading.ts";

interface SignalOptions extends FormatOptions {
  readonly column?: string;
  readonly memory?: number;
}

/**
 * Reads a file; `column` is for tables alone, so that a column can go with a mask from a matrix.
 * @throws InvalidInputError for text, gaps, and a table of several columns of which none is named
 */
export async function readSignals(
  path: string,
  options: SignalOptions,
  signal: AbortSignal,
): Promise<SignalValue> {
  const { column, memory, inputFormat: format } = options;
  const given = await inputSource(path, signal);
  const { source, sound } =
    path === DASH && format === undefined
      ? await lookedAt(given, signal)
      : { source: given, sound: isSound(path) };
  return readSignal(source, {
    ...{ ...readOptions(options), column, naming: "--column", sound, signal },
    ...(format === undefined ? {} : { format }),
    ...(memory === undefined ? {} : { memory }),
  });
}

/** Tells a sound without a name by its first bytes. */
async function lookedAt(
  given: ByteSource,
  signal: AbortSignal,
): Promise<{ readonly source: ByteSource; readonly sound: boolean }> {
  const unpacked = await decompressed(given, { signal });
  const { head, source } = await peek(unpacked, 12, signal);
  return { source, sound: /^RIFF[^]{4}WAVE$/.test(String.fromCharCode(...head)) };
}
