/**
 * This is the GPU as a backend: it opens a device, or takes one that the program already has, and runs
 * segments on it. How a segment runs is run.ts; the kernels of rooms say what it computes.
 */
import type {
  Backend,
  BackendInfo,
  BackendTraits,
  Compiling,
  Counters,
  SegmentOptions,
  Segment,
  SegmentOutput,
  Session,
  PassTime,
} from "../backend.ts";
import type { BufferSpec, Sources } from "../source.ts";
import { DeviceError, DeviceLostError } from "../../core/errors.ts";
import { currentPlatform } from "../../core/platform.ts";
import { adapterName, chooseAdapter, isSoftware, listAdapters, requestDevice } from "./acquire.ts";
import { gpuBudget, uploadSlots, type Budget } from "./budget.ts";
import type { BufferSet } from "./buffers.ts";
import { buildMachine, dismantle, type GpuMachine } from "./machine.ts";
import type { Timestamps } from "./passes/profile.ts";
import { keepAlive } from "./quirks.ts";
import { compileAhead, isCompiled } from "./passes/ahead.ts";
import { runSegment, type SessionState } from "./run.ts";

export interface GpuOptions {
  /** It is the entry point of WebGPU; default the platform's. */
  readonly gpu?: GPU | undefined;
  /** The caller owns this device; it is used as it is and outlives the backend. */
  readonly device?: GPUDevice | undefined;
  /** It is a position in `listAdapters`; default: the first that is allowed. */
  readonly adapterIndex?: number | undefined;
  /** A GPU emulated in software will do; default false. */
  readonly allowSoftware?: boolean | undefined;
  /** Buffers may take so many bytes; default: see budget.ts. */
  readonly budgetBytes?: number | undefined;
  /** False leaves matrix units alone; default true. */
  readonly matrixUnits?: boolean | undefined;
  /** Measures each pass where the device can; see `takeSpans`. */
  readonly profile?: boolean | undefined;
}

/**
 * Work units per second to assume of a device before anything was measured: low, so that the first submits
 * are short.
 */
const initialRates = { software: 1e8, hardware: 2e10 };

/**
 * @throws UnavailableError when there is no GPU of the kind allowed; InvalidInputError for an index that does
 *   not exist.
 */
export async function openGpu(options: GpuOptions = {}): Promise<GpuBackend> {
  const timed = options.profile ? (await import("./passes/profile.ts")).Timestamps : undefined;
  if (options.device) return new GpuBackend(options.device, options, false, timed);
  const gpu = options.gpu ?? (await currentPlatform().gpu());
  keepAlive(gpu);
  const { adapterIndex, allowSoftware = false } = options;
  const choice = chooseAdapter(await listAdapters(gpu), { adapterIndex, allowSoftware });
  return new GpuBackend(await requestDevice(choice, options.matrixUnits), options, true, timed);
}

export class GpuBackend implements Backend {
  readonly device: GPUDevice;
  readonly #software: boolean;
  readonly #name: string;
  readonly #budget: Budget;
  readonly #machine: GpuMachine;
  readonly #sessions = new Set<GpuSession>();

  /**
   * @param owned whether to destroy the device at the end, and to take its uncaptured errors for ours
   * @param timed times each pass, where the device can
   */
  constructor(
    device: GPUDevice,
    { budgetBytes }: Pick<GpuOptions, "budgetBytes">,
    owned: boolean,
    timed: typeof Timestamps | undefined,
  ) {
    this.device = device;
    this.#software = isSoftware(device.adapterInfo);
    this.#name = adapterName(device.adapterInfo);
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    this.#budget = gpuBudget({
      maxBufferSize,
      maxStorageBufferBindingSize,
      software: this.#software,
      requested: budgetBytes,
    });
    this.#machine = buildMachine(device, owned, this.#budget, this.#rate, timed);
    if (owned) device.addEventListener("uncapturederror", this.#onUncaptured);
  }

  /** Returns the facts about the device. Its budget shrinks when the driver has refused memory. */
  get info(): BackendInfo {
    const { budgetBytes } = this.#machine.pool;
    return {
      kind: "gpu",
      name: this.#name,
      software: this.#software,
      budgetBytes,
      bufferBytes: Math.min(this.#budget.bufferBytes, budgetBytes),
      uploadBytes: uploadSlots * this.#budget.slotBytes,
      fetches: this.#machine.owned,
      threads: 1,
      initialRate: this.#rate,
    };
  }

  get counters(): Readonly<Counters> {
    return { ...this.#machine.counters, peakBytes: this.#machine.pool.peakBytes };
  }

  takeSpans(): readonly PassTime[] | undefined {
    return this.#machine.spans?.splice(0);
  }

  onDevice<T>(work: (device: GPUDevice) => Promise<T>): Promise<T> {
    return this.#machine.health.guard(work(this.device));
  }

  compileAhead({ steps }: Segment, gently?: boolean): Compiling {
    return compileAhead(this.#machine, steps, gently);
  }

  isCompiled({ steps }: Segment): Promise<boolean> {
    return isCompiled(this.#machine, steps);
  }

  async open(resident: readonly BufferSpec[]): Promise<Session> {
    const { pool } = this.#machine;
    try {
      // Plans count these at their own size as long as the session lasts.
      const buffers = await pool.take("session", resident, { exactly: true });
      const session = new GpuSession(this.#machine, buffers, () => this.#closed(session));
      this.#sessions.add(session);
      return session;
    } catch (error) {
      this.#trimLater();
      throw error;
    }
  }

  async traits(): Promise<BackendTraits> {
    return (await this.#machine.limitsWithTraits()).traits;
  }

  /** Frees everything, once no other thread fills its staging memory; what still runs rejects. */
  dispose(): void {
    this.#machine.health.fail(new DeviceLostError("the GPU backend was disposed of"));
    this.device.removeEventListener("uncapturederror", this.#onUncaptured);
    dismantle(this.#machine);
  }

  get #rate(): number {
    return this.#software ? initialRates.software : initialRates.hardware;
  }

  /** Counts a session less. Without sessions nothing is kept for reuse for long. */
  #closed(session: GpuSession): void {
    this.#sessions.delete(session);
    this.#trimLater();
  }

  #trimLater(): void {
    if (this.#sessions.size === 0) this.#machine.pool.trimWhenIdle();
  }

  readonly #onUncaptured = ({ error }: GPUUncapturedErrorEvent): void => {
    this.#machine.health.fail(
      new DeviceError(`the GPU reported an error outside any operation: ${error.message}`, error),
    );
  };
}

class GpuSession implements Session {
  readonly #machine: GpuMachine;
  readonly #state: SessionState;
  readonly #closed: () => void;

  constructor(machine: GpuMachine, resident: BufferSet, closed: () => void) {
    this.#machine = machine;
    this.#state = { resident: [resident], lastEnd: 0 };
    this.#closed = closed;
  }

  run(segment: Segment, sources: Sources, options: SegmentOptions = {}): Promise<SegmentOutput> {
    return runSegment(this.#machine, this.#state, segment, sources, options);
  }

  async add(resident: readonly BufferSpec[]): Promise<void> {
    this.#state.resident.push(await this.#machine.pool.take("session", resident, { exactly: true }));
  }

  dispose(): void {
    for (const each of this.#state.resident) each.release();
    this.#closed();
  }
}
