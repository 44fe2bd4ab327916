/**
 * `nearfield bench copy` measures how fast the device copies within its own memory. That rate bounds all work
 * that computes little on many bytes.
 */
import type { Command } from "commander";
import { Device, measureCopy } from "../../node.ts";
import type { BackendInfo, CopyReport } from "../../node.ts";
import { count, plural, bytesText } from "../format.ts";
import { deviceOptions } from "../options/shared.ts";
import { bytes, wholeNumber } from "../options/values.ts";
import { benchResult } from "./bench.ts";
import type { Bench, BenchOptions } from "./bench.ts";

interface CopyBenchOptions extends BenchOptions {
  readonly bytes: number;
  readonly repeat: number;
}

export interface CopySummary {
  readonly command: "bench copy";
  readonly device: string;
  readonly backend: BackendInfo["kind"];
  readonly bytes: number;
  readonly runs: number;
  /** One copy takes so many seconds, the median of the runs. */
  readonly seconds: number;
  /** So many bytes are read and written per second, two for each byte copied. */
  readonly bytesPerSecond: number;
}

const help = `
The bytes are copied from one buffer of the device to another, so often that a run takes 50 ms at least; the time of one copy
is the median of the runs. Each byte copied counts twice, as read and as written. On the CPU one thread copies a typed array.

Examples:
  nearfield bench copy
  nearfield bench copy --bytes 1GiB --backend gpu --json`;

export const copyBench: Bench<CopyBenchOptions> = {
  name: "copy",
  says: "Times a copy within the device's own memory.",
  help,
  options: (command: Command) =>
    command
      .option(
        "--bytes <size>",
        "bytes to copy, such as 64M or 1GiB; the device holds them twice",
        bytes,
        2 ** 28,
      )
      .option("--repeat <number>", "runs to take the median of", wholeNumber(1), 10),
  sizes: (options) => `${bytesText(options.bytes)} (--bytes), held twice`,
  async run(options, signal) {
    const device = await Device.create(deviceOptions(options));
    try {
      const { bytes, repeat } = options;
      const summary = summaryOf(device.info, await measureCopy(device, { bytes, repeat, signal }), repeat);
      return benchResult(summary, copyText, false);
    } finally {
      device.dispose();
    }
  },
};

function summaryOf({ name, kind }: BackendInfo, { bytes, seconds }: CopyReport, runs: number): CopySummary {
  return {
    command: "bench copy",
    device: name,
    backend: kind,
    bytes,
    runs,
    seconds,
    bytesPerSecond: (2 * bytes) / seconds,
  };
}

export function copyText({ device, backend, bytes, runs, seconds, bytesPerSecond }: CopySummary): string {
  const how = backend === "cpu" ? "by one thread, with the set of typed arrays" : "from buffer to buffer";
  return [
    `copied     ${count(bytes)} bytes ${how}`,
    `device     ${device} (${backend})`,
    `one copy   ${(seconds * 1000).toPrecision(4)} ms (median of ${plural(runs, "run")})`,
    `bandwidth  ${(bytesPerSecond / 1e9).toPrecision(4)} GB/s, read and written`,
    "",
  ].join("\n");
}
