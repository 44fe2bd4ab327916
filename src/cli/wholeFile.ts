/** Writes a file whole, or not at all: it is written under a temporary name beside its own, then renamed. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { link, open, rename, stat, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { InvalidInputError } from "../core/errors.ts";
import { fileError } from "../node/fileErrors.ts";

/** The contents of a file; texts are written as UTF-8. */
export type FilePieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Writes the pieces as a file. @param replace true where a file of that name may exist */
export async function writeFileWhole(
  path: string,
  replace: boolean,
  pieces: FilePieces,
  signal: AbortSignal,
): Promise<void> {
  // Only part of the name is used, since it may be as long as names can be.
  const temporary = join(
    dirname(path),
    `.${basename(path).slice(0, 50)}.${randomBytes(6).toString("hex")}.tmp`,
  );
  const file = await open(temporary, "wx");
  if (unfinished.size === 0) process.on("exit", removeUnfinished);
  unfinished.add(temporary);
  try {
    try {
      await writePieces(file, pieces, signal);
      await file.sync();
    } finally {
      await file.close();
    }
    signal.throwIfAborted();
    await (replace ? rename(temporary, path) : renameToNew(temporary, path));
    written.push(path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // the user must hear of the error before this one
    throw error;
  } finally {
    unfinished.delete(temporary);
    if (unfinished.size === 0) process.off("exit", removeUnfinished);
  }
}

const unfinished = new Set<string>();

/** Removes the files that are not complete, when the process ends. */
export function removeUnfinished(): void {
  for (const temporary of unfinished) rmSync(temporary, { force: true });
}

const written: string[] = [];

/** Returns the files that are complete so far. */
export function writtenFiles(): readonly string[] {
  return written;
}

/**
 * Renames a file to a name that must be new: of two processes that do so at once, one fails, since a link is
 * made only where nothing exists.
 */
async function renameToNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw existsAlready(path);
    // Some file systems have no links.
    if (await factsOf(path)) throw existsAlready(path);
    return rename(temporary, path);
  }
  await unlink(temporary);
}

async function writePieces(file: FileHandle, pieces: FilePieces, signal: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    await file.writeFile(piece);
  }
}

/** @param option the option that named the path */
export function existsAlready(path: string, option = "--out"): InvalidInputError {
  return new InvalidInputError(
    `exists already; add --force to replace it, or name another file (${option})`,
    { file: path },
  );
}

/** Returns the facts of a path; undefined when nothing exists there. */
export async function factsOf(path: string) {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError(error, path, "written");
  }
}
