/**
 * What the CPU tests share: a WorkerHandle over worker_threads, problems for `knn.filter`, and one call that
 * runs a problem on a backend. Not the expected results, which are naive.ts.
 */
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import type { Backend, SegmentOptions, Segment, Step } from "../../../src/runtime/backend.ts";
import type { HostSource } from "../../../src/runtime/source.ts";
import type { WorkerHandle } from "../../../src/core/platform.ts";
import type { KnnFilterParams } from "../../../src/ops/knn/contract/filter.ts";
import { type CpuBackend, type CpuOptions, openCpu } from "../../../dist/runtime/cpu/backend.js";
import { knnFilter } from "../../../dist/ops/knn/primitives.js";

export const workerUrl = new URL("../../../dist/worker.js", import.meta.url);
export const backendUrl = new URL("../../../dist/runtime/cpu/backend.js", import.meta.url);

export function spawn(url: URL = workerUrl): WorkerHandle {
  const worker = new Worker(url);
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    onMessage: (listener) => worker.on("message", listener),
    onError: (listener) => {
      worker.on("error", listener);
      worker.on("exit", (code) => listener(new Error(`it exited with code ${code}`)));
    },
    keepAlive: (alive) => (alive ? worker.ref() : worker.unref()),
    terminate: async () => void (await worker.terminate()),
  };
}

/** Tiles so small that fifty rows run through every path: many tasks, several tiles, rows summed in parts. */
export const tiny = {
  queryRows: 7,
  fewestQueryRows: 1,
  tileRows: 16,
  tileBytes: 2 ** 12,
  depth: 8,
  taskCost: 5000,
};

export function open(options: Partial<CpuOptions> = {}): Promise<CpuBackend> {
  return openCpu({ spawn, threads: 2, memoryBytes: 2 ** 28, relaxed: false, ...options });
}

/** The same for one test, which disposes of it. */
export async function backendWith(options: Partial<CpuOptions> = {}): Promise<CpuBackend> {
  const backend = await open(options);
  onTestFinished(() => backend.dispose());
  return backend;
}

/** Ends each worker that is given such a task as long as `kills` says so. */
export function spawnDying(kind: string, kills: () => boolean): WorkerHandle {
  const handle = spawn();
  const started = new Promise<void>((resolve) => handle.onMessage(() => resolve()));
  return {
    ...handle,
    post(message, transfer) {
      if ((message as { kind: string }).kind === kind && kills()) void started.then(() => handle.terminate());
      else handle.post(message, transfer);
    },
  };
}

/** Rows of float32 with their meta, [rows][dims] and [rows][4]. */
export interface Rows {
  readonly values: Float32Array;
  readonly meta: Float32Array;
  readonly rows: number;
}

export interface Problem {
  readonly params: Omit<KnnFilterParams, "stride" | "queryRows" | "refBegin" | "refRows" | "refOffset">;
  readonly queries: Rows;
  readonly refs: Rows;
}

export interface Entry {
  readonly index: number;
  readonly low: number;
  readonly high: number;
}

export interface List {
  readonly count: number;
  readonly limit: number;
  /** Empty after an overflow. */
  readonly entries: readonly Entry[];
}

export interface Setup {
  /** Where the references are cut into calls; default none. */
  readonly cuts?: readonly number[];
  /** Rows of other data around the references of each call. */
  readonly fringe?: number;
  readonly refOffset?: number;
  readonly options?: SegmentOptions;
}

export const names = ["queries", "queryMeta", "refs", "refMeta", "heads", "candidates", "intervals"] as const;

/** Runs `problem` as one segment; every buffer is full of garbage before it is written. */
export async function filter(backend: Backend, problem: Problem, setup: Setup = {}): Promise<List[]> {
  const { params, queries, refs } = problem;
  const { cuts = [], fringe = 0, refOffset = 0 } = setup;
  const stride = Math.ceil(params.dims / 4) * 4;
  const calls = [0, ...cuts].map((begin, i) => ({ begin, end: cuts[i] ?? refs.rows }));
  const callRows = Math.max(...calls.map(({ begin, end }) => end - begin)) + 2 * fringe;
  const sizes = {
    queries: queries.rows * stride * 4,
    queryMeta: queries.rows * 16,
    refs: callRows * stride * 4,
    refMeta: callRows * 16,
    heads: queries.rows * 8,
    candidates: queries.rows * params.capacity * 4,
    intervals: queries.rows * params.capacity * 8,
  };
  const steps: Step[] = names.map((to) => ({
    kind: "upload",
    to,
    source: to,
    part: "garbage",
    rows: { begin: 0, end: 1 },
  }));
  steps.push(
    upload("queries", "q", "values", 0, queries.rows),
    upload("queryMeta", "q", "meta", 0, queries.rows),
  );
  steps.push({ kind: "clear", buffer: "heads" });
  for (const { begin, end } of calls) {
    steps.push(
      upload("refs", "r", "values", begin, end + 2 * fringe),
      upload("refMeta", "r", "meta", begin, end + 2 * fringe),
    );
    steps.push({
      kind: "run",
      primitive: knnFilter,
      params: {
        ...params,
        stride,
        queryRows: queries.rows,
        refBegin: fringe,
        refRows: end - begin,
        refOffset: refOffset + begin - fringe,
      },
      bindings: Object.fromEntries(names.map((name) => [name, name])),
      cost: queries.rows * (end - begin) * params.dims,
    });
  }
  for (const from of ["heads", "candidates", "intervals"] as const) {
    steps.push({ kind: "download", from, bytes: sizes[from] });
  }
  const segment: Segment = {
    label: "test",
    buffers: names.map((name) => ({ name, bytes: sizes[name] })),
    steps,
  };
  const sources = {
    q: source(queries, params.dims, stride, 0),
    r: source(refs, params.dims, stride, fringe),
    ...Object.fromEntries(names.map((name) => [name, garbage(sizes[name])])),
  };
  const session = await backend.open([]);
  try {
    const { downloads } = await session.run(segment, sources, setup.options);
    return readLists(downloads, queries.rows, params);
  } finally {
    session.dispose();
  }
}

function upload(to: string, name: string, part: string, begin: number, end: number): Step {
  return { kind: "upload", to, source: name, part, rows: { begin, end } };
}

/** Rows padded with zeros to the stride; `fringe` rows of NaN before and after. */
function source({ values, meta, rows }: Rows, dims: number, stride: number, fringe: number): HostSource {
  return {
    rows: rows + 2 * fringe,
    rowBytes: (part) => (part === "values" ? stride * 4 : 16),
    fill(part, set, target) {
      const [from, width, step] = part === "values" ? [values, dims, stride] : [meta, 4, 4];
      const { begin, end } = set as { begin: number; end: number };
      const out = new Float32Array(target.buffer, target.byteOffset, target.byteLength / 4).fill(0);
      for (let i = begin; i < end; i++) {
        const row = i - fringe;
        const at = (i - begin) * step;
        if (row < 0 || row >= rows) out.fill(NaN, at, at + step);
        else out.set(from.subarray(row * width, (row + 1) * width), at);
      }
    },
  };
}

function garbage(bytes: number): HostSource {
  return { rows: 1, rowBytes: () => bytes, fill: (_part, _rows, target) => void target.fill(0xc5) };
}

function readLists(
  downloads: ReadonlyMap<string, ArrayBuffer>,
  queryRows: number,
  { k, capacity }: Problem["params"],
): List[] {
  const counts = new Uint32Array(downloads.get("heads")!);
  const limits = new Float32Array(downloads.get("heads")!);
  const candidates = new Uint32Array(downloads.get("candidates")!);
  const intervals = new Float32Array(downloads.get("intervals")!);
  return Array.from({ length: queryRows }, (_, query) => {
    const count = counts[query * 2];
    const size = count > capacity ? 0 : count;
    const entries = Array.from({ length: size }, (_, i) => {
      const at = query * capacity + i;
      return { index: candidates[at], low: intervals[2 * at], high: intervals[2 * at + 1] };
    });
    return { count, limit: count >= k && count <= capacity ? limits[query * 2 + 1] : NaN, entries };
  });
}

/** A seeded generator of numbers in [0, 1). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function rowsOf(
  rows: number,
  dims: number,
  value: () => number,
  meta: (row: Float32Array) => number[],
): Rows {
  const values = Float32Array.from({ length: rows * dims }, value);
  const metas = new Float32Array(rows * 4);
  for (let i = 0; i < rows; i++) metas.set(meta(values.subarray(i * dims, (i + 1) * dims)), i * 4);
  return { values, meta: metas, rows };
}
