/** The end of a run: its times, and the summary in the form and on the stream that the options ask for. */
import { explanationText } from "../node.ts";
import { DASH } from "./files.ts";
import type { RunOptions } from "./options/shared.ts";
import { writeStdout } from "./output.ts";
import { summaryText } from "./summary.ts";
import type { Phase, Seconds, Summary } from "./summary.ts";

/** Seconds per phase that there was, each from the end of the one before. */
export class Stopwatch {
  readonly #start = performance.now();
  readonly #laps: Partial<Record<Phase, number>> = {};
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
export async function report(summary: Summary, { json, quiet, explain, out }: RunOptions): Promise<void> {
  if (json) {
    const line = `${JSON.stringify(summary)}\n`;
    if (out === DASH) process.stderr.write(line);
    else await writeStdout(line);
    return;
  }
  if (!quiet) process.stderr.write(`${summaryText(summary)}\n`);
  if (explain && summary.explanation) process.stderr.write(`${explanationText(summary.explanation)}\n`);
}
