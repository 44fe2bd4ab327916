/**
 * Runs a process: opens its files, plans, and does node by node what the plan says. A node that fails stops
 * what hangs on it and nothing else, but for files: they are written last, and only where nothing has failed.
 * How they are read and written is the caller's: nothing here knows a disk or a page.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { NearfieldError } from "../core/errors.ts";
import { bytesSource, readBytes } from "../io/index.ts";
import type { ByteSource, Pieces } from "../io/index.ts";
import type { Device } from "../runtime/device.ts";
import type { Progress } from "../runtime/execute.ts";
import { untilAborted } from "../core/async/aborted.ts";
import { assertSound } from "./check.ts";
import { entryOf, readsFile } from "./catalogue/catalogue.ts";
import { didYouMean } from "./document/document.ts";
import type { ProcessDocument } from "./document/document.ts";
import { quote } from "./document/json.ts";
import { orderOf, wiresInto } from "./document/order.ts";
import { atNode } from "./errors.ts";
import { plannedSteps } from "./plan.ts";
import { readValue } from "./readAs.ts";
import type { PlanStep, Planned } from "./plan.ts";
import { Digest } from "./results/digest.ts";
import { fingerprintOf } from "./results/fingerprint.ts";
import { KeptResults } from "./results/kept.ts";
import type { NodeOutput, NodeOutputs } from "./results/kept.ts";
import { disposeValue } from "./values.ts";
import type { PortType, PortValues } from "./values.ts";

/**
 * `runProcess` takes these options.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const options: RunOptions = {
 *   device,
 *   open: (path) => textSource("x,y\n1,2\n", path),
 *   only: "read",
 * };
 * const nodes = { read: { operator: "readTable", parameters: { file: "a.csv" } } };
 * (await runProcess({ nearfield: 1, nodes }, options)).nodes[0].state; // => "done"
 * device.dispose();
 */
export interface RunOptions {
  readonly device: Device;
  /** Opens the file that a reading node names; needed if there are reading nodes. */
  readonly open?: (path: string, node: string) => ByteSource | Promise<ByteSource>;
  /** Writes a file completely or not at all; needed if there are writing nodes. */
  readonly write?: (path: string, pieces: Pieces, node: string) => Promise<void>;
  /** They are the results of earlier runs, which the caller disposes of; default none. */
  readonly kept?: KeptResults;
  /** Runs only this node and what it needs; default all nodes. */
  readonly only?: string;
  readonly signal?: AbortSignal;
  /** Is called with what a node does, at most 20 times a second. */
  readonly onProgress?: (node: string, progress: Progress) => void;
  /** Is called when a node has ended. */
  readonly onNode?: (result: NodeResult) => void;
}

/**
 * A node came to this end.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const nodes = { knn: { operator: "knn", parameters: { k: 3 } } };
 * const [result]: readonly NodeResult[] = (await runProcess({ nearfield: 1, nodes }, { device })).nodes;
 * result.state; // => "done"
 * result.outputs.learner.type; // => "Learner"
 * device.dispose();
 */
export interface NodeResult extends Omit<PlanStep, "state"> {
  /** It is "skipped" if something that it needs has failed, or if it writes and anything has failed. */
  readonly state: "done" | "kept" | "failed" | "skipped";
  readonly seconds: number;
  /** They are its outputs by name; none where it failed. */
  readonly outputs: Readonly<Record<string, NodeOutput>>;
  /** A node failed with this error, whose message names the node. */
  readonly error?: NearfieldError;
}

/**
 * A run gives this result.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const nodes = { learn: { operator: "knn" } };
 * const result: ProcessResult = await runProcess({ nearfield: 1, nodes }, { device });
 * result.nodes.map(({ node, state }) => `${node}: ${state}`); // => ["learn: done"]
 * result.dispose();
 * device.dispose();
 */
export interface ProcessResult {
  /** It has the nodes in the order in which they ran. */
  readonly nodes: readonly NodeResult[];
  /** Frees trained models, unless `kept` was given, which then owns them. */
  dispose(): void;
  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void;
}

const PROGRESS_MS = 50;

/**
 * Runs a process, or one node with what it needs.
 * @example
 * import { parseProcess, runProcess } from "nearfield/graph";
 *
 * const process = parseProcess(`{ "nearfield": 1, "nodes": {
 *   "read": { "operator": "readTable", "parameters": { "file": "points.csv" } },
 *   "near": { "operator": "nearestNeighbours", "inputs": { "train": "read.table" }, "parameters": { "k": 1 } }
 * } }`);
 * const device = await Device.create();
 * const open = (path: string) => textSource("x,y\n0,0\n9,9\n1,0\n", path);
 * const result = await runProcess(process, { device, open });
 * const { neighbours } = result.nodes[1].outputs;
 * neighbours.type === "Neighbours" && neighbours.value.result.indices; // => [2, 2, 0]
 * result.dispose();
 * device.dispose();
 * @throws InvalidInputError for a process that cannot run, before anything ran; the signal's reason. A node
 *   that fails while it runs is in the result.
 */
export async function runProcess(document: ProcessDocument, options: RunOptions): Promise<ProcessResult> {
  const { device, signal, only, onNode } = options;
  const part = partOf(document, only);
  assertSound(part);
  const files = await openFiles(part, options);
  const kept = options.kept ?? new KeptResults();
  kept.moveTo(device);
  const release = () => {
    if (options.kept === undefined) kept.dispose();
  };
  const results = new Map<string, NodeResult>();
  try {
    const { kind, name } = device.info;
    const steps = plannedSteps(part, { files, kept, device: `${name} (${kind})` });
    const [making, writing] = [false, true].map((effect) =>
      steps.filter(({ entry }) => entry.effect === effect),
    );
    for (const step of [...making, ...writing]) {
      signal?.throwIfAborted();
      const result = await runNode(
        step,
        part,
        { results, kept, source: files.get(step.node)?.source },
        options,
      );
      results.set(step.node, result);
      onNode?.(result);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { nodes: [...results.values()], dispose: release, [Symbol.dispose]: release };
}

/**
 * Returns the part of a process that one node needs, and it; all of it where none is named.
 * @throws InvalidInputError for a node that does not exist, with the nearest one
 */
export function partOf(document: ProcessDocument, only: string | undefined): ProcessDocument {
  if (only === undefined) return document;
  if (!Object.hasOwn(document.nodes, only)) {
    const ids = Object.keys(document.nodes);
    throw new InvalidInputError(
      `there is no node ${quote(only)}${didYouMean(only, ids)}; there are ${ids.join(", ")}`,
    );
  }
  const { ids, stuck } = orderOf(document, only);
  const nodes = Object.fromEntries([...ids, ...stuck].map((id) => [id, document.nodes[id]]));
  return { ...document, nodes };
}

interface OpenFile {
  readonly source: ByteSource;
  readonly name: string;
  readonly fingerprint: string;
}

/** Opens the files of reading nodes and reads them once for their fingerprints. */
async function openFiles({ nodes }: ProcessDocument, options: RunOptions): Promise<Map<string, OpenFile>> {
  const files = new Map<string, OpenFile>();
  for (const id of Object.keys(nodes)) {
    const { operator, parameters = {} } = nodes[id];
    const { file } = parameters;
    const entry = entryOf(operator);
    if (entry === undefined || !readsFile(entry) || typeof file !== "string") continue;
    try {
      files.set(id, await openFile(file, id, options));
    } catch (error) {
      options.signal?.throwIfAborted();
      throw atNode(id, entry.title, error);
    }
  }
  return files;
}

async function openFile(path: string, node: string, { open, signal }: RunOptions): Promise<OpenFile> {
  if (open === undefined)
    throw new InvalidInputError("the process reads files; give runProcess a way to open them");
  const given = await open(path, node);
  const { name } = given;
  const source = given.once === true ? bytesSource(await readBytes(given), name) : given;
  const digest = new Digest();
  for await (const piece of untilAborted(source.stream(signal), signal)) await digest.add(piece);
  return { source, name, fingerprint: await digest.end() };
}

interface Around {
  readonly results: ReadonlyMap<string, NodeResult>;
  readonly kept: KeptResults;
  readonly source: ByteSource | undefined;
}

async function runNode(
  step: Planned,
  { nodes }: ProcessDocument,
  { results, kept, source }: Around,
  options: RunOptions,
): Promise<NodeResult> {
  const { node, title, key, reason, entry, parameters, ingredients } = step;
  const facts = { node, title, key, reason, seconds: 0, outputs: {} };
  const wires = wiresInto(nodes[node]);
  const failed = wires.find(({ node: from }) => Object.hasOwn(results.get(from) ?? {}, "error"));
  const skipped = wires.find(({ node: from }) => results.get(from)?.state === "skipped") ?? failed;
  if (skipped !== undefined) return { ...facts, state: "skipped", reason: `${skipped.node} has no result` };
  const other = entry.effect ? [...results.values()].find(({ state }) => state === "failed") : undefined;
  if (other !== undefined)
    return { ...facts, state: "skipped", reason: `${other.node} failed, so nothing is written` };
  const before = entry.effect ? undefined : kept.get(key);
  // Two nodes that do the same to the same share one result, the second one's reason being the first.
  if (before !== undefined) {
    kept.ran(node, ingredients);
    const why = step.state === "kept" ? reason : "another node did the same to the same";
    return { ...facts, reason: why, state: "kept", outputs: before };
  }
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1000;
  try {
    const inputs: Record<string, PortValues[PortType] | undefined> = {};
    for (const { input, node: from, output } of wires) {
      const given = results.get(from)?.outputs[output];
      const types = entry.inputs.find(({ name }) => name === input)?.types ?? [];
      if (given !== undefined)
        inputs[input] = await readValue(given.value, given.type, types, options.signal);
    }
    const made = await entry.run(inputs, parameters, contextOf(step, source, options));
    const outputs = await fingerprinted(entry, made, options.signal);
    kept.ran(node, ingredients);
    if (!entry.effect) kept.keep(key, outputs);
    return { ...facts, state: "done", seconds: seconds(), outputs };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { ...facts, state: "failed", seconds: seconds(), error: atNode(node, title, error) };
  }
}

function contextOf({ node, parameters }: Planned, source: ByteSource | undefined, options: RunOptions) {
  const { device, signal, onProgress, write } = options;
  let shownAt = -Infinity;
  return {
    device,
    signal,
    onProgress: (progress: Progress) => {
      const now = performance.now();
      if (now - shownAt < PROGRESS_MS && progress.done !== progress.total) return;
      shownAt = now;
      onProgress?.(node, progress);
    },
    source: () => {
      if (source !== undefined) return source;
      throw new InvalidInputError("there is no file to read");
    },
    write: async (pieces: Pieces) => {
      if (write === undefined)
        throw new InvalidInputError("the process writes files; give runProcess a way to write them");
      await write(String(parameters.file), pieces, node);
    },
  };
}

async function fingerprinted(
  { outputs }: Planned["entry"],
  made: Readonly<Record<string, PortValues[PortType] | undefined>>,
  signal: AbortSignal | undefined,
): Promise<NodeOutputs> {
  const found: Record<string, NodeOutput> = {};
  try {
    for (const { name, type } of outputs) {
      const value = Object.hasOwn(made, name) ? made[name] : undefined;
      if (value === undefined) continue;
      found[name] = { type, value, fingerprint: await fingerprintOf(value, signal) } as NodeOutput;
    }
    return found;
  } catch (error) {
    for (const value of Object.values(made)) if (value !== undefined) disposeValue(value);
    throw error;
  }
}
