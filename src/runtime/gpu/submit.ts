/**
 * A batch is what will become one command buffer. Steps add commands to it without touching the device;
 * `submitBatch` records and submits them in one synchronous go, so that no other run can come in between.
 */
import type { EncodeTools } from "./passes/encode.ts";
import type { GpuMachine } from "./machine.ts";
import type { Timestamps } from "./passes/profile.ts";
import { scoped } from "./scopes.ts";
import type { DownloadSlot, UploadSlot } from "./staging.ts";

/** These bytes are written to a buffer before anything else that the batch does. */
interface Write {
  readonly buffer: GPUBuffer;
  readonly at: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

export interface Batch {
  readonly writes: Write[];
  readonly commands: ((encoder: GPUCommandEncoder, tools: EncodeTools) => void)[];
  readonly uploads: UploadSlot[];
  readonly downloads: DownloadSlot[];
  /** The device found these faults while the batch was prepared. */
  readonly checks: Promise<void>[];
  passes: number;
  work: number;
  cost: number;
  uploadedBytes: number;
}

export function emptyBatch(): Batch {
  return {
    writes: [],
    commands: [],
    uploads: [],
    downloads: [],
    checks: [],
    passes: 0,
    work: 0,
    cost: 0,
    uploadedBytes: 0,
  };
}

/**
 * Submits the batch. The promise resolves when the GPU has finished it and its downloads have arrived.
 * @param isOver says whether nobody waits any more for what a download brings, whose memory may have another
 *   use by then
 * @throws what a command throws while it is recorded; nothing is submitted then and the batch can be
 *   abandoned.
 */
export function submitBatch(
  machine: GpuMachine,
  label: string,
  batch: Batch,
  isOver: () => boolean,
): Promise<void> {
  const { device, health, uploads, downloads, counters, pace } = machine;
  health.check();
  const submitted = performance.now();
  const { value: timestamps, checked } = scoped(device, label, 0, () => record(machine, label, batch));
  counters.dispatches += batch.passes;
  counters.work += batch.work;
  counters.uploadedBytes += batch.uploadedBytes;
  const finished = device.queue.onSubmittedWorkDone().then(() => {
    if (batch.cost > 0) pace.observe(batch.cost, submitted, performance.now());
  });
  return health.guard(
    Promise.all([
      checked,
      ...batch.checks,
      finished,
      ...batch.uploads.map((slot) => uploads.recycle(slot)),
      timestamps?.read().then((spans) => machine.spans?.push(...spans)),
      ...batch.downloads.map((slot) =>
        downloads.read(slot, isOver).then((bytes) => void (counters.downloadedBytes += bytes)),
      ),
    ]).then(() => undefined),
  );
}

function record(machine: GpuMachine, label: string, batch: Batch): Timestamps | undefined {
  const { device, uniforms, pipelines, uploads } = machine;
  const timestamps = batch.passes > 0 ? machine.timestamps?.(batch.passes) : undefined;
  try {
    const encoder = device.createCommandEncoder({ label });
    for (const command of batch.commands) command(encoder, { device, pipelines, uniforms, timestamps });
    timestamps?.resolve(encoder);
    const commandBuffer = encoder.finish();
    for (const slot of batch.uploads) uploads.send(slot);
    for (const { buffer, at, data } of batch.writes) device.queue.writeBuffer(buffer, at, data);
    uniforms.commit();
    device.queue.submit([commandBuffer]);
    return timestamps;
  } catch (error) {
    timestamps?.destroy();
    throw error;
  }
}

/** Gives back the staging slots of a batch that will not be submitted. */
export function abandonBatch({ uploads, downloads }: GpuMachine, batch: Batch): void {
  for (const slot of batch.uploads) uploads.putBack(slot);
  for (const slot of batch.downloads) downloads.putBack(slot);
}
