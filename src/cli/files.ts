/**
 * Files on disk and standard input as byte sources, and what errors of the file system mean to a user. Writing is
 * output.ts.
 */
import { constants, createReadStream, readFileSync, type BigIntStats } from "node:fs";
import { access, open, stat, type FileHandle } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { ahead } from "../core/ahead.ts";
import { together } from "../core/together.ts";
import type { ByteSource } from "../io/index.ts";
import { InvalidInputError } from "../node.ts";

/** How the command line calls standard input and standard output. */
export const DASH = "-";

const PIECE_BYTES = 1 << 18;
/** Of a large read that go side by side. */
const STRIPES = 4;
const LEAST_STRIPE_BYTES = 2 ** 22;
/** Of one read: between two of them an abort is heard. */
const MOST_READ_BYTES = 2 ** 24;

/**
 * Opens nothing yet, but checks that the path can be read. A file is open while something reads from it, and each read fails
 * unless it is still the file that was found here: what is read never comes from two versions.
 * @param path "-" is standard input, which can be read only once
 * @throws InvalidInputError when it cannot; while reading, for a file that was changed or replaced since.
 */
export async function inputSource(path: string, signal: AbortSignal): Promise<ByteSource> {
  if (path === DASH) return { name: "standard input", once: true, stream: () => standardInput(signal) };
  if (path === "") throw new InvalidInputError("the path of an input is empty; name a file, or - for stdin");
  try {
    const facts = await stat(path, { bigint: true });
    if (facts.isDirectory()) throw new InvalidInputError("is a folder; name a file", { file: path });
    await access(path, constants.R_OK);
    // The size of a pipe or a device is not the number of its bytes.
    if (!facts.isFile()) return { name: path, once: true, stream: () => pipeBytes(path, signal) };
    // Some versions of libuv give another device by path than of what is open, on Windows.
    const file = { path, signal, facts: await openFacts(path) };
    const shared = new SharedFile(file);
    const byteLength = Number(file.facts.size);
    return {
      name: path,
      byteLength,
      stream: () => fileBytes(file),
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

/** An error of the file system as the user's mistake that it is; other errors come back as they are. */
export function fileError(error: unknown, path: string, verb: "read" | "written"): unknown {
  const remedy = error instanceof Error && "code" in error ? remedies[String(error.code)] : undefined;
  return remedy === undefined
    ? error
    : new InvalidInputError(`cannot be ${verb}: ${remedy}`, { file: path }, error);
}

/** Of the package this file is in. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { version: unknown }).version);
}

const remedies: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file; check the path",
  ENOTDIR: "a part of its path is a file, not a folder; check the path",
  EISDIR: "it is a folder; name a file",
  EACCES: "permission denied; change its permissions or name another file",
  EPERM: "the system does not permit it; name another file",
  EROFS: "the disk is read-only; name a file elsewhere",
  ENOSPC: "the disk is full; free some space or name a file elsewhere",
  EDQUOT: "the disk quota is used up; free some space or name a file elsewhere",
  EFBIG: "the file would be larger than is allowed; raise the limit (ulimit -f) or write to another disk",
  EIO: "the disk or the network it is on failed; check it, or name a file elsewhere",
  EBUSY: "another program or the system holds it; close that, or name another file",
  ETXTBSY: "it is a program that is running; end that, or name another file",
  ENXIO: "nothing is at its other end: it is a device or a socket; name a file or a pipe",
  EMFILE: "this process has too many files open; raise the limit (ulimit -n)",
  ENFILE: "the system has too many files open; close some programs",
  ENAMETOOLONG: "its name is too long; choose a shorter one",
  ELOOP: "its links lead in a circle; name the file itself",
};

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

/** A regular file, and what was seen of it first. */
interface SeenFile {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly facts: BigIntStats;
}

async function* fileBytes(seen: SeenFile): AsyncGenerator<Uint8Array> {
  try {
    const file = await open(seen.path);
    try {
      yield* ahead(piecesOf(file, seen));
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

/** A file that is open while somebody reads from it. */
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

/** Stripes are read side by side. @returns how many bytes there were, fewer only at the end of the file */
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
      const filled = await together(stripes);
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

/** Called after each read: what was read before a change is as good as what was there at first. */
async function checkUnchanged(file: FileHandle, { path, facts }: SeenFile): Promise<void> {
  const now = await file.stat({ bigint: true });
  const { dev, ino, size, mtimeNs } = facts;
  if (now.dev === dev && now.ino === ino && now.size === size && now.mtimeNs === mtimeNs) return;
  throw new InvalidInputError(
    "was changed or replaced while it was read; run the command again when nothing writes to it",
    { file: path },
  );
}

async function* standardInput(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* addAbortSignal(signal, process.stdin);
}
