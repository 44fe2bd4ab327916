/**
 * Opens whatever a program has a file in: a path, a URL, a File or another Blob, bytes, a Response, or a
 * source already. The bytes are read later, by whoever reads the source.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { currentPlatform } from "../../core/platform.ts";
import { blobSource, bytesSource, chunksOf, type ByteSource } from "./source.ts";

/**
 * The readers of files take a path (in Node and Deno), a URL, a File or Blob, bytes, a Response, or a source.
 * In a browser a string is a URL.
 * @example
 * const inputs: FileInput[] = [new Blob(["x\n1\n"]), new Response("x\n1\n"), new TextEncoder().encode("x\n1\n")];
 * const tables = await Promise.all(inputs.map((input) => readTable(input)));
 * tables.map(({ rows }) => rows); // => [1, 1, 1]
 */
export type FileInput = ByteSource | string | URL | Blob | Response | ArrayBuffer | Uint8Array;

/**
 * Returns the source of an input; promises are waited for.
 * @param call the reader, which errors name
 * @throws InvalidInputError for anything else, for text in the place of a path, and a URL that answers with
 *   an error
 */
export async function sourceOf(given: FileInput | Promise<FileInput>, call: string): Promise<ByteSource> {
  const input: unknown = await given;
  if (typeof input === "string") return named(input, call);
  if (input instanceof URL) return input.protocol === "file:" ? onDisk(input, call) : fetched(input);
  if (input instanceof Uint8Array) return bytesSource(input, "the bytes");
  if (input instanceof ArrayBuffer) return bytesSource(new Uint8Array(input), "the bytes");
  if (typeof Blob !== "undefined" && input instanceof Blob) return blobSource(input);
  if (typeof Response !== "undefined" && input instanceof Response) return responseSource(input);
  const source = input as Partial<ByteSource> | null | undefined;
  if (typeof source?.stream === "function" && typeof source.name === "string") return source as ByteSource;
  throw new InvalidInputError(
    `${call} was given ${kindOf(input)}; expected a path, a URL, a File or Blob, bytes, a Response, or a source such as ` +
      "textSource(text, name)",
  );
}

function named(text: string, call: string): Promise<ByteSource> {
  if (text.includes("\n"))
    throw new InvalidInputError(`${call} was given text, not a path; pass textSource(text, "NAME.csv")`);
  if (/^(https?|data|blob):/i.test(text)) return fetched(text);
  return currentPlatform().openFile === undefined ? fetched(text) : onDisk(text, call);
}

async function onDisk(path: string | URL, call: string): Promise<ByteSource> {
  const { openFile } = currentPlatform();
  if (openFile !== undefined) return openFile(path);
  throw new InvalidInputError(
    `${call} was given ${String(path)}, but pages have no files; pass a File or a URL`,
  );
}

async function fetched(url: string | URL): Promise<ByteSource> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new InvalidInputError(`cannot be fetched: ${String(error)}`, { file: String(url) }, error);
  }
  return responseSource(response, String(url));
}

function responseSource(response: Response, url = response.url): ByteSource {
  const name = nameOf(url);
  const { ok, status, body } = response;
  if (!ok) throw new InvalidInputError(`the server answers with status ${status}`, { file: url });
  if (body === null || response.bodyUsed)
    throw new InvalidInputError("the response has no body, or one that was read already", { file: name });
  return { name, once: true, stream: () => chunksOf(body) };
}

/** Returns the last part of a URL's path, whose extension tells the format. */
function nameOf(url: string): string {
  return /^data:/i.test(url) ? "the data" : /([^/?#]+)(?:[?#]|$)/.exec(url)?.[1] || "the response";
}

function kindOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return String(input);
  return `an object of ${input.constructor?.name ?? "no class"}`;
}
