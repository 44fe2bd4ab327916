/**
 * This module tells what a machine offers and what an opened device was seen to do: facts for `nearfield
 * doctor` and for pages that want to tell a user what they run on. It opens nothing that it does not close
 * again, and judges nothing.
 */
import type { BackendTraits, Segment } from "./backend.ts";
import type { HostSource, RowSet } from "./source.ts";
import { assert, isNearfieldError } from "../core/errors.ts";
import { roundDown } from "../core/math.ts";
import { currentPlatform } from "../core/platform.ts";
import { canShare } from "./cpu/buffers.ts";
import { probeWasm } from "./cpu/probe.ts";
import type { Device } from "./device.ts";

/** These limits matter to compute, as WebGPU calls them; they are bytes where they are sizes. */
export const adapterLimitNames = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxUniformBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxUniformBuffersPerShaderStage",
  "maxBindGroups",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension",
  "minStorageBufferOffsetAlignment",
  "minUniformBufferOffsetAlignment",
] as const satisfies readonly (keyof GPUSupportedLimits)[];

/**
 * It describes a WebGPU adapter: its name, features and limits.
 * @example
 * const { adapters } = await inspectMachine();
 * const { gpu, name, software }: AdapterReport = adapters[0];
 * const device = await Device.create({ backend: "gpu", gpu });
 * [device.info.name, device.info.software]; // => [name, software]
 * device.dispose();
 */
export interface AdapterReport {
  /** The option `gpu` takes this number. */
  readonly gpu: number;
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** It emulates a GPU on the CPU, and "auto" does not take it. */
  readonly software: boolean;
  /** A subgroup has at least and at most this many lanes; undefined if the adapter has no subgroups. */
  readonly subgroupSizes: { readonly min: number; readonly max: number } | undefined;
  /** It lists the features by WebGPU's names, sorted. */
  readonly features: readonly string[];
  /** They are the adapter's own limits; a `Device` requests those that it can use. */
  readonly limits: Readonly<Record<(typeof adapterLimitNames)[number], number>>;
}

/**
 * `inspectMachine` returns this.
 * @example
 * const report: MachineReport = await inspectMachine();
 * const device = await Device.create({ backend: "cpu" });
 * device.info.threads; // => report.threads
 * device.info.budgetBytes <= report.memory; // => true
 * device.dispose();
 */
export interface MachineReport {
  readonly runtime: "node" | "browser";
  /** There are this many logical processors, the default number of CPU workers. */
  readonly threads: number;
  /** The CPU backend may hold this many bytes of host memory unless told otherwise. */
  readonly memory: number;
  /** WebAssembly has SIMD, without which there is no CPU backend. */
  readonly simd: boolean;
  /** WebAssembly has relaxed SIMD, which is then used. */
  readonly relaxedSimd: boolean;
  /** Says whether workers share memory with the program (SharedArrayBuffer); where not, they copy. */
  readonly sharedMemory: boolean;
  /** All adapters that can be told apart, the fastest first, those in software last. */
  readonly adapters: readonly AdapterReport[];
  /**
   * The reason why there is no WebGPU, and what to do; undefined where there is. It may still offer no
   * adapter.
   */
  readonly noWebGpu: string | undefined;
}

/**
 * Tells what this machine offers, without opening a device.
 * @example
 * const { threads, simd, adapters } = await inspectMachine();
 * console.log(`${threads} threads, ${adapters.length} GPUs, ${adapters[0]?.name ?? "none"}`);
 * simd; // => true
 */
export async function inspectMachine(): Promise<MachineReport> {
  const { name, threads, memory } = currentPlatform();
  const { simd, relaxedSimd } = probeWasm();
  const cpu = { runtime: name, threads, memory, simd, relaxedSimd, sharedMemory: canShare() };
  try {
    return { ...cpu, adapters: await inspectAdapters(), noWebGpu: undefined };
  } catch (error) {
    if (!isNearfieldError(error, "Unavailable")) throw error;
    return { ...cpu, adapters: [], noWebGpu: error.message };
  }
}

async function inspectAdapters(): Promise<AdapterReport[]> {
  const gpu = await currentPlatform().gpu();
  const { listAdapters } = await import("./gpu/acquire.ts");
  const { keepAlive } = await import("./gpu/quirks.ts");
  keepAlive(gpu);
  return (await listAdapters(gpu)).map(({ adapter, name, software }, at) => {
    const { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize } = adapter.info;
    const hasSubgroups = adapter.features.has("subgroups");
    return {
      gpu: at,
      name,
      vendor,
      architecture,
      device,
      description,
      software,
      subgroupSizes: hasSubgroups ? { min: subgroupMinSize, max: subgroupMaxSize } : undefined,
      features: [...adapter.features].sort(),
      limits: Object.fromEntries(
        adapterLimitNames.map((limit) => [limit, adapter.limits[limit]]),
      ) as AdapterReport["limits"],
    };
  });
}

/**
 * `inspectDevice` returns this.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { backend, traits, bufferBytes, budgetBytes }: DeviceReport = await inspectDevice(device, 4096);
 * [backend, traits]; // => ["cpu", undefined]
 * bufferBytes <= budgetBytes; // => true
 * device.dispose();
 */
export interface DeviceReport {
  readonly backend: "gpu" | "cpu";
  readonly name: string;
  readonly software: boolean;
  /** All buffers together may take this many bytes. */
  readonly budgetBytes: number;
  /** The largest single buffer has this many bytes. */
  readonly bufferBytes: number;
  /**
   * Self-tests tell whether workgroups may wait for each other, and whether subgroups number their lanes in
   * order. Nothing but speed depends on it. It is undefined where no test runs: on the CPU and on adapters in
   * software.
   */
  readonly traits: BackendTraits | undefined;
  readonly transfer: TransferReport;
}

/**
 * Bytes go to the device and back at this speed.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const transfer: TransferReport = (await inspectDevice(device, 4096)).transfer;
 * const { bytes, uploadBytesPerSecond } = transfer;
 * bytes; // => 4096
 * uploadBytesPerSecond > 0; // => true
 * device.dispose();
 */
export interface TransferReport {
  readonly bytes: number;
  /** It is the speed of the fastest of a few runs. */
  readonly uploadBytesPerSecond: number;
  readonly readBackBytesPerSecond: number;
  /** It is the first 32-bit word, counted from 0, that came back changed; undefined if none did. */
  readonly firstWrongWord: number | undefined;
}

/**
 * Tells what an opened device was seen to do: its self-tests' verdicts, and how fast bytes travel to it and
 * back.
 * @param bytes to send, a multiple of 4; default 32 MiB, and 4 MiB on a GPU in software
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { transfer } = await inspectDevice(device);
 * transfer.firstWrongWord; // => undefined
 * device.dispose();
 */
export async function inspectDevice(device: Device, bytes?: number): Promise<DeviceReport> {
  const { kind, name, software, budgetBytes, bufferBytes } = device.info;
  const traits = software ? undefined : await device.backend.traits?.();
  const wanted = bytes ?? (software ? 2 ** 22 : 2 ** 25);
  const transfer = await measureTransfer(device, roundDown(Math.min(wanted, bufferBytes, budgetBytes), 4));
  return { backend: kind, name, software, budgetBytes, bufferBytes, traits, transfer };
}

const RUNS = 3;

async function measureTransfer(device: Device, bytes: number): Promise<TransferReport> {
  const source = new Pattern(bytes);
  const session = await device.backend.open([{ name: "there", bytes }]);
  const secondsOf = async (segment: Segment) => {
    const start = performance.now();
    const { downloads } = await session.run(segment, { source });
    return { seconds: (performance.now() - start) / 1000, downloads };
  };
  try {
    let upload = Infinity;
    let readBack = Infinity;
    let firstWrongWord: number | undefined;
    for (let run = 0; run < RUNS; run++) {
      // The four bytes that come back say that all have arrived.
      upload = Math.min(upload, (await secondsOf(uploadSegment(bytes))).seconds);
      const back = await secondsOf(downloadSegment(bytes));
      readBack = Math.min(readBack, back.seconds);
      firstWrongWord ??= source.firstWrongWord(back.downloads.get("there"));
    }
    return {
      bytes,
      uploadBytesPerSecond: bytes / upload,
      readBackBytesPerSecond: bytes / readBack,
      firstWrongWord,
    };
  } finally {
    session.dispose();
  }
}

function uploadSegment(bytes: number): Segment {
  const rows = { begin: 0, end: bytes / 4 };
  return {
    label: "upload",
    buffers: [],
    steps: [
      { kind: "upload", to: "there", source: "source", part: "words", rows },
      { kind: "download", from: "there", bytes: 4 },
    ],
  };
}

function downloadSegment(bytes: number): Segment {
  return { label: "read back", buffers: [], steps: [{ kind: "download", from: "there", bytes }] };
}

/** Makes words of which no two are equal. */
class Pattern implements HostSource {
  readonly rows: number;
  readonly #words: Uint32Array;

  constructor(bytes: number) {
    this.rows = bytes / 4;
    this.#words = Uint32Array.from({ length: this.rows }, (_, i) => Math.imul(i, 0x9e3779b1));
  }

  rowBytes(): number {
    return 4;
  }

  fill(_part: string, rows: RowSet, target: Uint8Array): void {
    assert("begin" in rows, "the pattern is uploaded in ranges");
    const { buffer } = this.#words;
    target.set(new Uint8Array(buffer, rows.begin * 4, (rows.end - rows.begin) * 4));
  }

  firstWrongWord(back: ArrayBuffer | undefined): number | undefined {
    const words = new Uint32Array(back ?? new ArrayBuffer(0));
    for (let i = 0; i < this.rows; i++) if (words[i] !== this.#words[i]) return i;
    return undefined;
  }
}
