/**
 * The files of a process: what it reads lies in its folder, unless --data names another file; what it writes
 * stays below its folder or --out, through links too, since a process may be a stranger's.
 */
import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { operators } from "../../graph/index.ts";
import type { ProcessDocument } from "../../graph/index.ts";
import type { ByteSource } from "../../io/index.ts";
import { InvalidInputError } from "../../node.ts";
import { fileError } from "../../node/fileErrors.ts";
import { listNames } from "../../table/index.ts";
import { DASH, inputSource } from "../files.ts";
import { outputTarget } from "../output.ts";
import type { Target } from "../output.ts";

export interface ProcessFiles {
  /** The folder of the process. */
  readonly folder: string;
  /** Files to read instead of those that nodes name, by node. */
  readonly data: ReadonlyMap<string, string>;
  readonly document: ProcessDocument;
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

/** @throws InvalidInputError for --data of a node that reads nothing */
export function checkData({ data, document }: ProcessFiles): void {
  const reading = nodesWithFiles(document, "read").map(([id]) => id);
  const unknown = [...data.keys()].find((id) => !reading.includes(id));
  if (unknown === undefined) return;
  const there = reading.length === 0 ? "no node does" : `those that do are ${listNames(reading)}`;
  throw new InvalidInputError(`--data: the node ${JSON.stringify(unknown)} reads no file; ${there}`);
}

/** Opens the file of a reading node. */
export function sourceOf(
  { folder, data }: ProcessFiles,
  path: string,
  node: string,
  signal: AbortSignal,
): Promise<ByteSource> {
  return inputSource(data.get(node) ?? join(folder, ...path.split("/")), signal);
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
): Promise<ReadonlyMap<string, Target>> {
  const writing = nodesWithFiles(files.document, "write");
  if (writing.length === 0) return new Map();
  const reading = nodesWithFiles(files.document, "read").map(
    ([id, path]) => files.data.get(id) ?? join(files.folder, ...path.split("/")),
  );
  const inputs = [process, ...reading].filter((path) => path !== DASH);
  const targets = new Map<string, Target>();
  for (const [id, path] of writing) {
    const whole = join(root, ...path.split("/"));
    targets.set(id, await within(await outputTarget(whole, inputs, force), root, whole));
  }
  return targets;
}

/** Returns the target with all links followed. */
async function within(target: Target, root: string, path: string): Promise<Target> {
  if (target.kind !== "file")
    throw new InvalidInputError("is a device or a pipe, which processes do not write to; name a file", {
      file: path,
    });
  try {
    const real = join(await realpath(dirname(target.path)), basename(target.path));
    const way = relative(await realpath(root), real);
    if (!way.startsWith("..") && !isAbsolute(way)) return { ...target, path: real };
    throw new InvalidInputError(
      `a link leads to ${real}, outside of the folder ${root}, below which a process writes; name another file`,
      { file: path },
    );
  } catch (error) {
    throw fileError(error, path, "written");
  }
}
