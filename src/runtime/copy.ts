/**
 * This module measures how fast a device copies within its own memory, by which all work that memory bounds
 * is judged. Bytes on their way to a device and back are inspect.ts, multiply-adds peak.ts.
 */
import { DeviceError, InvalidInputError } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import { Yielder } from "../core/async/yielding.ts";
import { scoped } from "./gpu/scopes.ts";
import type { Device } from "./device.ts";

/**
 * `measureCopy` takes these options.
 * @example
 * const options: CopyOptions = { bytes: 2 ** 20, repeat: 3 };
 * const device = await Device.create({ backend: "cpu" });
 * (await measureCopy(device, options)).bytes; // => 2 ** 20
 * device.dispose();
 */
export interface CopyOptions {
  /** This many bytes are copied, a multiple of 4; the device holds them twice. */
  readonly bytes: number;
  /** The median of this many timed runs is taken; default 10. */
  readonly repeat?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `measureCopy` returns this.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { bytes, seconds }: CopyReport = await measureCopy(device, { bytes: 2 ** 20 });
 * (2 * bytes) / seconds > 1e6; // => true
 * device.dispose();
 */
export interface CopyReport {
  readonly bytes: number;
  /** One copy takes this long. It reads the bytes once and writes them once. */
  readonly seconds: number;
}

/**
 * Measures how long a device takes to copy bytes from one of its buffers to another: the median of several
 * runs, each with enough copies for the clock to resolve. On the CPU one thread copies with TypedArray.set.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { bytes, seconds } = await measureCopy(device, { bytes: 2 ** 20 });
 * console.log(`${((2 * bytes) / seconds / 1e9).toFixed(1)} GB/s read and written`);
 * device.dispose();
 * @throws InvalidInputError for sizes that are invalid or do not fit; OutOfMemoryError and DeviceLostError;
 *   the signal's reason
 */
export async function measureCopy(device: Device, options: CopyOptions): Promise<CopyReport> {
  checkOptions(options, "measureCopy", { bytes: 1, repeat: 1, signal: 1 } satisfies OptionNames<CopyOptions>);
  const { bytes, repeat = 10, signal } = options;
  checkSizes(device, bytes, repeat);
  signal?.throwIfAborted();
  const onGpu = device.backend.onDevice?.((gpu) => copyOnGpu(gpu, bytes, repeat, signal));
  try {
    return { bytes, seconds: await (onGpu ?? copyOnCpu(bytes, repeat, signal)) };
  } catch (error) {
    signal?.throwIfAborted(); // which a GPU's guard would call an error of the device
    throw error;
  }
}

function checkSizes({ info }: Device, bytes: number, repeat: number): void {
  if (!Number.isInteger(bytes) || bytes < 4 || bytes % 4 !== 0) {
    throw new InvalidInputError(`bytes is ${bytes}; expected a multiple of 4, and at least that`);
  }
  if (!Number.isInteger(repeat) || repeat < 1) {
    throw new InvalidInputError(`repeat is ${repeat}; expected a whole number of at least 1`);
  }
  const most = Math.min(info.bufferBytes, Math.floor(info.budgetBytes / 8) * 4);
  if (bytes <= most) return;
  throw new InvalidInputError(
    `${bytes} bytes do not fit twice into ${info.name}; choose at most ${most} bytes`,
  );
}

/** Does so many copies and returns the seconds that they took. */
type Copies = (count: number) => Promise<number>;

const LONG_ENOUGH = 0.05;
const GROWTH = 2;

/** Times one copy. The first is not counted, since memory may only then become the program's own. */
async function secondsPerCopy(
  copies: Copies,
  repeat: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const run: Copies = (count) => {
    signal?.throwIfAborted();
    return copies(count);
  };
  await run(1);
  let count = 1;
  while ((await run(count)) < LONG_ENOUGH) count *= GROWTH;
  const found = new Float64Array(repeat);
  for (let at = 0; at < repeat; at++) found[at] = (await run(count)) / count;
  found.sort();
  return (found[(repeat - 1) >> 1] + found[repeat >> 1]) / 2;
}

/** The first and the last word are these; their arrival says that a copy took place. */
const MARKS = Uint32Array.of(0x6e656172, 0x6c646566);

async function copyOnGpu(
  gpu: GPUDevice,
  bytes: number,
  repeat: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const buffers: GPUBuffer[] = [];
  const make = (label: string, size: number, usage: number) => {
    const { value, checked } = scoped(gpu, "copy", size, () => gpu.createBuffer({ label, size, usage }));
    buffers.push(value);
    return checked.then(() => value);
  };
  try {
    const [from, to, back] = await Promise.all([
      make("copy from", bytes, COPY_SRC | COPY_DST),
      make("copy to", bytes, COPY_SRC | COPY_DST),
      make("copied marks", MARKS.byteLength, MAP_READ | COPY_DST),
    ]);
    gpu.queue.writeBuffer(from, 0, MARKS, 0, 1);
    gpu.queue.writeBuffer(from, bytes - 4, MARKS, 1, 1);
    const seconds = await secondsPerCopy((count) => timedCopies(gpu, from, to, count), repeat, signal);
    const encoder = gpu.createCommandEncoder({ label: "copied marks" });
    encoder.copyBufferToBuffer(to, 0, back, 0, 4);
    encoder.copyBufferToBuffer(to, bytes - 4, back, 4, 4);
    gpu.queue.submit([encoder.finish()]);
    await back.mapAsync(GPUMapMode.READ);
    checkMarks(new Uint32Array(back.getMappedRange()), bytes);
    return seconds;
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

async function timedCopies(gpu: GPUDevice, from: GPUBuffer, to: GPUBuffer, count: number): Promise<number> {
  const encoder = gpu.createCommandEncoder({ label: "copy" });
  for (let i = 0; i < count; i++) encoder.copyBufferToBuffer(from, 0, to, 0, to.size);
  const commands = encoder.finish();
  await gpu.queue.onSubmittedWorkDone();
  const began = performance.now();
  gpu.queue.submit([commands]);
  await gpu.queue.onSubmittedWorkDone();
  return (performance.now() - began) / 1000;
}

async function copyOnCpu(bytes: number, repeat: number, signal: AbortSignal | undefined): Promise<number> {
  const from = new Uint32Array(bytes / 4).fill(1);
  const to = new Uint32Array(bytes / 4);
  from[0] = MARKS[0];
  from[from.length - 1] = MARKS[1];
  const yielder = new Yielder(signal);
  const copies: Copies = async (count) => {
    await yielder.next();
    const began = performance.now();
    for (let i = 0; i < count; i++) to.set(from);
    return (performance.now() - began) / 1000;
  };
  const seconds = await secondsPerCopy(copies, repeat, signal);
  checkMarks(Uint32Array.of(to[0], to[to.length - 1]), bytes);
  return seconds;
}

/** Fails unless both marks arrived. With 4 bytes the first word is the last one. */
function checkMarks(found: Uint32Array, bytes: number): void {
  const first = bytes === 4 ? MARKS[1] : MARKS[0];
  if (found[0] === first && found[1] === MARKS[1]) return;
  throw new DeviceError(`a copy of ${bytes} bytes did not arrive as it was; please report this device`);
}
