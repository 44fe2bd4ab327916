/**
 * This module begins a task anew where the worker that had it died, for tasks that leave nothing behind. How
 * workers are started again is the pool's own matter.
 */
import { DeviceLostError } from "../../core/errors.ts";
import { MAX_LOSSES_IN_A_ROW } from "../recovery.ts";

/**
 * @param begin begins the task
 * @param onLoss called each time that a worker died with it
 * @throws DeviceLostError where that happened MAX_LOSSES_IN_A_ROW times
 */
export async function retried<T>(begin: () => Promise<T>, onLoss?: () => void): Promise<T> {
  for (let losses = 1; ; losses++) {
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof DeviceLostError)) throw error;
      onLoss?.();
      if (losses < MAX_LOSSES_IN_A_ROW) continue;
      throw new DeviceLostError(
        `${error.message}; a task was begun ${losses} times and lost each time`,
        error,
      );
    }
  }
}
