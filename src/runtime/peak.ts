/**
 * This module measures what a device can do at most, for judging kernels. It is part of no search and stands
 * apart, so that programs which do not ask for it do without its kernel.
 */
import type { Device } from "./device.ts";

/**
 * Measures the operations per second of a loop of multiply-adds and nothing else, each counted as two: the
 * best of a few runs. It is undefined on the CPU, which has no such loop.
 * @throws DeviceLostError
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * await measurePeak(device); // => undefined
 * device.dispose();
 */
export async function measurePeak(device: Device): Promise<number | undefined> {
  return device.backend.onDevice?.(async (gpu) => (await import("./gpu/peak.ts")).measurePeak(gpu));
}
