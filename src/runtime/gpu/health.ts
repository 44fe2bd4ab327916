/**
 * This module knows whether a device still works. Every wait on the GPU goes through `guard`, so that a lost
 * device, a disposed backend or an error nobody caught rejects what is pending and whatever comes later. The
 * errors of single operations are not here: they are scopes.ts.
 */
import { DeviceError, DeviceLostError, NearfieldError } from "../../core/errors.ts";

/**
 * A failed wait gives the device so many milliseconds to say that it was lost, which explains the failure
 * better.
 */
const lossGraceMs = 200;

export class Health {
  #error: NearfieldError | undefined;
  readonly #waiting = new Set<(error: NearfieldError) => void>();

  constructor(device: GPUDevice) {
    void device.lost.then(({ reason, message }) => {
      this.fail(
        new DeviceLostError(`the GPU was lost (${reason}): ${message || "the driver gave no reason"}`),
      );
    });
  }

  /** @throws what ended the device. */
  check(): void {
    if (this.#error) throw this.#error;
  }

  /** Ends the device: all pending and later waits reject with the first error. */
  fail(error: NearfieldError): void {
    this.#error ??= error;
    for (const reject of this.#waiting) reject(this.#error);
    this.#waiting.clear();
  }

  /**
   * Waits for the promise, or for the end of the device if that comes first. An error that the runtime throws
   * becomes a DeviceError.
   */
  async guard<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => undefined); // nobody waits for it where the device has ended
    this.check();
    let stop: (error: NearfieldError) => void;
    const ended = new Promise<never>((_, reject) => this.#waiting.add((stop = reject)));
    try {
      const value = await Promise.race([promise, ended]);
      this.check();
      return value;
    } catch (error) {
      if (error instanceof NearfieldError) throw error;
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, lossGraceMs))]);
      throw new DeviceError(`the GPU refused an operation: ${String(error)}`, error);
    } finally {
      this.#waiting.delete(stop!);
      ended.catch(() => undefined);
    }
  }
}
