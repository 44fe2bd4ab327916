/**
 * What the tests of matrix files share: fixtures that numpy wrote, every way of reading some bytes, and
 * failures.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import type { Matrix } from "../../../../src/core/matrix.ts";
import type { MatrixStream } from "../../../../src/core/matrixStream.ts";
import { blobSource, bytesSource, type ByteSource } from "../../../../src/io/bytes/source.ts";
import { inPieces, pipe } from "../csv/helpers.ts";

const FILE = "x.npy";
const folder = new URL("../../../fixtures/matrices/", import.meta.url);

interface Expected {
  readonly rows: number;
  readonly cols: number;
  readonly values: readonly string[];
}

export const expected = JSON.parse(readFileSync(new URL("expected.json", folder), "utf8")) as Readonly<
  Record<string, Expected>
>;

export function fixture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(name, folder)));
}

export function plain({ rows, cols, data }: Matrix): { rows: number; cols: number; values: number[] } {
  return { rows, cols, values: Array.from(data) };
}

export function plainFixture(name: string): { rows: number; cols: number; values: number[] } {
  const { rows, cols, values } = expected[name];
  return { rows, cols, values: values.map((text) => numberOf(text)) };
}

/** The same bytes in every form in which they may come. */
export function everySource(bytes: Uint8Array<ArrayBuffer>): Record<string, ByteSource> {
  return {
    memory: bytesSource(bytes, FILE),
    blob: blobSource(new Blob([bytes]), FILE),
    "pieces of 1": inPieces(bytes, 1, FILE),
    "pieces of 7": inPieces(bytes, 7, FILE),
    pipe: pipe(bytes, 5, FILE),
    gzip: bytesSource(gzipSync(bytes), FILE),
    "gzip through a pipe": pipe(gzipSync(bytes), 3, FILE),
  };
}

export async function chunksOf(stream: MatrixStream, maxRows?: number): Promise<Matrix[]> {
  const chunks: Matrix[] = [];
  for await (const chunk of stream.chunks(maxRows === undefined ? {} : { maxRows })) chunks.push(chunk);
  return chunks;
}

/** All that a writer writes. */
export async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece.slice());
  return new Uint8Array(Buffer.concat(all));
}

/** The message, without the file, of a read that must fail at the same byte whatever the source. */
export async function failure(
  bytes: Uint8Array<ArrayBuffer>,
  read: (source: ByteSource) => Promise<unknown>,
): Promise<string> {
  const messages: string[] = [];
  for (const [form, source] of Object.entries(everySource(bytes))) {
    const error: unknown = await read(source).then(
      () => `${form}: no error`,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(InvalidInputError);
    const { message, place } = error as InvalidInputError;
    expect(place).toEqual({ file: FILE });
    expect(message.includes("of the unpacked data")).toBe(form.startsWith("gzip"));
    messages.push(message.replace(`${FILE}: `, "").replace(" of the unpacked data", ""));
  }
  const places = new Set(messages.map((message) => /^byte \d+:/.exec(message)?.[0]));
  expect([...places]).toEqual([expect.any(String)]);
  return messages[0];
}

function numberOf(text: string): number {
  if (text === "nan") return NaN;
  return text.endsWith("inf") ? Number(text.replace("inf", "Infinity")) : Number(text);
}
