/**
 * A GPU for the tests of this folder: Dawn on whatever Vulkan offers, SwiftShader included. Without one the
 * tests are skipped on a user's machine and fail in CI.
 */
import { afterAll, beforeAll } from "vitest";
import { create, globals } from "webgpu";
import type { DownloadStep, Segment } from "../../../dist/runtime/backend.js";
import type { HostSource, RowSet } from "../../../dist/runtime/source.js";
import { holdPipelines, sharedGpuDevice } from "../helpers.ts";
import { openGpu, type GpuBackend, type GpuOptions } from "../../../dist/runtime/gpu/backend.js";

Object.assign(globalThis, globals);

/** Dawn, with the options of the other tests: without them SwiftShader takes several times as long. */
export const gpu: GPU = create(process.env.NEARFIELD_DAWN?.split(" ") ?? []);

const adapter = await gpu.requestAdapter();
if (!adapter && process.env["CI"])
  throw new Error("CI needs a WebGPU adapter; set VK_ICD_FILENAMES to SwiftShader's");

export const hasGpu = adapter !== null;

export async function openTestGpu(options: GpuOptions = {}): Promise<GpuBackend> {
  return openGpu({ gpu, allowSoftware: true, ...options });
}

/** A backend of its own on the GPU that all files share; to dispose of it leaves that to the others. */
export async function openSharedGpu(options: Pick<GpuOptions, "budgetBytes"> = {}): Promise<GpuBackend> {
  return openGpu({ ...options, device: await sharedGpuDevice() });
}

/** Opens such a backend before the tests of a suite, and disposes of it after them. */
export function onSharedGpu(begin: (backend: GpuBackend) => void): void {
  let backend: GpuBackend;
  beforeAll(async () => begin((backend = await openSharedGpu())));
  afterAll(() => backend.dispose());
}

const callers = new Map<string, Promise<GPUDevice>>();

/** A device as programs have it, with these features and no limits above the default; all files share it. */
export function callersGpu(features: readonly GPUFeatureName[]): Promise<GPUDevice> {
  const key = features.join();
  const known = callers.get(key);
  if (known) return known;
  const requiredFeatures = [...features];
  const device = gpu.requestAdapter().then((adapter) => adapter!.requestDevice({ requiredFeatures }));
  callers.set(key, device);
  void device.then(holdPipelines, () => callers.delete(key));
  return device;
}

/** A source of one part, whose rows lie one after the other in `data`. */
export function rowsOf(data: Float32Array | Uint32Array, rowWords: number): HostSource {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const rowBytes = rowWords * 4;
  return {
    rows: data.length / rowWords,
    rowBytes: () => rowBytes,
    fill: (_, rows, target) => {
      if ("begin" in rows) target.set(bytes.subarray(rows.begin * rowBytes, rows.end * rowBytes));
      else
        rows.forEach((row, at) =>
          target.set(bytes.subarray(row * rowBytes, (row + 1) * rowBytes), at * rowBytes),
        );
    },
  };
}

/** The error a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("expected a rejection");
}

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
export function randomizer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Uploads rows of the source "data" to a buffer, and downloads it again. */
export function copySegment(words: number, rows: RowSet, target?: DownloadStep["target"]): Segment {
  const bytes = words * 4;
  return {
    label: "copy",
    buffers: [{ name: "copy", bytes }],
    steps: [
      { kind: "upload", to: "copy", source: "data", part: "", rows },
      { kind: "download", from: "copy", bytes, ...(target && { target }) },
    ],
  };
}
