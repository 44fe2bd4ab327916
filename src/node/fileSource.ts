/**
 * This module reads files on disk as byte sources. It neither reads standard input, which is the command
 * line's, nor writes.
 */
import { constants, createReadStream, type BigIntStats } from "node:fs";
import { checkOptions, signalOnly } from "../core/options.ts";
import { access, open, stat, type FileHandle } from "node:fs/promises";
import { prefetch } from "../core/async/prefetch.ts";
import { InvalidInputError } from "../core/errors.ts";
import { settleAll } from "../core/async/settleAll.ts";
import type { ByteSource } from "../index.ts";
import { fileError } from "./fileErrors.ts";

const PIECE_BYTES = 1 << 18;
/** Stripes of a large read, which go side by side. */
const STRIPES = 4;
const LEAST_STRIPE_BYTES = 2 ** 22;
/** The most bytes of one read: between two of them an abort is heard. */
const MOST_READ_BYTES = 2 ** 24;
const NEVER = new AbortController().signal;

/**
 * Opens a file on disk, for Node and Deno. It checks that the path can be read; after that the file is open
 * only while something reads from it. A read fails if the file has been changed or replaced since: what is
 * read never comes from two versions. A GPU may be given its rows without a copy in memory
 * (`kneighborsStream`). A path that is not a regular file, such as a named pipe, can be read only once.
 * @param options its `signal`: reads that are aborted reject with its reason
 * @throws InvalidInputError when it cannot be read; while reading, for a file that was changed or replaced
 *   since.
 * @example
 * import { fileSource } from "nearfield/node";
 * import { writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const path = `${tmpdir()}/nearfield-example.csv`;
 * await writeFile(path, "x,y\n1,2\n");
 * (await readCsv(await fileSource(path))).names; // => ["x", "y"]
 */
export async function fileSource(
  path: string,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ByteSource> {
  checkOptions(options, "fileSource", signalOnly);
  const { signal = NEVER } = options;
  try {
    const facts = await stat(path, { bigint: true });
    if (facts.isDirectory()) throw new InvalidInputError("is a folder; name a file", { file: path });
    await access(path, constants.R_OK);
    // The size of a pipe or a device is not the number of its bytes.
    if (!facts.isFile())
      return { name: path, once: true, stream: (reader) => pipeBytes(path, either(signal, reader)) };
    // Some versions of libuv give another device by path than of what is open, on Windows.
    const file = { path, signal, facts: await openFacts(path) };
    const shared = new SharedFile(file);
    const byteLength = Number(file.facts.size);
    return {
      name: path,
      byteLength,
      stream: (reader) => fileBytes({ ...file, signal: either(signal, reader) }),
      slice: async (begin, end) => {
        const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - begin));
        return bytes.subarray(0, await readInto(shared, bytes, begin));
      },
      readInto: (target, begin) => readInto(shared, target, begin),
    };
  } catch (error) {
    throw fileError(error, path, "read");
  }
}

/** Joins the opener's signal and the reader's. */
function either(signal: AbortSignal, reader: AbortSignal | undefined): AbortSignal {
  return reader ? AbortSignal.any([signal, reader]) : signal;
}

async function* pipeBytes(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { signal, highWaterMark: PIECE_BYTES });
  } catch (error) {
    throw fileError(error, path, "read");
  }
}

async function openFacts(path: string): Promise<BigIntStats> {
  const file = await open(path);
  try {
    return await file.stat({ bigint: true });
  } finally {
    await file.close();
  }
}

/** It is a regular file, with what was seen of it first. */
interface SeenFile {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly facts: BigIntStats;
}

async function* fileBytes(seen: SeenFile): AsyncGenerator<Uint8Array> {
  try {
    const file = await open(seen.path);
    try {
      yield* prefetch(piecesOf(file, seen));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError(error, seen.path, "read");
  }
}

async function* piecesOf(file: FileHandle, seen: SeenFile): AsyncGenerator<Uint8Array> {
  for (;;) {
    seen.signal.throwIfAborted();
    const { buffer, bytesRead } = await file.read(new Uint8Array(PIECE_BYTES));
    await checkUnchanged(file, seen);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Shares a file, which is open while somebody reads from it. */
class SharedFile {
  readonly seen: SeenFile;
  #opened: Promise<FileHandle> | undefined;
  #readers = 0;

  constructor(seen: SeenFile) {
    this.seen = seen;
  }

  async use<T>(read: (file: FileHandle) => Promise<T>): Promise<T> {
    this.#readers++;
    const opened = (this.#opened ??= open(this.seen.path));
    try {
      return await read(await opened);
    } finally {
      if (--this.#readers === 0) {
        this.#opened = undefined;
        await opened.then(
          (file) => file.close(),
          () => undefined,
        );
      }
    }
  }
}

/** Reads stripes side by side. @returns how many bytes there were, fewer only at the end of the file */
async function readInto(shared: SharedFile, target: Uint8Array, begin: number): Promise<number> {
  const { seen } = shared;
  try {
    return await shared.use(async (file) => {
      const length = Math.max(LEAST_STRIPE_BYTES, Math.ceil(target.length / STRIPES));
      const stripes: (() => Promise<number>)[] = [];
      for (let at = 0; at < target.length; at += length) {
        const stripe = target.subarray(at, at + length);
        stripes.push(() => readStripe(file, seen.signal, stripe, begin + at));
      }
      const filled = await settleAll(stripes);
      await checkUnchanged(file, seen);
      const short = filled.findIndex((count, i) => count < Math.min(length, target.length - i * length));
      return short < 0 ? target.length : short * length + filled[short];
    });
  } catch (error) {
    throw fileError(error, seen.path, "read");
  }
}

async function readStripe(
  file: FileHandle,
  signal: AbortSignal,
  target: Uint8Array,
  begin: number,
): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    signal.throwIfAborted();
    const length = Math.min(target.length - filled, MOST_READ_BYTES);
    const { bytesRead } = await file.read(target, filled, length, begin + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/**
 * Fails where the file has changed. It is called after each read: what was read before a change is as good as
 * what was there at first.
 */
async function checkUnchanged(file: FileHandle, { path, facts }: SeenFile): Promise<void> {
  const now = await file.stat({ bigint: true });
  const { dev, ino, size, mtimeNs } = facts;
  if (now.dev === dev && now.ino === ino && now.size === size && now.mtimeNs === mtimeNs) return;
  throw new InvalidInputError(
    "was changed or replaced while it was read; run it again when nothing writes to it",
    { file: path },
  );
}
