/**
 * `selfTest` computes known work on a device and compares it with plain loops. The work and the loops are in
 * run.ts and naive.ts, which are loaded when they are needed. What to do about a failure is the command
 * line's `doctor`.
 */
import { checkOptions, type OptionNames } from "../core/options.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Device } from "../runtime/device.ts";
import type { SelfTestOperators, SelfTestOptions, SelfTestReport } from "./report.ts";

const optionNames: OptionNames<SelfTestOptions> = { signal: 1, onCheck: 1 };

/**
 * Tests a device: k nearest neighbours of seeded rows, prefix sums, minima, and the transfer of bytes there
 * and back are compared in every bit with plain float64 loops, and timed. A wrong answer or an error is in
 * the report. It takes seconds.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { status, checks } = await selfTest(device, { kneighbors, scan, reduce });
 * status; // => "ok"
 * checks.map(({ name }) => name); // => ["transfer", "k-NN", "scan", "reduce"]
 * device.dispose();
 * @throws InvalidInputError where an operator is missing; the signal's reason
 */
export async function selfTest(
  device: Device,
  operators: SelfTestOperators,
  options: SelfTestOptions = {},
): Promise<SelfTestReport> {
  checkOptions(options, "selfTest", optionNames);
  for (const name of ["kneighbors", "scan", "reduce"] as const)
    if (typeof (operators as Partial<SelfTestOperators> | undefined)?.[name] !== "function")
      throw new InvalidInputError(
        `the operator ${name} is missing; call selfTest(device, { kneighbors, scan, reduce })`,
      );
  const { runSelfTest } = await import("./run.ts");
  return runSelfTest(device, operators, options);
}
