/**
 * Reads for the command line: files, standard input and the package's own description. Writing is in
 * output.ts.
 */
import { readFileSync } from "node:fs";
import { addAbortSignal } from "node:stream";
import type { ByteSource } from "../io/index.ts";
import { InvalidInputError } from "../core/errors.ts";
import { fileSource } from "../node/index.ts";

/** On the command line it names standard input and standard output. */
export const DASH = "-";

/**
 * Opens an input for reading, a file as `fileSource` does.
 * @param path "-" is standard input, which can be read only once
 */
export async function inputSource(path: string, signal: AbortSignal): Promise<ByteSource> {
  if (path === DASH) return { name: "standard input", once: true, stream: () => standardInput(signal) };
  if (path === "") throw new InvalidInputError("the path of an input is empty; name a file, or - for stdin");
  return fileSource(path, { signal });
}

/** Returns the version of the package that this file is in. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { version: unknown }).version);
}

async function* standardInput(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* addAbortSignal(signal, process.stdin);
}
