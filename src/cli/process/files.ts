/**
 * Finds the files of a process: what it reads lies in its folder, unless --data names another file; what it
 * writes stays below its folder or --out. Both hold through links too, since a process may be a stranger's.
 */
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { atNode } from "../../graph/errors.ts";
import { operators } from "../../graph/index.ts";
import type { ProcessDocument } from "../../graph/index.ts";
import type { ByteSource } from "../../io/index.ts";
import { InvalidInputError } from "../../node.ts";
import { fileError } from "../../node/fileErrors.ts";
import { listNames } from "../../table/index.ts";
import { DASH, inputSource } from "../files.ts";
import { outputTarget } from "../output.ts";
import type { OutputTarget } from "../output.ts";

export interface ProcessFiles {
  /** The process is in this folder. */
  readonly folder: string;
  /** These files are read instead of those that nodes name, by node. */
  readonly data: ReadonlyMap<string, string>;
  /** This part of the process runs. */
  readonly document: ProcessDocument;
  /** It is the process with all of its nodes. */
  readonly whole: ProcessDocument;
}

/** A file that describes a process has at most so many bytes: four for each character. */
const MOST_BYTES = 4e7;

/** Reads the text of a file that describes a process, but no more than it may have. */
export async function textOf(source: ByteSource): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of source.stream()) {
    bytes += piece.length;
    if (bytes > MOST_BYTES)
      throw new InvalidInputError(`has more than ${MOST_BYTES} bytes, so it is not a process`, {
        file: source.name,
      });
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the nodes that read or write a file, with the path as the process has it. */
export function nodesWithFiles(
  { nodes }: ProcessDocument,
  kind: "read" | "write",
): [id: string, path: string][] {
  return Object.entries(nodes).flatMap(([id, { operator, parameters = {} }]): [string, string][] => {
    const entry = operators.find((each) => each.id === operator);
    const hasFile = entry?.parameters.some((parameter) => parameter.kind === "file") === true;
    if (!hasFile || entry.effect !== (kind === "write")) return [];
    return [[id, String(parameters.file)]];
  });
}

/** @throws InvalidInputError for --data of a node that reads nothing, and for standard input given twice */
export function checkData({ data, whole, document }: ProcessFiles): void {
  const piped = [...data].flatMap(([id, path]) =>
    path === DASH && Object.hasOwn(document.nodes, id) ? [id] : [],
  );
  if (piped.length > 1)
    throw new InvalidInputError(
      `--data: ${listNames(piped)} would all read standard input, which can be read once; name files`,
    );
  const reading = nodesWithFiles(whole, "read").map(([id]) => id);
  const unknown = [...data.keys()].find((id) => !reading.includes(id));
  if (unknown === undefined) return;
  const there = reading.length === 0 ? "no node does" : `those that do are ${listNames(reading)}`;
  throw new InvalidInputError(`--data: the node ${JSON.stringify(unknown)} reads no file; ${there}`);
}

/**
 * Opens the file of a reading node.
 * @throws InvalidInputError for one that cannot be read, or that a link leads to out of the process's folder
 */
export async function sourceOf(
  { folder, data }: ProcessFiles,
  path: string,
  node: string,
  signal: AbortSignal,
): Promise<ByteSource> {
  const given = data.get(node);
  if (given !== undefined) return inputSource(given, signal);
  const file = join(folder, ...path.split("/"));
  const outside = await leavingTo(file, folder, "read");
  if (outside === undefined) return inputSource(file, signal);
  throw new InvalidInputError(
    `a link leads to ${outside}, outside of the process's folder; if you mean that file, add --data ${node}=${outside}`,
    { file },
  );
}

/** Returns where a path leads with all links followed, if that is not below the folder. */
async function leavingTo(
  path: string,
  folder: string,
  verb: "read" | "written",
): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return isBelow(real, await realpath(folder)) ? undefined : real;
  } catch (error) {
    throw fileError(error, path, verb);
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Decides where each writing node writes, and creates nothing.
 * @throws InvalidInputError for a file that exists (without `force`), is read too, or lies outside of `root`
 */
export async function targetsOf(
  files: ProcessFiles,
  root: string,
  process: string,
  force: boolean,
): Promise<ReadonlyMap<string, FileTarget>> {
  const writing = nodesWithFiles(files.document, "write");
  if (writing.length === 0) return new Map();
  const reading = nodesWithFiles(files.document, "read").map(
    ([id, path]) => files.data.get(id) ?? join(files.folder, ...path.split("/")),
  );
  const inputs = [process, ...reading].filter((path) => path !== DASH);
  const targets = new Map<string, FileTarget>();
  for (const [id, path] of writing) {
    const whole = join(root, ...path.split("/"));
    try {
      const target = await within(await outputTarget(whole, inputs, force), root, whole);
      const [other] = [...targets].find(([, each]) => each.path === target.path) ?? [];
      if (other !== undefined)
        throw new InvalidInputError(
          `links lead to the file that the node ${other} writes; name another file`,
          {
            file: whole,
          },
        );
      targets.set(id, target);
    } catch (error) {
      const { operator } = files.document.nodes[id];
      throw atNode(id, operators.find((each) => each.id === operator)?.title ?? operator, error);
    }
  }
  return targets;
}

type FileTarget = Extract<OutputTarget, { readonly kind: "file" }>;

/** Returns the target with all links followed. */
async function within(target: OutputTarget, root: string, path: string): Promise<FileTarget> {
  if (target.kind !== "file")
    throw new InvalidInputError("is a device or a pipe, which processes do not write to; name a file", {
      file: path,
    });
  const name = basename(target.path);
  const outside = await leavingTo(dirname(target.path), root, "written");
  if (outside === undefined) return { ...target, path: join(await realpath(dirname(target.path)), name) };
  throw new InvalidInputError(
    `a link leads to ${join(outside, name)}, outside of the folder ${root}, below which a process writes; name another file`,
    { file: path },
  );
}
