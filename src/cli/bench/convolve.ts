/**
 * `nearfield bench convolve` times each technique of `convolve` on the user's own device, beside a copy, with
 * what each reads from memory: why a mask belongs into constant memory, and samples into tiles.
 */
import type { Command } from "commander";
import { Device, measureConvolve } from "../../node.ts";
import type { BackendInfo, ConvolveTechnique, ConvolveTime } from "../../node.ts";
import { bytesText, count, plural } from "../format.ts";
import { deviceOptions } from "../options/shared.ts";
import { wholeNumber } from "../options/values.ts";
import { benchResult } from "./bench.ts";
import type { Bench, BenchOptions } from "./bench.ts";
import { checkFits, hostMemory } from "./memory.ts";
import { choiceOption } from "../options/parameter.ts";

interface ConvolveBenchOptions extends BenchOptions {
  readonly samples: number;
  readonly taps: number;
  readonly technique: "all" | ConvolveTechnique;
  readonly tile?: number;
  readonly repeat: number;
  readonly seed: number;
}

interface TechniqueRow extends Pick<ConvolveTime, "technique" | "seconds" | "error"> {
  readonly loads?: number | undefined;
  /** Samples and outputs have so many bytes, each read or written once, per second. */
  readonly bytesPerSecond: number;
  /** It is the time of a copy over this time. */
  readonly ofCopy: number;
}

export interface ConvolveSummary {
  readonly command: "bench convolve";
  readonly device: string;
  readonly backend: BackendInfo["kind"];
  readonly samples: number;
  readonly taps: number;
  readonly runs: number;
  /** A kernel can have so many bytes of uniform memory, as doctor reports them; absent on a CPU. */
  readonly constantBytes?: number | undefined;
  readonly copySeconds: number;
  readonly techniques: readonly TechniqueRow[];
}

const help = `
The samples are random float32; time is that of kernels, with signal, mask and outputs in the device's memory. "plain" reads
samples and taps from memory, "uniform" has the taps in constant memory, "tiled" reads a tile of samples at a time, and "fft"
multiplies spectra. Loads are the numbers that an output makes a GPU read: with tiles of T outputs 1 + (taps - 1) / T. T is
4 up to 16 taps, in registers, else 1280, and 3072 above 96 taps; more than 2048 taps have no "uniform".
Some outputs are compared with sums in float64. On the CPU one thread works on arrays.

Examples:
  nearfield bench convolve
  nearfield bench convolve --samples 1000000 --taps 63 --tile 64 --backend gpu --json`;

export const convolveBench: Bench<ConvolveBenchOptions> = {
  name: "convolve",
  says: "Times each way to convolve a signal with a mask, beside a copy.",
  help,
  options: (command: Command) =>
    command
      .option("--samples <number>", "samples of the signal", wholeNumber(1), 100_000_000)
      .option("--taps <number>", "taps of the mask", wholeNumber(1), 10)
      .addOption(
        choiceOption("--technique <name>", "one technique alone", [
          "all",
          "plain",
          "uniform",
          "tiled",
          "fft",
        ]).default("all"),
      )
      .option(
        "--tile <number>",
        "outputs of a tile on a GPU, a multiple of 4 up to 1024 (default: as convolve does)",
        wholeNumber(4),
      )
      .option("--repeat <number>", "runs to take the median of", wholeNumber(1), 10)
      .option("--seed <number>", "of the random numbers", wholeNumber(0), 1),
  sizes: ({ samples, taps }) => `--samples ${samples} and --taps ${taps}`,
  async run(options, signal) {
    const { samples, taps, technique, tile, repeat, seed, memory } = options;
    checkFits([{ what: `--samples ${samples}, held twice`, bytes: 8 * samples }], hostMemory(memory));
    const device = await Device.create(deviceOptions(options));
    try {
      const techniques = technique === "all" ? undefined : [technique];
      const asked = { samples, taps, techniques, tile, repeat, seed, signal };
      const { times, copySeconds, constantBytes } = await measureConvolve(device, asked);
      const summary: ConvolveSummary = {
        command: "bench convolve",
        device: device.info.name,
        backend: device.info.kind,
        ...{ samples, taps, runs: repeat, constantBytes, copySeconds },
        techniques: times.map((time) => ({
          ...time,
          bytesPerSecond: (8 * samples) / time.seconds,
          ofCopy: copySeconds / time.seconds,
        })),
      };
      // Of numbers from [-0.5, 0.5) the sums have a variance of taps / 144.
      const wrong = times.some(({ error }) => !(error <= 2e-5 * Math.sqrt(taps)));
      return benchResult(summary, convolveText, wrong);
    } finally {
      device.dispose();
    }
  },
};

export function convolveText(summary: ConvolveSummary): string {
  const { samples, taps, device, backend, constantBytes, copySeconds, runs, techniques } = summary;
  const head = ["technique", "ms", "GB/s", "of copy", "loads", "worst error"];
  const rows = techniques.map(({ technique, seconds, bytesPerSecond, ofCopy, loads, error }) => [
    technique,
    (seconds * 1000).toPrecision(4),
    (bytesPerSecond / 1e9).toPrecision(4),
    ofCopy.toFixed(2),
    loads === undefined ? "-" : loads.toFixed(3),
    error.toExponential(1),
  ]);
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at].length)));
  const line = (cells: string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  ");
  return [
    `convolved  ${count(samples)} float32 samples with ${plural(taps, "tap")} (median of ${plural(runs, "run")})`,
    `device     ${device} (${backend})`,
    ...(constantBytes === undefined ? [] : [`constants  ${bytesText(constantBytes)}`]),
    `one copy   ${(copySeconds * 1000).toPrecision(4)} ms`,
    "",
    ...[head, ...rows].map(line),
    "",
  ].join("\n");
}
