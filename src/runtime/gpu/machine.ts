/**
 * This is what a GpuBackend owns on its device and every run of a segment works with. It is built once and
 * disposed of once.
 */
import type { Counters, PassTime } from "../backend.ts";
import type { RunStep } from "../primitive.ts";
import { kernelLimits, type DeviceTraits, type KernelLimits } from "./passes/pass.ts";
import { downloadSlots, uploadSlots, type Budget } from "./budget.ts";
import { BufferPool } from "./buffers.ts";
import { Health } from "./health.ts";
import { Pace } from "./pace.ts";
import type { Timestamps } from "./passes/profile.ts";
import { Pipelines } from "./passes/pipelines.ts";
import type { BoundGroup } from "./passes/encode.ts";
import type { Pass } from "./passes/pass.ts";
import { DownloadRing, UploadRing } from "./staging.ts";
import { Uniforms } from "./uniforms.ts";

export interface GpuMachine {
  readonly device: GPUDevice;
  /** The device is ours, so that nobody else destroys it. */
  readonly owned: boolean;
  readonly health: Health;
  readonly limits: KernelLimits;
  /** Returns the same limits with the device's traits, from a self-test when first asked for. */
  readonly limitsWithTraits: () => Promise<KernelLimits & { readonly traits: DeviceTraits }>;
  readonly pool: BufferPool;
  readonly uploads: UploadRing;
  readonly downloads: DownloadRing;
  readonly uniforms: Uniforms;
  readonly pipelines: Pipelines;
  /** These are passes of steps that may run again, with what each of them was last bound to. */
  readonly passesOf: WeakMap<RunStep, { readonly passes: readonly Pass[]; readonly groups: BoundGroup[] }>;
  readonly pace: Pace;
  readonly counters: Omit<Counters, "peakBytes">;
  /** Makes what times so many passes; undefined when nobody asked for a profile, or the device has none. */
  readonly timestamps: ((passes: number) => Timestamps) | undefined;
  /** Spans go to this list; undefined where nothing is timed. */
  readonly spans: PassTime[] | undefined;
}

export function buildMachine(
  device: GPUDevice,
  owned: boolean,
  budget: Budget,
  rate: number,
  timed: typeof Timestamps | undefined,
): GpuMachine {
  const health = new Health(device);
  const limits = kernelLimits(device);
  const Timed = device.features.has("timestamp-query") ? timed : undefined;
  return {
    device,
    owned,
    health,
    limits,
    limitsWithTraits: async () => {
      const { traitsOf } = await import("./traits.ts");
      return { ...limits, traits: await traitsOf(device, health) };
    },
    pool: new BufferPool(device, health, budget),
    uploads: new UploadRing(device, budget.slotBytes, uploadSlots),
    downloads: new DownloadRing(device, budget.slotBytes, downloadSlots),
    uniforms: new Uniforms(device),
    pipelines: new Pipelines(device, health),
    passesOf: new WeakMap(),
    pace: new Pace(rate),
    counters: { dispatches: 0, work: 0, uploadedBytes: 0, downloadedBytes: 0 },
    timestamps: Timed && ((passes) => new Timed(device, passes)),
    spans: Timed && [],
  };
}

/** Frees all memory, and the device unless it is the caller's, once no other thread writes to its memory. */
export function dismantle({ device, owned, pool, uploads, downloads, uniforms }: GpuMachine): void {
  const destroy = () => {
    for (const part of [pool, uploads, downloads, uniforms]) part.dispose();
    if (owned) device.destroy();
  };
  const whenUnused = () => {
    const filling = uploads.filling();
    if (filling) void filling.then(whenUnused);
    else destroy();
  };
  whenUnused();
}
