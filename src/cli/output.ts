/**
 * Writes results to standard output, or to a file that appears only when it is complete, gzipped where its
 * name ends with .gz. Everything that can be refused is refused before the work starts.
 */
import { constants, fstatSync, write } from "node:fs";
import { access, lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Readable, pipeline } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { unlessAborted } from "../core/async/aborted.ts";
import { InvalidInputError } from "../core/errors.ts";
import { fileError } from "../node/fileErrors.ts";
import { DASH } from "./files.ts";
import { existsAlready, factsOf, writeFileWhole } from "./wholeFile.ts";
import type { FilePieces } from "./wholeFile.ts";

export type OutputTarget =
  | { readonly kind: "stdout" }
  /** A special target is a device or a pipe, which is neither replaced nor removed. */
  | { readonly kind: "special"; readonly path: string; readonly packed: boolean }
  | { readonly kind: "file"; readonly path: string; readonly packed: boolean; readonly replace: boolean };

/**
 * Decides where to write, and creates nothing.
 * @param inputs paths that must not be written over
 * @param option the option that named the path, which errors name
 * @throws InvalidInputError for a file that exists (without `force`), is an input or a folder, or whose
 *   folder is missing.
 */
export async function outputTarget(
  path: string,
  inputs: readonly string[],
  force: boolean,
  option = "--out",
): Promise<OutputTarget> {
  if (path === DASH) return { kind: "stdout" };
  const place = { file: path };
  if (path === "" || path.endsWith("/")) {
    throw new InvalidInputError(`${option} names no file; give it a path, or - for stdout`, place);
  }
  const packed = /\.gz$/i.test(path);
  const existing = await factsOf(path);
  if (!existing) {
    const target = await pointedTo(path);
    await checkFolder(target);
    return { kind: "file", path: target, packed, replace: false };
  }
  if (existing.isDirectory())
    throw new InvalidInputError(`is a folder; name a file to write (${option})`, place);
  if (!existing.isFile()) return { kind: "special", path, packed };
  for (const input of inputs) {
    const facts = input === DASH ? undefined : await factsOf(input);
    if (facts?.ino === existing.ino && facts.dev === existing.dev) {
      throw new InvalidInputError(`is also read, as ${input}; write to another file (${option})`, place);
    }
  }
  if (!force) throw existsAlready(path, option);
  const target = await realpath(path);
  await checkFolder(target);
  return { kind: "file", path: target, packed, replace: true };
}

/**
 * Decides where to write the page of --report, undefined where none was asked for.
 * @param inputs paths that must not be written over
 * @param others what else is written
 * @throws InvalidInputError as `outputTarget` does, for stdout, and for a file that is written already
 */
export async function reportTarget(
  { report, force = false }: { readonly report?: string; readonly force?: boolean },
  inputs: readonly string[],
  others: readonly OutputTarget[] = [],
): Promise<OutputTarget | undefined> {
  return sideTarget("--report", report, { inputs, force, others });
}

/**
 * Decides where to write what an option names beside the result, as `reportTarget` does for --report.
 * @throws InvalidInputError as `outputTarget` does, for stdout, and for a file that is written already
 */
export async function sideTarget(
  option: string,
  path: string | undefined,
  { inputs, force, others }: { inputs: readonly string[]; force: boolean; others: readonly OutputTarget[] },
): Promise<OutputTarget | undefined> {
  if (path === undefined) return undefined;
  if (path === DASH)
    throw new InvalidInputError(`${option} needs a file of its own; stdout is for results and summaries`);
  const target = await outputTarget(path, inputs, force, option);
  for (const other of others)
    if (await isSameFile(target, other))
      throw new InvalidInputError(`${option} and another output are the same file; name two`, { file: path });
  return target;
}

/** Says whether two targets are one file, by whatever names and links. */
export async function isSameFile(a: OutputTarget, b: OutputTarget): Promise<boolean> {
  if (a.kind !== "file" || b.kind !== "file" || basename(a.path) !== basename(b.path)) return false;
  return (await realpath(dirname(a.path))) === (await realpath(dirname(b.path)));
}

/** Writes all pieces or, to a file, nothing. */
export async function writeOutput(
  target: OutputTarget,
  pieces: FilePieces,
  signal: AbortSignal,
): Promise<void> {
  if (target.kind === "stdout") {
    for await (const piece of pieces) {
      // Files are written synchronously here; without a turn of the event loop Ctrl-C would wait for the end.
      await setImmediate();
      signal.throwIfAborted();
      await writeStdout(piece, signal);
    }
    return;
  }
  const bytes = target.packed ? gzipped(pieces) : pieces;
  try {
    if (target.kind === "special") await writeSpecial(target.path, bytes, signal);
    else await writeFileWhole(target.path, target.replace, bytes, signal);
  } catch (error) {
    throw fileError(error, target.path, "written");
  }
}

/** @param signal ends the wait for a reader that reads no more */
export async function writeStdout(text: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  try {
    const { fd } = process.stdout;
    if (fstatSync(fd).isFile()) {
      await writeWhole(fd, typeof text === "string" ? Buffer.from(text) : text);
      return;
    }
    const whole = new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
    await unlessAborted(whole, signal);
  } catch (error) {
    throw fileError(error, "standard output", "written");
  }
}

const writeSome = promisify(write);

/**
 * Writes all bytes to a stdout that is a file. Node's own stream of it loses those that a write leaves over;
 * here the next write tries them, and fails with the reason.
 */
async function writeWhole(fd: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await writeSome(fd, bytes, at)).bytesWritten;
}

/**
 * Ends the command quietly when a reader such as `head` has seen enough. Other errors are left to
 * writeStdout.
 */
export function ignoreBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
  });
  process.stderr.on("error", () => undefined);
}

/**
 * Returns the gzipped pieces. An error of the pieces is thrown here, where they are read, so that the
 * callback need not report it.
 */
function gzipped(pieces: FilePieces): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(pieces), createGzip(), () => undefined);
}

/** Writes to a device or a pipe, which may wait for a reader that never comes, or that reads no more. */
async function writeSpecial(path: string, pieces: FilePieces, signal: AbortSignal): Promise<void> {
  const opening = open(path, "w");
  const file = await unlessAborted(opening, signal).catch((error: unknown) => {
    void opening.then((opened) => opened.close()).catch(() => undefined);
    throw error;
  });
  try {
    for await (const piece of pieces) await unlessAborted(file.writeFile(piece), signal);
  } finally {
    await unlessAborted(file.close(), signal);
  }
}

/** At most so many symbolic links are followed; more are a circle, which the system has refused already. */
const MOST_LINKS = 64;

/**
 * Follows symbolic links to a target that does not exist, through others if need be; returns any other path
 * as it is.
 */
async function pointedTo(path: string): Promise<string> {
  let target = path;
  for (let left = MOST_LINKS; left > 0; left--) {
    const facts = await lstat(target).catch(() => undefined); // checkFolder decides about a missing one
    if (!facts?.isSymbolicLink()) break;
    target = resolve(await realpath(dirname(target)), await readlink(target));
  }
  return target;
}

async function checkFolder(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    const known = fileError(error, path, "written");
    if (known === error) throw error;
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!missing) throw known;
    throw new InvalidInputError(
      `the folder ${folder} does not exist; create it first`,
      { file: path },
      error,
    );
  }
}
