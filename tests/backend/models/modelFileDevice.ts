/** The device and the random numbers that a file of tests of model files has. */
import { afterAll, beforeAll } from "vitest";
import type { Device } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { openDevice } from "../helpers.ts";

export const random = new Random(printedSeed());

/** There once the tests begin. */
export let device: Device;

/** Opens the device for the tests of a file. Each file asks for it, since files share this module. */
export function useDevice(): void {
  beforeAll(async () => {
    device = await openDevice("cpu");
  });
  afterAll(() => device.dispose());
}
