/** Runs a command that reads files, works and writes one result: what is the same around the work. */
import { Device, type Explanation } from "../node.ts";
import { deviceOptions, type SearchRunFlags } from "./options/shared.ts";
import { outputTarget, writeOutput } from "./output.ts";
import { noProgress, progressOn, showWriting, type ProgressDisplay } from "./progress.ts";
import { report, Stopwatch } from "./report.ts";
import type { Seconds } from "./summary.ts";
import type { FilePieces } from "./wholeFile.ts";

/** The work is handed these. */
export interface Working {
  readonly progress: ProgressDisplay;
  /** Ends a phase, which began at the end of the one before. */
  readonly lap: (phase: string) => void;
  /** Opens the device that the options choose; it is disposed of at the end. */
  readonly open: () => Promise<Device>;
  readonly onExplanation: (told: Explanation) => void;
}

/** Every summary of such a command has these facts. */
export interface Ran {
  readonly command: string;
  readonly backend: string;
  readonly device: string;
  readonly output: string;
  readonly seconds: Seconds;
  readonly explanation?: Explanation;
}

interface ResultJob<Facts> {
  readonly command: string;
  readonly options: SearchRunFlags;
  /** These files are read, and must not be written over. */
  readonly inputs: readonly string[];
  readonly textOf: (summary: Ran & Facts) => string;
  readonly work: (working: Working) => Promise<{ readonly pieces: FilePieces; readonly facts: Facts }>;
}

export async function makeResult<Facts extends object>(
  { command, options, inputs, textOf, work }: ResultJob<Facts>,
  signal: AbortSignal,
): Promise<void> {
  const { out, force = false } = options;
  const target = await outputTarget(out, inputs, force);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  let device: Device | undefined;
  let explanation: Explanation | undefined;
  try {
    const { pieces, facts } = await work({
      progress,
      lap: (phase) => watch.lap(phase),
      open: async () => (device = await Device.create(deviceOptions(options))),
      onExplanation: (told) => (explanation = told),
    });
    showWriting(progress, target);
    await writeOutput(target, pieces, signal);
    watch.lap("write");
    progress.clear();
    const summary = {
      command,
      backend: device?.info.kind ?? explanation?.backend ?? "cpu",
      device: device?.info.name ?? explanation?.device ?? "none",
      ...facts,
      output: out,
      seconds: watch.seconds,
      ...(explanation ? { explanation } : {}),
    };
    await report(summary, textOf, options);
  } finally {
    progress.clear();
    device?.dispose();
  }
}
