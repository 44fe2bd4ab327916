/** The end of a run: its times, and the summary in the form and on the stream that the options ask for. */
import { explanationText } from "../node.ts";
import { DASH } from "./files.ts";
import type { CommonOptions } from "./options.ts";
import { writeStdout } from "./output.ts";
import { summaryText } from "./summary.ts";
import type { Seconds, Summary } from "./summary.ts";

type Phase = Exclude<keyof Seconds, "total">;

/** Seconds per phase, each from the end of the one before. */
export class Stopwatch {
  readonly #start = performance.now();
  readonly #laps: Record<Phase, number> = { read: 0, fit: 0, search: 0, write: 0 };
  #last = this.#start;

  lap(phase: Phase): void {
    const now = performance.now();
    this.#laps[phase] = (now - this.#last) / 1000;
    this.#last = now;
  }

  get seconds(): Seconds {
    return { ...this.#laps, total: (this.#last - this.#start) / 1000 };
  }
}

/** Standard output belongs to the result, unless that went to a file. */
export async function report(summary: Summary, { json, quiet, explain, out }: CommonOptions): Promise<void> {
  if (json) {
    const line = `${JSON.stringify(summary)}\n`;
    if (out === DASH) process.stderr.write(line);
    else await writeStdout(line);
    return;
  }
  if (!quiet) process.stderr.write(`${summaryText(summary)}\n`);
  if (explain) process.stderr.write(`${explanationText(summary.explanation)}\n`);
}
