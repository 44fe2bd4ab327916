/**
 * This module evaluates all pairs by float64, where a device has threads for it. The work of the threads is
 * loaded when they first do it.
 */
import type { Device } from "../../runtime/device.ts";
import { isShareable, type AllPairs } from "./allPairs.ts";

/**
 * Finds nearest rows by float64 alone, with threads of the device.
 * @returns pairs evaluated; undefined, with nothing that counts done, where the caller's thread may as well
 *   do it
 */
export function evaluateAll(all: AllPairs, device: Pick<Device, "withWorkers">): Promise<number | undefined> {
  return device.withWorkers(
    (threads) => isShareable(all, threads),
    async (workers) => (await import("./nearest.ts")).evaluateByWorkers(all, workers),
  );
}
