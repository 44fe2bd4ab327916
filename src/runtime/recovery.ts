/**
 * This is what every plan does after a failure: it halves the memory it uses, and goes on after a lost
 * device, until neither helps. Its functions are pure. The plan says what half the memory means.
 */
import { DeviceLostError, OutOfMemoryError } from "../core/errors.ts";

/** A plan goes on after so many losses of a device one after the other, without any progress in between. */
export const MAX_LOSSES_IN_A_ROW = 3;

/**
 * Returns the plan with half the memory.
 * @param halve makes it; throws where not even the least piece fits
 * @param pieces what was halved, for the message
 * @param times how often that was done before
 * @throws OutOfMemoryError where `halve` throws
 */
export function halved<Plan>(
  error: OutOfMemoryError,
  pieces: string,
  times: number,
  halve: () => Plan,
): Plan {
  try {
    return halve();
  } catch (cause) {
    throw new OutOfMemoryError(
      `${error.message}; ${pieces} were halved ${times} times, which did not help. Use a device with more memory`,
      error.bytes,
      cause,
    );
  }
}

/**
 * Counts one loss more.
 * @throws DeviceLostError where the device was lost too often in a row
 */
export function oneMoreLoss(error: DeviceLostError, lostInARow: number): number {
  if (lostInARow < MAX_LOSSES_IN_A_ROW) return lostInARow + 1;
  throw new DeviceLostError(
    `${error.message}; the device was opened again ${lostInARow} times and lost each time. Try another backend`,
    error,
  );
}
