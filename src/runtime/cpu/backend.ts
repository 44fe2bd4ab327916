/**
 * The CPU backend walks the steps of a segment over buffers in host memory and has a pool of WASM workers run
 * the primitives. It is free of policy: a plan says which segments to run, and execute.ts what to do about an
 * error.
 */
import type {
  Backend,
  BackendInfo,
  Counters,
  InPlaceOptions,
  SegmentOptions,
  Segment,
  SegmentOutput,
  Session,
  Step,
  UploadStep,
} from "../backend.ts";
import { Downloads } from "../downloads.ts";
import type { BufferSpec, BufferUse, HostSource, Sources } from "../source.ts";
import { checkBoundPart, checkPart, rowCount, sliceRows } from "../source.ts";
import { assert, UnavailableError } from "../../core/errors.ts";
import { clamp } from "../../core/math.ts";
import type { WorkerHandle } from "../../core/platform.ts";
import { bindingsOf, type RunStep } from "../primitive.ts";
import { Yielder } from "../../core/async/yielding.ts";
import type { ArrayWasm } from "./arrayWasm.ts";
import { BufferSpace, canShare, HostBuffer } from "./buffers.ts";
import { copiesSharedFaster } from "./copies.ts";
import { instantiateLocal } from "./local.ts";
import { Pool } from "./pool.ts";
import { chooseBuild, probeWasm } from "./probe.ts";
import type { WasmBuild } from "./probe.ts";
import type { CpuKernel, CpuMachine, WorkerUse } from "./kernel.ts";
import type { WasmExports } from "./instance.ts";
import { arrayTuning, tuned, type Overrides } from "./tuning.ts";
import type { SharedFill } from "./sharedFill.ts";
import type { Workers } from "./workers.ts";
import { wasmBytes, type WasmName } from "./module.ts";

export interface CpuOptions {
  /** Starts src/worker.ts. */
  readonly spawn: () => WorkerHandle;
  /** There are so many workers, at least 1. */
  readonly threads: number;
  /** All buffers together may take this many bytes. */
  readonly memoryBytes: number;
  /** The WASM build; "auto" (default) takes relaxed SIMD where the runtime has it. */
  readonly relaxed?: boolean | "auto";
  /** Workers share the buffers or get copies; "auto" (default) shares where the runtime allows it. */
  readonly shared?: boolean | "auto";
  /** People know the backend by this name; default the WASM build and the number of workers. */
  readonly name?: string;
  /** Numbers for tests, which run every path with tiny tiles. */
  readonly tuning?: Overrides;
}

/** Multiply-adds per second and worker to assume before anything was measured. */
const INITIAL_RATE = 1e9;
/** Every engine allows a typed array of at most so many elements. */
const LARGEST_BUFFER = 2 ** 32 - 4;
/** An upload prepares so many bytes between two looks at the clock. */
const UPLOAD_BYTES = 2 ** 18;
/** A worker's memory grows to what its tasks need, which long lists alone can make large. */
const WORKER_MEMORY = { least: 2 ** 26, most: 2 ** 31 };

/** @throws UnavailableError without WASM SIMD, or where a page's policy forbids WASM. */
export async function openCpu(options: CpuOptions): Promise<CpuBackend> {
  const build = chooseBuild(probeWasm(), options.relaxed ?? "auto");
  return new CpuBackend(options, build, await compile(build));
}

async function openLocal(shared: boolean, module: WebAssembly.Module): Promise<ArrayWasm<WasmExports>> {
  return instantiateLocal(shared ? await compile("shared") : module, shared);
}

/** Compiles the module. It is valid, so that only the runtime's refusal can make this fail. */
async function compile(build: WasmName): Promise<WebAssembly.Module> {
  const bytes = await wasmBytes(build);
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
  readonly #machine: CpuState;

  /** Makes a backend; callers use openCpu. */
  constructor(options: CpuOptions, build: WasmBuild, module: WebAssembly.Module) {
    const {
      spawn,
      threads,
      memoryBytes,
      shared = "auto",
      name = defaultName(build, threads),
      tuning = {},
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
    const counters = { dispatches: 0, work: 0, uploadedBytes: 0, downloadedBytes: 0, peakBytes: 0 };
    this.counters = counters;
    const isShared = shared === "auto" ? canShare() : shared;
    const local: Partial<Record<"reads" | "writes", Promise<ArrayWasm<WasmExports>> | undefined>> = {};
    const forget = (use: "reads" | "writes") => (error: unknown) => {
      local[use] = undefined;
      throw error;
    };
    const memoryLimit = clamp(memoryBytes, WORKER_MEMORY.least, WORKER_MEMORY.most);
    this.#machine = {
      threads,
      shared: isShared,
      tuning,
      counters,
      pool: new Pool({ spawn, threads, start: { module, memoryLimit } }),
      local: <Kernels>(use: "reads" | "writes") => {
        const windowsAreShared = () => tuned(arrayTuning, tuning).sharedWindows ?? copiesSharedFaster();
        local[use] ??= openLocal(use === "writes" && isShared && windowsAreShared(), module).catch(
          forget(use),
        );
        return local[use] as Promise<ArrayWasm<unknown>> as Promise<ArrayWasm<Kernels>>;
      },
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
  ): Promise<number> {
    const buffers = Object.entries(arrays).map(
      ([name, { buffer, byteOffset, byteLength }]) =>
        [name, new HostBuffer(name, buffer, byteOffset, byteLength)] as const,
    );
    const run = new CpuSegmentRun(this.#machine, new Map(buffers), {}, options);
    await run.step(step);
    return run.dispatches;
  }

  get workers(): Workers {
    return this.#machine;
  }

  dispose(): void {
    this.#machine.pool.dispose();
  }
}

/** A backend's sessions share this state. */
interface CpuState extends CpuMachine {
  readonly pool: Pool;
  readonly counters: Counters;
}

type HostBuffers = ReadonlyMap<string, HostBuffer>;

class CpuSession implements Session {
  readonly #machine: CpuState;
  #resident: HostBuffers;

  constructor(machine: CpuState, resident: readonly BufferSpec[]) {
    this.#machine = machine;
    this.#resident = machine.space.allocate(resident);
  }

  async run(segment: Segment, sources: Sources, options: SegmentOptions = {}): Promise<SegmentOutput> {
    const begin = performance.now();
    const own = this.#machine.space.allocate(segment.buffers);
    try {
      const run = new CpuSegmentRun(this.#machine, new Map([...this.#resident, ...own]), sources, options);
      for (const step of segment.steps) await run.step(step);
      const { downloads, dispatches, work } = run;
      return { ...downloads.output, ms: performance.now() - begin, dispatches, work };
    } finally {
      this.#machine.space.release(own);
    }
  }

  dispose(): void {
    this.#machine.space.release(this.#resident);
    this.#resident = new Map();
  }
}

/** This is one pass over a segment's steps. */
class CpuSegmentRun {
  readonly downloads: Downloads;
  dispatches = 0;
  work = 0;
  readonly #machine: CpuState;
  readonly #buffers: HostBuffers;
  readonly #sources: Sources;
  readonly #signal: AbortSignal;
  readonly #onCost: (cost: number) => void;
  readonly #onBusy: () => void;
  readonly #workers: WorkerUse;

  constructor(machine: CpuState, buffers: HostBuffers, sources: Sources, options: InPlaceOptions) {
    const { signal, onCost, onBusy, workers = "keep", targets } = options;
    this.downloads = new Downloads(targets);
    this.#machine = machine;
    this.#buffers = buffers;
    this.#sources = sources;
    this.#signal = signal ?? new AbortController().signal;
    this.#onCost = onCost ?? (() => {});
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
        const { from, begin = 0, bytes } = step;
        const buffer = this.#buffer(from);
        checkPart(buffer.bytes, { buffer: from, offset: begin, bytes });
        this.downloads.memoryOf(step).set(buffer.view(begin, bytes));
        this.#machine.counters.downloadedBytes += bytes;
        return;
      }
      case "run":
        return this.#run(step);
    }
  }

  async #upload({ to, at = 0, source: name, part, rows }: UploadStep): Promise<void> {
    const source: HostSource | undefined = this.#sources[name];
    assert(source, `there is no source "${name}"`);
    const rowBytes = source.rowBytes(part);
    const [buffer, bytes] = [this.#buffer(to), rowCount(rows) * rowBytes];
    checkPart(buffer.bytes, { buffer: to, offset: at, bytes });
    const filling =
      this.#machine.shared &&
      (source as Partial<SharedFill>).fillShared?.(
        part,
        rows,
        buffer.lend(at, bytes),
        this.#machine,
        this.#signal,
      );
    this.#machine.counters.uploadedBytes += bytes;
    if (filling) return filling;
    const target = buffer.view(at, bytes);
    const chunk = Math.max(1, Math.floor(UPLOAD_BYTES / rowBytes));
    const yielder = new Yielder(this.#signal);
    for (let row = 0; row < rowCount(rows); row += chunk) {
      if (yielder.due) await yielder.next();
      this.#signal.throwIfAborted();
      const end = Math.min(row + chunk, rowCount(rows));
      source.fill(part, sliceRows(rows, row, end), target.subarray(row * rowBytes, end * rowBytes));
    }
  }

  async #run(step: RunStep): Promise<void> {
    const { counters, ...machine } = this.#machine;
    const buffers = Object.fromEntries(bindingsOf(step).map(([binding, use]) => [binding, this.#bound(use)]));
    let done = 0;
    let reported = 0;
    const onTask = (share: number, work: number): void => {
      done += share;
      counters.dispatches++;
      counters.work += work;
      this.dispatches++;
      this.work += work;
      const now = done > 1 - 1e-9 ? step.cost : step.cost * done;
      this.#onCost(now - reported);
      reported = now;
    };
    const { name, cpu } = step.primitive;
    assert(cpu, `the CPU does not run ${name}`);
    const kernel = (await cpu()) as CpuKernel<unknown, string>;
    const context = { ...machine, workers: this.#workers, signal: this.#signal, onTask };
    const running = kernel.run(step.params, buffers, context);
    this.#onBusy();
    await running;
  }

  #bound(use: BufferUse): HostBuffer {
    if (typeof use === "string") return this.#buffer(use);
    const buffer = this.#buffer(use.buffer);
    checkBoundPart(buffer.bytes, use);
    return buffer.part(use.offset, use.bytes);
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
