/**
 * The CPU backend: walks the steps of a segment over buffers in host memory and has a pool of WASM workers run the
 * primitives. Policy free: which segments to run, and what to do about an error, is plan/ and engine/.
 */
import type {
  Backend,
  BackendInfo,
  BufferSpec,
  Counters,
  HostSource,
  InPlaceOptions,
  RunOptions,
  Segment,
  SegmentOutput,
  Session,
  Sources,
  Step,
  UploadStep,
} from "../backend.ts";
import { rowCount, sliceRows } from "../backend.ts";
import { assert, UnavailableError } from "../../core/errors.ts";
import { clamp } from "../../core/math.ts";
import type { WorkerHandle } from "../../core/platform.ts";
import type { AllPairs } from "../../distance/exact/allPairs.ts";
import type { RunStep } from "../primitives.ts";
import { Yielder } from "../../core/async/yielding.ts";
import type { ArrayWasm } from "./arrayWasm.ts";
import { BufferSpace, canShare, HostBuffer } from "./buffers.ts";
import { instantiateLocal } from "./local.ts";
import { evaluateAll } from "../../distance/exact/nearest.ts";
import { Pool } from "./pool.ts";
import { chooseBuild, probeWasm } from "./probe.ts";
import type { WasmBuild } from "./probe.ts";
import { runStep, type RunContext } from "./runners.ts";
import { knnTuning, type Tuning } from "../../ops/knn/cpu/tuning.ts";
import { wasm } from "./wasm.generated.ts";

export interface CpuOptions {
  /** Starts cpu/worker. */
  readonly spawn: () => WorkerHandle;
  /** Workers, at least 1. */
  readonly threads: number;
  /** Bytes that all buffers together may take. */
  readonly memoryBytes: number;
  /** The WASM build; "auto" (default) takes relaxed SIMD where the runtime has it. */
  readonly relaxed?: boolean | "auto";
  /** Whether workers share the buffers or get copies; "auto" (default) shares where the runtime allows it. */
  readonly shared?: boolean | "auto";
  /** For people; default the WASM build and the workers. */
  readonly name?: string;
  /** For tests, which run every path with tiny tiles. */
  readonly tuning?: Partial<Tuning>;
}

/** Multiply-adds per second and worker to assume before anything was measured. */
const INITIAL_RATE = 1e9;
/** The longest typed array every engine allows. */
const LARGEST_BUFFER = 2 ** 32 - 4;
/** Bytes of an upload prepared between two looks at the clock. */
const UPLOAD_BYTES = 2 ** 18;
/** A worker's memory grows to what its tasks need, which long lists alone can make large. */
const WORKER_MEMORY = { least: 2 ** 26, most: 2 ** 31 };

/** @throws UnavailableError without WASM SIMD, or where a page's policy forbids WASM. */
export async function openCpu(options: CpuOptions): Promise<CpuBackend> {
  const build = chooseBuild(probeWasm(), options.relaxed ?? "auto");
  return new CpuBackend(options, build, await compile(build));
}

async function openLocal(shared: boolean, module: WebAssembly.Module): Promise<ArrayWasm> {
  return instantiateLocal(shared ? await compile("shared") : module, shared);
}

/** The module is valid, so that only the runtime's refusal can make it fail. */
async function compile(build: keyof typeof wasm): Promise<WebAssembly.Module> {
  const bytes = Uint8Array.from(atob(wasm[build]), (c) => c.charCodeAt(0));
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw new UnavailableError(
      "the CPU backend may not compile WebAssembly here; a page with a content security policy needs 'wasm-unsafe-eval' in " +
        `its script-src (${String(cause)})`,
      cause,
    );
  }
}

function defaultName(build: WasmBuild, threads: number): string {
  return `WASM ${build === "relaxed" ? "relaxed SIMD" : "SIMD"}, ${threads} ${threads === 1 ? "worker" : "workers"}`;
}

export class CpuBackend implements Backend {
  readonly info: BackendInfo;
  readonly counters: Readonly<Counters>;
  readonly #machine: Machine;

  /** Use openCpu. */
  constructor(options: CpuOptions, build: WasmBuild, module: WebAssembly.Module) {
    const {
      spawn,
      threads,
      memoryBytes,
      shared = "auto",
      name = defaultName(build, threads),
      tuning,
    } = options;
    this.info = {
      kind: "cpu",
      name,
      software: false,
      budgetBytes: memoryBytes,
      bufferBytes: Math.min(memoryBytes, LARGEST_BUFFER),
      uploadBytes: 0,
      threads,
      initialRate: INITIAL_RATE * threads,
    };
    const counters = { dispatches: 0, pairs: 0, uploadedBytes: 0, downloadedBytes: 0, peakBytes: 0 };
    this.counters = counters;
    const isShared = shared === "auto" ? canShare() : shared;
    const local: Partial<Record<"reads" | "writes", Promise<ArrayWasm> | undefined>> = {};
    const forget = (use: "reads" | "writes") => (error: unknown) => {
      local[use] = undefined;
      throw error;
    };
    const memoryLimit = clamp(memoryBytes, WORKER_MEMORY.least, WORKER_MEMORY.most);
    this.#machine = {
      threads,
      shared: isShared,
      tuning: { ...knnTuning, ...tuning },
      counters,
      pool: new Pool({ spawn, threads, start: { module, memoryLimit } }),
      local: (use) => (local[use] ??= openLocal(use === "writes" && isShared, module).catch(forget(use))),
      space: new BufferSpace(memoryBytes, isShared, (bytes) => {
        counters.peakBytes = Math.max(counters.peakBytes, bytes);
      }),
    };
  }

  async open(resident: readonly BufferSpec[]): Promise<Session> {
    return new CpuSession(this.#machine, resident);
  }

  async runInPlace(
    step: RunStep,
    arrays: Readonly<Record<string, ArrayBufferView>>,
    options: InPlaceOptions = {},
  ): Promise<void> {
    const buffers = Object.entries(arrays).map(
      ([name, { buffer, byteOffset, byteLength }]) =>
        [name, new HostBuffer(name, buffer, byteOffset, byteLength)] as const,
    );
    await new SegmentRun(this.#machine, new Map(buffers), {}, options).step(step);
  }

  evaluateAll(all: AllPairs): Promise<number | undefined> {
    return evaluateAll(all, this.#machine);
  }

  dispose(): void {
    this.#machine.pool.dispose();
  }
}

/** What a backend's sessions share. */
interface Machine {
  readonly threads: number;
  readonly shared: boolean;
  readonly tuning: Tuning;
  readonly counters: Counters;
  readonly pool: Pool;
  readonly space: BufferSpace;
  readonly local: RunContext["local"];
}

type Buffers = ReadonlyMap<string, HostBuffer>;

class CpuSession implements Session {
  readonly #machine: Machine;
  #resident: Buffers;

  constructor(machine: Machine, resident: readonly BufferSpec[]) {
    this.#machine = machine;
    this.#resident = machine.space.allocate(resident);
  }

  async run(segment: Segment, sources: Sources, options: RunOptions = {}): Promise<SegmentOutput> {
    const begin = performance.now();
    const own = this.#machine.space.allocate(segment.buffers);
    try {
      const run = new SegmentRun(this.#machine, new Map([...this.#resident, ...own]), sources, options);
      for (const step of segment.steps) await run.step(step);
      const { downloads, dispatches, pairs } = run;
      return { downloads, ms: performance.now() - begin, dispatches, pairs };
    } finally {
      this.#machine.space.release(own);
    }
  }

  dispose(): void {
    this.#machine.space.release(this.#resident);
    this.#resident = new Map();
  }
}

/** One pass over a segment's steps. */
class SegmentRun {
  readonly downloads = new Map<string, ArrayBuffer>();
  dispatches = 0;
  pairs = 0;
  readonly #machine: Machine;
  readonly #buffers: Buffers;
  readonly #sources: Sources;
  readonly #signal: AbortSignal;
  readonly #onWork: (work: number) => void;
  readonly #onBusy: () => void;
  readonly #workers: RunContext["workers"];

  constructor(machine: Machine, buffers: Buffers, sources: Sources, options: InPlaceOptions) {
    const { signal, onWork, onBusy, workers = "keep" } = options;
    this.#machine = machine;
    this.#buffers = buffers;
    this.#sources = sources;
    this.#signal = signal ?? new AbortController().signal;
    this.#onWork = onWork ?? (() => {});
    this.#onBusy = onBusy ?? (() => {});
    this.#workers = workers;
  }

  async step(step: Step): Promise<void> {
    this.#signal.throwIfAborted();
    switch (step.kind) {
      case "upload":
        return this.#upload(step);
      case "clear":
        return void this.#all(step.buffer).fill(0);
      case "download": {
        this.downloads.set(step.from, this.#buffer(step.from).view(0, step.bytes).slice().buffer);
        this.#machine.counters.downloadedBytes += step.bytes;
        return;
      }
      case "run":
        return this.#run(step);
    }
  }

  async #upload({ to, source: name, part, rows }: UploadStep): Promise<void> {
    const source: HostSource | undefined = this.#sources[name];
    assert(source, `there is no source "${name}"`);
    const rowBytes = source.rowBytes(part);
    const target = this.#buffer(to).view(0, rowCount(rows) * rowBytes);
    const chunk = Math.max(1, Math.floor(UPLOAD_BYTES / rowBytes));
    const turns = new Yielder(this.#signal);
    for (let row = 0; row < rowCount(rows); row += chunk) {
      if (turns.due) await turns.next();
      this.#signal.throwIfAborted();
      const end = Math.min(row + chunk, rowCount(rows));
      source.fill(part, sliceRows(rows, row, end), target.subarray(row * rowBytes, end * rowBytes));
    }
    this.#machine.counters.uploadedBytes += target.byteLength;
  }

  async #run(step: RunStep): Promise<void> {
    const { counters, ...machine } = this.#machine;
    const buffers = Object.fromEntries(
      Object.entries(step.bindings).map(([binding, name]) => [binding, this.#buffer(name)]),
    );
    let done = 0;
    let reported = 0;
    const onTask = (share: number, pairs: number): void => {
      done += share;
      counters.dispatches++;
      counters.pairs += pairs;
      this.dispatches++;
      this.pairs += pairs;
      const now = done > 1 - 1e-9 ? step.work : step.work * done;
      this.#onWork(now - reported);
      reported = now;
    };
    const run = runStep(step, buffers, { ...machine, workers: this.#workers, signal: this.#signal, onTask });
    this.#onBusy();
    await run;
  }

  #buffer(name: string): HostBuffer {
    const buffer = this.#buffers.get(name);
    assert(buffer, `there is no buffer "${name}"`);
    return buffer;
  }

  #all(name: string): Uint8Array {
    const buffer = this.#buffer(name);
    return buffer.view(0, buffer.bytes);
  }
}
