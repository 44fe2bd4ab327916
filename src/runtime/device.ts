/**
 * This is a device as callers hold it: the backend in use, how to open it again when it is lost, and what was
 * done on it. It is not a GPUDevice: the CPU is one too.
 */
import type { Backend, BackendInfo, Counters, PassTime } from "./backend.ts";
import { checkOneOf, checkOptions, type OptionNames } from "../core/options.ts";
import { InvalidInputError, UnavailableError, isNearfieldError } from "../core/errors.ts";
import { currentPlatform } from "../core/platform.ts";
import type { Workers } from "./cpu/workers.ts";
import type { Stage } from "./explain.ts";

export const backendNames = ["auto", "gpu", "cpu"] as const;

/**
 * These options say which device to open, and how much of it to use.
 * @example
 * const options: DeviceOptions = { backend: "cpu", threads: 1, memory: 512 * 2 ** 20 };
 * const device = await Device.create(options);
 * device.info.threads; // => 1
 * device.dispose();
 */
export interface DeviceOptions {
  /**
   * "auto" (default) takes a GPU if there is one that is not emulated in software, else the CPU; "gpu" takes
   * any adapter, never the CPU.
   */
  readonly backend?: (typeof backendNames)[number] | undefined;
  /**
   * It is the number of the adapter, from 0, as `inspectMachine` lists them; default the fastest. One that
   * does not exist is an error.
   */
  readonly gpu?: number | undefined;
  /** A WebGPU device to use instead of opening one; dispose() does not destroy it. */
  readonly gpuDevice?: GPUDevice | undefined;
  /**
   * There are this many CPU workers, at most 1024; with a GPU they do what it cannot. Default one per logical
   * processor.
   */
  readonly threads?: number | undefined;
  /** The CPU backend may hold this many bytes of host memory; default most of what the machine has. */
  readonly memory?: number | undefined;
  /**
   * All buffers together take at most this many bytes of GPU memory; the default follows from the adapter's
   * limits.
   */
  readonly deviceMemory?: number | undefined;
  /**
   * True requests the GPU's matrix units, which WebGPU does not offer yet, even where some drivers crash on
   * the request; false opens the device without them. By default they are requested where that has been
   * tried, in Node on Linux if all GPUs are NVIDIA's, and used in browsers that offer them. They are tested
   * first, and used only where they are faster. Results are the same.
   */
  readonly matrixUnits?: boolean | undefined;
  /**
   * Measures how long each kernel runs, if the GPU can; explanations then have `stages`. Measuring itself
   * takes some time.
   */
  readonly profile?: boolean | undefined;
}

export const deviceNames: OptionNames<DeviceOptions> = {
  backend: 1,
  gpu: 1,
  gpuDevice: 1,
  threads: 1,
  memory: 1,
  deviceMemory: 1,
  matrixUnits: 1,
  profile: 1,
};

/**
 * The counts of everything the device has done, reopenings included.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * await kneighbors([[0], [5]], [[4]], { k: 1, device });
 * const { hostWork, reopened }: DeviceCounters = device.counters;
 * [hostWork <= 2, reopened]; // => [true, 0]
 * device.dispose();
 */
export interface DeviceCounters extends Counters {
  /** The host did this many units of work after the device, such as pairs evaluated in float64. */
  hostWork: number;
  /** Times a lost device was opened again. */
  reopened: number;
}

/**
 * A device is the GPU or the CPU, opened. Operators and estimators open one of their own unless they are
 * given one: sharing it saves the time of opening, and keeps compiled kernels.
 * @example
 * const device = await Device.create(); // a GPU where there is one, else the CPU
 * const { distances } = await kneighbors([[0], [5]], [[4]], { k: 1, device });
 * distances; // => [1]
 * await reduce(new Uint32Array([1, 2, 3]), { device }); // => [6]
 * device.dispose();
 */
export class Device {
  readonly #options: DeviceOptions;
  readonly #past: DeviceCounters = { ...noCounters };
  #backend: Backend;
  #note: string | undefined;
  /**
   * Work units per second of the last search of each kind: the next one begins with it.
   * @internal
   */
  readonly rates = new Map<string, number>();
  #disposed = false;
  #reopening: Promise<void> | undefined;
  #beside: Promise<Backend> | undefined;

  private constructor(options: DeviceOptions, opened: OpenedBackend) {
    this.#options = options;
    this.#backend = opened.backend;
    this.#note = opened.note;
  }

  /**
   * Opens the backend asked for.
   * @throws UnavailableError when there is none, InvalidInputError for invalid options.
   */
  static async create(options: DeviceOptions = {}): Promise<Device> {
    checkOptions(options, "Device.create", deviceNames);
    return Device.among(options);
  }

  /**
   * Does what `create` does, with options of which others are for something else.
   * @internal
   */
  static async among(options: DeviceOptions): Promise<Device> {
    checkValues(options);
    return new Device(options, await openBackend(options));
  }

  /** Returns the facts about the GPU or CPU in use, and the limits that apply. */
  get info(): BackendInfo {
    return this.#backend.info;
  }

  /** The reason why "auto" did not take a GPU; undefined when it did or was not asked. */
  get note(): string | undefined {
    return this.#note;
  }

  /** Returns the counts of what it has done since it was opened. */
  get counters(): DeviceCounters {
    return addCounters(this.#past, this.#backend.counters);
  }

  /**
   * The engine and tests reach the backend by this.
   * @throws UnavailableError once the device was disposed
   * @internal
   */
  get backend(): Backend {
    if (this.#disposed) throw disposedError();
    return this.#backend;
  }

  /**
   * Takes the times of what ran on the GPU since the last call, by kernel; undefined without `profile`, or
   * where nothing can be measured.
   * @internal
   */
  takeStages(): readonly Stage[] | undefined {
    const spans = this.#backend.takeSpans?.();
    return spans && stagesOf(spans);
  }

  /**
   * Does something with threads: those of the CPU backend, or of one of its own beside a GPU, opened when it
   * is first worth it.
   * @param isWorth whether so many threads are worth opening beside a GPU
   * @returns undefined where they are not, or cannot run, or did not come to the end; what was done by then
   *   means nothing
   * @internal
   */
  async withWorkers<T>(
    isWorth: (threads: number) => boolean,
    use: (workers: Workers) => Promise<T>,
  ): Promise<T | undefined> {
    const { workers } = this.backend;
    if (workers) return use(workers);
    if (!isWorth(this.workerThreads)) return undefined;
    try {
      this.#beside ??= openCpu(this.#options).catch((error: unknown) => {
        this.#beside = undefined;
        throw error;
      });
      const beside = (await this.#beside).workers;
      return beside && (await use(beside));
    } catch (error) {
      if (!isNearfieldError(error, "Unavailable", "OutOfMemory", "DeviceLost")) throw error;
      if (this.#disposed) throw disposedError();
      return undefined;
    }
  }

  /**
   * Returns the number of threads that withWorkers has.
   * @internal
   */
  get workerThreads(): number {
    return this.#backend.workers?.threads ?? this.#options.threads ?? currentPlatform().threads;
  }

  /** @internal */
  countHostWork(work: number): void {
    this.#past.hostWork += work;
  }

  /**
   * Replaces a lost backend by a fresh one of the same kind, once for all who lost it.
   * @internal
   */
  async reopen(lost: Backend): Promise<void> {
    if (this.#disposed) throw disposedError();
    if (lost !== this.#backend) return;
    this.#reopening ??= this.#replace().finally(() => (this.#reopening = undefined));
    await this.#reopening;
  }

  async #replace(): Promise<void> {
    const { kind } = this.#backend.info;
    this.#backend.dispose();
    const { gpuDevice: _, ...options } = this.#options;
    const { backend } = await openBackend({ ...options, backend: kind });
    this.rates.clear();
    Object.assign(this.#past, this.counters, { reopened: this.#past.reopened + 1 });
    this.#backend = backend;
    if (this.#disposed) backend.dispose();
  }

  /** Frees everything; calls that still use the device reject. Calling it again does nothing. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#backend.dispose();
    this.#beside?.then((backend) => backend.dispose()).catch(() => {});
  }

  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

function stagesOf(spans: readonly PassTime[]): Stage[] {
  const stages = new Map<string, Stage>();
  for (const { label, ms } of spans) {
    const { dispatches, seconds } = stages.get(label) ?? { dispatches: 0, seconds: 0 };
    stages.set(label, { name: label, dispatches: dispatches + 1, seconds: seconds + ms / 1000 });
  }
  return [...stages.values()];
}

function disposedError(): UnavailableError {
  return new UnavailableError("the device was disposed; create another one");
}

interface OpenedBackend {
  readonly backend: Backend;
  readonly note?: string;
}

const noCounters: DeviceCounters = {
  dispatches: 0,
  work: 0,
  uploadedBytes: 0,
  downloadedBytes: 0,
  peakBytes: 0,
  hostWork: 0,
  reopened: 0,
};

function addCounters(past: DeviceCounters, now: Readonly<Counters>): DeviceCounters {
  const sum = { ...past };
  for (const name of Object.keys(now) as (keyof Counters)[]) sum[name] += now[name];
  return { ...sum, peakBytes: Math.max(past.peakBytes, now.peakBytes) };
}

/** Workers take megabytes each; a machine has some hundred processors. */
const MOST_THREADS = 1024;

function checkValues({ backend, threads, memory, deviceMemory, gpu, matrixUnits }: DeviceOptions): void {
  checkOneOf(backend, backendNames, "backend");
  checkOneOf(matrixUnits, [true, false], "matrixUnits");
  for (const [name, value] of Object.entries({ threads, memory, deviceMemory })) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1)) {
      throw new InvalidInputError(`${name} is ${value}; expected a whole number of at least 1`);
    }
  }
  if (threads! > MOST_THREADS)
    throw new InvalidInputError(`threads is ${threads}; expected at most ${MOST_THREADS}`);
  if (gpu !== undefined && !(Number.isInteger(gpu) && gpu >= 0)) {
    throw new InvalidInputError(`gpu is ${gpu}; expected the number of an adapter, from 0`);
  }
}

async function openBackend(options: DeviceOptions): Promise<OpenedBackend> {
  const { backend = "auto" } = options;
  if (backend === "cpu") return { backend: await openCpu(options) };
  if (backend === "gpu" || options.gpuDevice) return { backend: await openGpu(options, true) };
  try {
    return { backend: await openGpu(options, false) };
  } catch (error) {
    if (!isNearfieldError(error, "Unavailable") || options.gpu !== undefined) throw error;
    return { backend: await openCpu(options), note: error.message };
  }
}

async function openGpu(options: DeviceOptions, allowSoftware: boolean): Promise<Backend> {
  const platform = currentPlatform();
  const gpu = options.gpuDevice ? undefined : await platform.gpu(options.matrixUnits);
  const module = await import("./gpu/backend.ts");
  return module.openGpu({
    ...options,
    gpu,
    device: options.gpuDevice,
    adapterIndex: options.gpu,
    allowSoftware,
    budgetBytes: options.deviceMemory,
  });
}

async function openCpu({ threads, memory }: DeviceOptions): Promise<Backend> {
  const platform = currentPlatform();
  const module = await import("./cpu/backend.ts");
  return module.openCpu({
    spawn: () => platform.spawnWorker(),
    threads: threads ?? platform.threads,
    memoryBytes: memory ?? platform.memory,
  });
}
