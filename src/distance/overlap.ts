/**
 * This says when a job may begin while the one before it still runs, so that a GPU does not wait for the
 * host in between. This is pure, and the same for every plan over references that stay on the device.
 */
import type { Job } from "../runtime/program.ts";
import type { BackendInfo } from "../runtime/backend.ts";
import type { BufferSpec } from "../runtime/source.ts";
import type { ReferenceLayout } from "./layout.ts";

/** A job that takes longer than this hides what a GPU waits for the host before the next one. */
const SHORT_SECONDS = 0.05;

/** A plan says this of its device, and of the rows that stay there. */
export interface OverlapRoom {
  readonly device: BackendInfo;
  readonly layout: ReferenceLayout | undefined;
  readonly budget: number;
  /** The device does this many work units per second, if that was observed. */
  readonly rate: number;
  readonly observed: boolean;
}

/**
 * Tells whether the next job may begin while this one runs: the device is a GPU, the job is short, and there
 * is room for the buffers of both.
 * @param next undefined where no job is left
 */
export function overlaps(
  { segment, cost, awaited }: Job,
  next: Job | undefined,
  { device, layout, budget, rate, observed }: OverlapRoom,
  resident: readonly BufferSpec[],
): boolean {
  const isShort = observed && cost <= rate * SHORT_SECONDS;
  if (device.kind !== "gpu" || !layout?.resident || !segment || awaited || !isShort) return false;
  if (!next?.segment) return false;
  return bytesOf(resident) + bytesOf(segment.buffers) + bytesOf(next.segment.buffers) <= budget;
}

function bytesOf(buffers: readonly BufferSpec[]): number {
  return buffers.reduce((sum, { bytes }) => sum + bytes, 0);
}
