/** This says how distances were counted, from what was executed. */
import type { Device } from "../../runtime/device.ts";
import { steps } from "./contract.ts";
import { bytesOf } from "./cut.ts";
import type { Executed } from "./exact.ts";
import type { DistanceHistogramExplanation } from "./options.ts";
import { isExact, type DistancesPlan } from "./plan/distancesPlan.ts";
import { residentBuffers } from "./plan/steps.ts";

/**
 * Explains what a CPU counted.
 * @param unsuited the reason why a GPU, where there is one, did not do it
 */
export function explainExact(
  device: Device,
  { passes, evaluated, settled, tasks, halved, lost, buffers, times, isFast }: Executed,
  inWorkers: boolean,
  unsuited: string | undefined,
  pairs: number,
  start: number,
): DistanceHistogramExplanation {
  return {
    ...factsOf(device, start),
    technique: `${settled > 0 ? "float32, then float64 for what that leaves open" : "float64 throughout"}, ${inWorkers ? `by ${device.workerThreads} threads, ${isFast ? "in WASM" : "in JavaScript"}` : "on the main thread"}`,
    why: unsuited ? `${unsuited}; this is slow` : "the CPU counts distances by their definition",
    jobs: 1,
    dispatches: inWorkers ? tasks : 0,
    timesMemoryHalved: halved,
    timesDeviceLost: lost,
    peakDeviceBytes: bytesOf(buffers),
    stages: steps.map((step) => {
      return { name: `distances.${step}`, dispatches: inWorkers ? tasks : 0, seconds: times[step] / 1000 };
    }),
    settled: { float32: settled, fixed: 0, float64: pairs - settled },
    evaluated,
    passes,
    buffers,
  };
}

export function explainGpu(
  device: Device,
  plan: DistancesPlan,
  pairs: number,
  start: number,
): DistanceHistogramExplanation {
  const { technique, runLog } = plan;
  const { jobs, dispatches, halved, lost, fixed, settled, evaluated, passes } = runLog;
  const how = isExact(plan)
    ? `intervals ${plan.whole ? "by rows of whole numbers" : "in float32"}, ` +
      "then whole numbers and float64 for pairs that these leave open"
    : "float32 distances as they are";
  return {
    ...factsOf(device, start),
    technique: `${how} (${technique.form})`,
    why: `${technique.why}; ${runLog.why}`,
    jobs,
    dispatches,
    timesMemoryHalved: halved,
    timesDeviceLost: lost,
    peakDeviceBytes: device.counters.peakBytes,
    stages: device.takeStages(),
    settled: { float32: pairs - fixed - settled, fixed, float64: settled },
    evaluated,
    passes,
    buffers: [...residentBuffers(plan), ...runLog.buffers],
  };
}

function factsOf(device: Device, start: number) {
  return {
    operator: "distances",
    backend: device.info.kind,
    device: device.info.name,
    note: device.note,
    seconds: (performance.now() - start) / 1000,
  } as const;
}
