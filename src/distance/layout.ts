/**
 * This lays out the references of a plan on a device: all of them in resident buffers, or chunk by chunk
 * through two. This is pure arithmetic on sizes; what is done with a chunk is the operator's.
 */
import type { BackendInfo } from "../runtime/backend.ts";
import { OutOfMemoryError } from "../core/errors.ts";
import { META_BYTES } from "./core.ts";

/** References lie all in resident buffers, or go chunk by chunk through two. */
export interface ReferenceLayout {
  readonly resident: boolean;
  readonly chunkRows: number;
  readonly chunks: number;
  /** A reference has so many bytes on the device where it is not float32 with its meta. */
  readonly rowBytes?: number;
}

/**
 * A chunk that streams through a GPU is this share of what can be on its way. Slots come back as soon as they
 * were copied, long before the chunk is done with, so that the next one need not fit beside it; larger chunks
 * are fewer to record (bench/results/knn-host.md).
 */
const STREAMED_SHARE = 3 / 4;
/** A chunk smaller than so many bytes costs more in dispatches than is gained. */
const LEAST_STREAMED_BYTES = 2 ** 20;

/** A dispatch should take at most so long; browsers reset a GPU after a few seconds. */
export const DISPATCH_SECONDS = 0.1;

/**
 * Lays out the references.
 * @param extraBytes the bytes of each row beside its values and meta
 * @throws OutOfMemoryError when not even one chunk of a few rows fits
 */
export function layoutReferences(
  rows: number,
  stride: number,
  extraBytes: number,
  device: BackendInfo,
  budget: number,
  caps: { readonly chunk?: number | undefined },
): ReferenceLayout {
  const rowBytes = stride * 4 + META_BYTES + extraBytes;
  const bindable = Math.floor(device.bufferBytes / (stride * 4));
  if (rows * rowBytes <= budget * 0.6) {
    const chunkRows = Math.min(rows, bindable, caps.chunk ?? rows);
    if (chunkRows >= 1) return { resident: true, chunkRows, chunks: Math.ceil(rows / chunkRows) };
  }
  const streamed = Math.max(device.uploadBytes * STREAMED_SHARE, LEAST_STREAMED_BYTES);
  const most = device.kind === "gpu" ? Math.min(budget * 0.25, streamed) : budget * 0.25;
  const chunkRows = Math.min(rows, bindable, Math.floor(most / rowBytes), caps.chunk ?? rows);
  if (chunkRows < 1) throw tooSmall(device, budget, rowBytes * 4);
  return { resident: false, chunkRows, chunks: Math.ceil(rows / chunkRows) };
}

/** Returns the bytes that the references take on the device. */
export function layoutBytes(layout: ReferenceLayout, rows: number, stride: number, extraBytes = 0): number {
  const { resident, chunkRows, rowBytes = stride * 4 + META_BYTES + extraBytes } = layout;
  return (resident ? rows : 2 * chunkRows) * rowBytes;
}

export function tooSmall(device: BackendInfo, budget: number, needed: number): OutOfMemoryError {
  const option = device.kind === "gpu" ? "deviceMemory" : "memory";
  return new OutOfMemoryError(
    `${Math.floor(budget)} bytes of ${device.kind} memory do not hold one tile, which takes about ${needed}; ` +
      `raise ${option}`,
    needed,
  );
}
