/**
 * This is the vocabulary between plans, the executor and backends: steps that use buffers by name, segments
 * of steps inside which nothing waits for the host, and the two interfaces a backend implements. It is not
 * what a primitive is, which is primitive.ts, and no policy: a plan decides what to run.
 */
import type { WorkerUse } from "./cpu/kernel.ts";
import type { Workers } from "./cpu/workers.ts";
import type { RunStep } from "./primitive.ts";
import type { BufferSpec, RowSet, Sources } from "./source.ts";

/**
 * A device of this kind does the work.
 * @example
 * const kind: BackendKind = "cpu";
 * const device = await Device.create({ backend: kind });
 * device.info.kind; // => "cpu"
 * device.dispose();
 */
export type BackendKind = "gpu" | "cpu";

/** Writes rows of a host source into a buffer. */
export interface UploadStep {
  readonly kind: "upload";
  readonly to: string;
  /** They begin at this byte of the buffer, a multiple of 4; default 0. */
  readonly at?: number;
  readonly source: string;
  readonly part: string;
  readonly rows: RowSet;
}

/** Sets a whole buffer to zero bytes. */
export interface ClearStep {
  readonly kind: "clear";
  readonly buffer: string;
}

/** Copies bytes of a buffer to the host; delivered with the segment's output. */
export interface DownloadStep {
  readonly kind: "download";
  readonly from: string;
  readonly bytes: number;
  /** It begins at this byte, a multiple of 4; default 0. */
  readonly begin?: number;
  /**
   * The output has the bytes under this name; default `from`. It tells several downloads of one buffer apart.
   */
  readonly as?: string;
  /** The bytes go to this target from its byte `at` on, if the call has one of that name. */
  readonly target?: { readonly name: string; readonly at: number };
}

/** It names memory of the host that downloads may go straight to. */
export type Targets = Readonly<Record<string, ArrayBufferView>>;

/** Steps run in order, as if one after the other; a backend may overlap what shares no buffer. */
export type Step = UploadStep | ClearStep | RunStep | DownloadStep;

/**
 * It is the unit of execution, retry and progress. Its own buffers live while it runs; resident ones belong
 * to the session. A segment may be run again from its start after a failure, so it must not depend on what it
 * itself left behind.
 */
export interface Segment {
  /** Messages and traces name it so, such as "queries 0-1023". */
  readonly label: string;
  readonly buffers: readonly BufferSpec[];
  readonly steps: readonly Step[];
}

export interface SegmentOutput {
  /** It has the bytes under the names that the download steps give, but for those that went to a target. */
  readonly downloads: ReadonlyMap<string, ArrayBuffer>;
  /** It has the parts of targets that the other downloads went to; default there are none. */
  readonly placed?: ReadonlyMap<string, Uint8Array>;
  /**
   * So many milliseconds passed from the first step to the last download, without those in which a segment
   * that began before was not done yet.
   */
  readonly ms: number;
  /**
   * It is true where shaders were compiled meanwhile, so that `ms` says nothing of the device's speed;
   * default false.
   */
  readonly compiled?: boolean;
  /** This run added so much to the backend's counters. */
  readonly dispatches: number;
  readonly work: number;
}

/** Compilers work; neither promise rejects. */
export interface Compiling {
  /** Resolves when the compilers have begun, but for those that must know the device's traits first. */
  readonly begun: Promise<void>;
  /** Resolves when all have ended, well or not. */
  readonly done: Promise<void>;
}

export interface SegmentOptions {
  readonly signal?: AbortSignal | undefined;
  /** Downloads may go here. After an abort no byte more does. Default there are none. */
  readonly targets?: Targets | undefined;
  /** Is called as steps finish, with the cost of what finished since the last call. */
  readonly onCost?: ((cost: number) => void) | undefined;
  /**
   * Is called once or more when the device needs nothing from this thread for a while, which is free for
   * other work.
   */
  readonly onBusy?: (() => void) | undefined;
}

export interface InPlaceOptions extends SegmentOptions {
  /** Which workers may share the step; default "keep". */
  readonly workers?: WorkerUse | undefined;
}

/**
 * `device.info` returns this: the facts about a device that plans depend on, as plain data.
 * @example
 * const device = await Device.create({ backend: "cpu", threads: 2, memory: 2 ** 28 });
 * const { threads, budgetBytes, uploadBytes }: BackendInfo = device.info;
 * threads; // => 2
 * budgetBytes <= 2 ** 28; // => true
 * uploadBytes; // => 0
 * device.dispose();
 */
export interface BackendInfo {
  readonly kind: BackendKind;
  /** It names the adapter or the processor, for people. */
  readonly name: string;
  /** It is true for a GPU emulated in software, which "auto" never chooses. */
  readonly software: boolean;
  /** All buffers together may take this many bytes. */
  readonly budgetBytes: number;
  /** The largest single buffer that can be bound has this many bytes. */
  readonly bufferBytes: number;
  /**
   * This many bytes may be on their way from the host to a GPU at one time; 0 on a CPU, which is on the host.
   */
  readonly uploadBytes: number;
  /** Other threads may read rows from a file straight into its memory; default false. */
  readonly fetches?: boolean;
  /** A CPU backend has this many workers; 1 on a GPU. */
  readonly threads: number;
  /** A plan assumes this many units of work per second until one has been measured. */
  readonly initialRate: number;
}

/** These counts say what a backend has done since it was opened; `explain` and the tests read them. */
export interface Counters {
  /** It counts dispatches of shaders, or tasks given to CPU workers. */
  dispatches: number;
  /** It counts units of work, such as (query, reference) pairs whose float32 distance was computed. */
  work: number;
  uploadedBytes: number;
  downloadedBytes: number;
  /** All buffers together held at most this many bytes at any time. */
  peakBytes: number;
}

/**
 * A device showed this behaviour in its self-tests, although WebGPU does not promise it.
 * @example
 * // Which kernels a GPU gets; what they find is the same.
 * const variantsOf = ({ forwardProgress, subgroups }: BackendTraits) => [
 *   forwardProgress ? "scans read their input once" : "scans read their input twice",
 *   subgroups ? "lanes hand values to each other" : "lanes meet in workgroup memory",
 * ];
 * const device = await Device.create({ backend: "gpu" });
 * const { traits, software } = await inspectDevice(device, 4096);
 * console.log(traits ? variantsOf(traits) : "a GPU in software is not tested, and gets the simplest variants");
 * traits === undefined; // => software
 * variantsOf({ forwardProgress: false, subgroups: false })[0]; // => "scans read their input twice"
 * device.dispose();
 */
export interface BackendTraits {
  /** A workgroup that waits for others does not prevent them from running. */
  readonly forwardProgress: boolean;
  /** Lanes are numbered in order within a subgroup, and subgroups within a workgroup. */
  readonly subgroups: boolean;
  /**
   * Subgroups multiply matrices of bytes. Undefined means that they cannot, or that the feature was not
   * requested.
   */
  readonly byteMatrices?: boolean | undefined;
}

/** One pass ran for this time on a GPU. */
export interface PassTime {
  /** It is the label of the pass, such as "knn.select". */
  readonly label: string;
  readonly ms: number;
}

export interface Backend {
  readonly info: BackendInfo;
  readonly counters: Readonly<Counters>;
  /** Reserves resident buffers, whose names segments may use until the session is disposed. */
  open(resident: readonly BufferSpec[]): Promise<Session>;
  /**
   * Runs a step on arrays of the host where they are, given by the names of the step's bindings. Only
   * backends whose memory is the host's have it.
   * @returns dispatches
   * @throws the signal's reason when aborted; the arrays are then partly written.
   */
  runInPlace?(
    step: RunStep,
    arrays: Readonly<Record<string, ArrayBufferView>>,
    options?: InPlaceOptions,
  ): Promise<number>;
  /** Threads for tasks that are no step. Only backends that have threads of their own have them. */
  readonly workers?: Workers;
  /**
   * Returns the verdicts of self-tests, which run when first asked for. Only GPUs have it; those in software
   * get no test.
   */
  traits?(): Promise<BackendTraits>;
  /**
   * Takes the passes since the last call; undefined where nobody asked for a profile or the device has no
   * timestamps.
   */
  takeSpans?(): readonly PassTime[] | undefined;
  /**
   * Makes ready what a segment needs that runs later, such as shaders; a CPU has nothing to. It never
   * rejects: what fails does so again where it is needed.
   * @param gently other events have their turn in between, since a search runs beside it; default false
   */
  compileAhead?(segment: Segment, gently?: boolean): Compiling;
  /** Says whether a segment would find that ready. Only GPUs have it. */
  isCompiled?(segment: Segment): Promise<boolean>;
  /** Does something with the device itself, failing when the device does. Only GPUs have it. */
  onDevice?<T>(work: (device: GPUDevice) => Promise<T>): Promise<T>;
  dispose(): void;
}

/** A session owns buffers that outlive a segment, and may run segments over them. */
export interface Session {
  /** @throws DeviceLostError, OutOfMemoryError, DeviceError; the signal's reason when aborted. */
  run(segment: Segment, sources: Sources, options?: SegmentOptions): Promise<SegmentOutput>;
  /** Adds resident buffers. Only GPUs have it. @throws OutOfMemoryError */
  add?(resident: readonly BufferSpec[]): Promise<void>;
  dispose(): void;
}
