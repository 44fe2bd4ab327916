/**
 * This module runs array primitives on a device: on a backend of the host where the arrays are, else as a
 * stream of pieces. It does not say what the primitives are; their rooms do.
 */
import type { HostSource, RowSet } from "./source.ts";
import { type OptionNames } from "../core/options.ts";
import { rowAt, rowCount } from "./source.ts";
import { DeviceLostError } from "../core/errors.ts";
import type { RunStep } from "./primitive.ts";
import type { Job, Program } from "./program.ts";
import { planStream, streamProgram, type Stream, type StreamJob } from "./stream.ts";
import { MAX_LOSSES_IN_A_ROW } from "./recovery.ts";
import { Device, deviceNames, type DeviceOptions } from "./device.ts";
import { addExplanations, type Explanation } from "./explain.ts";
import { executeNames, Executor, type ExecuteOptions, type Finish } from "./execute.ts";

/**
 * Every operator on arrays takes these options. Do not change any array until the promise settles, even if it
 * rejects.
 *
 * On the CPU backend, workers share the work only on arrays that lie in a SharedArrayBuffer, from 2^22
 * elements on (fewer for masks with many taps). For `scan`, `compact`, `unique`, `runLength`, `convolve` and
 * the sorts `out` must lie in one too; `flatnonzero`, `unique`, `runLength` and integer sums by `scan` need
 * four workers. Without `device`, workers are started for this only from 2^27 elements on. In all other cases
 * one thread does the work. Results are the same.
 * @example
 * const device = await Device.create();
 * const options: ArrayOptions = { device };
 * const sorted = Uint32Array.of(1, 1, 4, 6, 6);
 * await scan(await unique(sorted, options), options); // => [1, 5, 11]
 * device.dispose();
 */
export interface ArrayOptions extends ExecuteOptions, DeviceOptions {
  /**
   * This device is used and stays open. By default, calls without any device options share one; a call with
   * such options opens a device of its own and closes it again.
   */
  readonly device?: Device | undefined;
  /**
   * It is called when the work is done, with how it was done; not if there was nothing to do, as for empty
   * input.
   */
  readonly onExplanation?: ((explanation: Explanation) => void) | undefined;
}

export const arrayNames: OptionNames<ArrayOptions> = {
  ...executeNames,
  ...deviceNames,
  device: 1,
  onExplanation: 1,
};

/**
 * Calls that say nothing of a device take this one. It stays open, keeps no process alive, and opens a lost
 * backend again by itself.
 */
let shared: Promise<Device> | undefined;

/** Lends a call the device that it was given, one of its own where it says which, or else the shared one. */
export async function withDevice<T>(options: ArrayOptions, use: (device: Device) => Promise<T>): Promise<T> {
  options.signal?.throwIfAborted();
  if (options.device) return use(options.device);
  const names = Object.keys(deviceNames) as (keyof DeviceOptions)[];
  if (names.some((name) => options[name] !== undefined)) {
    const device = await Device.among(options);
    return use(device).finally(() => device.dispose());
  }
  const opening = (shared ??= Device.among({}));
  const device = await opening.catch((error: unknown) => {
    if (shared === opening) shared = undefined;
    throw error;
  });
  return use(device);
}

/**
 * Closes the device that calls without any device options share, such as `kneighbors` and `sort`. Calls that
 * run on it reject with an UnavailableError; the next call opens another one. It does nothing if none is
 * open. A program can end without it; call it to free memory and threads.
 * @example
 * // The first call opens the device, the second takes it again.
 * await kneighbors([[0], [5]], [[4]], { k: 1 });
 * await kneighbors([[0], [5]], [[1]], { k: 1 });
 * await closeDefaultDevice();
 */
export async function closeDefaultDevice(): Promise<void> {
  const was = shared;
  shared = undefined;
  (await was?.catch(() => undefined))?.dispose();
}

/**
 * Runs an operator on the caller's device, or on one of its own. All that it runs there is explained to the
 * caller as one, with the time of the whole.
 */
export async function runOperator<O extends ArrayOptions, T>(
  operator: string,
  options: O,
  use: (device: Device, options: O) => Promise<T>,
): Promise<T> {
  return withDevice(options, async (device) => {
    const { onExplanation } = options;
    if (!onExplanation) return use(device, options);
    const start = performance.now();
    const told: Explanation[] = [];
    const result = await use(device, { ...options, onExplanation: (each) => void told.push(each) });
    if (told.length > 0) {
      const seconds = (performance.now() - start) / 1000;
      onExplanation({ ...told.reduce(addExplanations), operator, seconds });
    }
    return result;
  });
}

/**
 * Runs a step on the caller's arrays, given by the names of its bindings, where the device can do that. Where
 * workers that shared the work died, the device is opened again and the whole step runs again, at last
 * without workers.
 * @param units of progress
 * @param clear clears what the step adds to, each time before it runs
 * @returns whether it could; nothing happened otherwise
 */
export async function runInPlace(
  device: Device,
  step: RunStep,
  arrays: Readonly<Record<string, ArrayBufferView>>,
  units: number,
  phase: string,
  options: Pick<ArrayOptions, "signal" | "onProgress" | "device" | "onExplanation">,
  clear: () => void = () => {},
): Promise<boolean> {
  const { signal, onProgress, device: given } = options;
  const explain = explaining(device, phase, options);
  let shown = -1;
  const show = (done: number): void => {
    if (done > shown) onProgress?.({ phase, done: (shown = done), total: units });
  };
  for (let losses = 0; ; losses++) {
    const { backend } = device;
    if (!backend.runInPlace) return false;
    show(0);
    let done = 0;
    const onCost = (cost: number): void => {
      done += cost;
      const now = Math.floor((done / step.cost) * units);
      if (now < units) show(now);
    };
    const some = given ? "keep" : "brief";
    const workers = losses < MAX_LOSSES_IN_A_ROW ? some : "none";
    clear();
    try {
      const dispatches = await backend.runInPlace(step, arrays, { signal, onCost, workers });
      show(units);
      explain?.({ ...inPlace, jobs: 1, dispatches, halved: 0, lost: losses });
      return true;
    } catch (error) {
      if (!(error instanceof DeviceLostError) || losses === MAX_LOSSES_IN_A_ROW) throw error;
      await device.reopen(backend);
    }
  }
}

/**
 * Runs a stream of pieces over arrays.
 * @param arrays by the names that the stream has for them, or sources that make their words
 * @param cap most units of a piece, for tests
 */
export async function runStream<State>(
  device: Device,
  stream: Stream<State>,
  state: State,
  arrays: ArraySources,
  finish: Finish<StreamJob>,
  options: Pick<ArrayOptions, "signal" | "onProgress" | "onExplanation">,
  cap?: number,
): Promise<void> {
  const plan = planStream(device.info, state, cap);
  await runProgram(device, streamProgram(stream), plan, arrays, finish, options, inPieces);
}

/** It has arrays by the names that a program has for them, or sources that make their words. */
type ArraySources = Readonly<Record<string, ArrayBufferView | HostSource>>;

/**
 * Runs a program over arrays.
 * @param how it works, for the explanation
 * @returns the plan as it was at the end
 */
export async function runProgram<Plan extends ArrayCounts, J extends Job>(
  device: Device,
  program: Program<Plan, J>,
  plan: Plan,
  arrays: ArraySources,
  finish: Finish<J>,
  options: Pick<ArrayOptions, "signal" | "onProgress" | "onExplanation">,
  how: ArrayRun,
): Promise<Plan> {
  const executor = new Executor(device);
  try {
    const sources = Object.fromEntries(
      Object.entries(arrays).map(([name, array]) => [name, "rowBytes" in array ? array : new Words(array)]),
    );
    const explain = explaining(device, program.phase, options);
    const end = await executor.execute(program, plan, sources, finish, options);
    explain?.({ ...how, ...end });
    return end;
  } finally {
    executor.dispose();
  }
}

const inPlace: ArrayRun = {
  technique: "in place",
  why: "the device works on the host's memory",
};
const inPieces: ArrayRun = {
  technique: "in pieces that are uploaded, worked on and downloaded",
  why: "the device has a memory of its own",
};

/** This says how a device goes over arrays. */
interface ArrayRun {
  readonly technique: string;
  readonly why: string;
}

/** It counts what a plan has done. */
interface ArrayCounts {
  readonly jobs: number;
  readonly dispatches: number;
  readonly halved: number;
  readonly lost: number;
}

/**
 * Begins to measure for an explanation, where somebody wants one.
 * @returns what is to be called at the end
 */
function explaining(
  device: Device,
  operator: string,
  { onExplanation }: Pick<ArrayOptions, "onExplanation">,
): ((run: ArrayRun & ArrayCounts) => void) | undefined {
  if (!onExplanation) return undefined;
  const start = performance.now();
  device.takeStages();
  return ({ technique, why, jobs, dispatches, halved, lost }) => {
    const { info, note, counters } = device;
    onExplanation({
      operator,
      backend: info.kind,
      device: info.name,
      note,
      technique,
      why,
      jobs,
      dispatches,
      timesMemoryHalved: halved,
      timesDeviceLost: lost,
      peakDeviceBytes: counters.peakBytes,
      seconds: (performance.now() - start) / 1000,
      stages: device.takeStages(),
    });
  };
}

/** Gives an array as a source whose rows are words of 32 bits, of which the last may be a part. */
class Words implements HostSource {
  readonly rows: number;
  readonly #array: ArrayBufferView;

  constructor(array: ArrayBufferView) {
    this.#array = array;
    this.rows = Math.ceil(array.byteLength / 4);
  }

  rowBytes(): number {
    return 4;
  }

  fill(_part: string, rows: RowSet, target: Uint8Array): void {
    if ("begin" in rows) return target.set(this.#bytes(rows.begin, rows.end));
    for (let i = 0; i < rowCount(rows); i++) {
      const row = rowAt(rows, i);
      target.set(this.#bytes(row, row + 1), i * 4);
    }
  }

  /** Views some words; one view of all might be longer than a typed array can be. */
  #bytes(begin: number, end: number): Uint8Array {
    const { buffer, byteOffset, byteLength } = this.#array;
    return new Uint8Array(buffer, byteOffset + begin * 4, Math.min(end * 4, byteLength) - begin * 4);
  }
}
