/**
 * This says when a job may begin while the one before it still runs, so that a GPU does not wait for the
 * host in between. This is pure, and the same for every plan over references that stay on the device.
 */
import type { Job } from "../runtime/program.ts";
import type { BackendInfo } from "../runtime/backend.ts";
import type { BufferSpec } from "../runtime/source.ts";
import type { ReferenceLayout } from "./layout.ts";

/** Between jobs that take longer than this, a GPU waits for no share of the time that counts. */
const SHORT_SECONDS = 0.05;

/** A plan says this of its device. */
export interface OverlapRoom {
  readonly device: BackendInfo;
  readonly layout: ReferenceLayout | undefined;
  readonly budget: number;
  /** The device does this many work units per second, if that was observed. */
  readonly rate: number;
  readonly observed: boolean;
}

/**
 * Tells whether the next job may begin while this one runs: the device is a GPU, the job is short, and both
 * have room for buffers of their own.
 */
export function overlaps(
  { segment, cost, awaited }: Job,
  { device, layout, budget, rate, observed }: OverlapRoom,
  resident: readonly BufferSpec[],
): boolean {
  const isShort = observed && cost <= rate * SHORT_SECONDS;
  if (device.kind !== "gpu" || !layout?.resident || !segment || awaited || !isShort) return false;
  return bytesOf(resident) + 2 * bytesOf(segment.buffers) <= budget;
}

function bytesOf(buffers: readonly BufferSpec[]): number {
  return buffers.reduce((sum, { bytes }) => sum + bytes, 0);
}
