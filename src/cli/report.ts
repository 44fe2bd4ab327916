/**
 * Reports the end of a run: its times, and the summary in the form and on the stream that the options ask
 * for.
 */
import { explanationText } from "../node.ts";
import type { Explanation } from "../node.ts";
import { DASH } from "./files.ts";
import type { RunOptions } from "./options/shared.ts";
import { writeStdout } from "./output.ts";
import type { Seconds } from "./summary.ts";
import { visibleData, visibleJson } from "./visible.ts";

/** Measures the seconds of each phase, from the end of the one before. */
export class Stopwatch {
  readonly #start = performance.now();
  readonly #laps: Partial<Record<string, number>> = {};
  #last = this.#start;

  lap(phase: string): void {
    const now = performance.now();
    this.#laps[phase] = (now - this.#last) / 1000;
    this.#last = now;
  }

  get seconds(): Seconds {
    return { ...this.#laps, total: (this.#last - this.#start) / 1000 };
  }
}

/**
 * Prints the summary. Standard output belongs to the result, unless that went to a file.
 * @param textOf makes lines for people, without the last line end
 */
export async function report<Summary extends { readonly explanation?: Explanation }>(
  summary: Summary,
  textOf: (summary: Summary) => string,
  { json, quiet, explain, out }: Pick<RunOptions, "json" | "quiet" | "explain" | "out">,
): Promise<void> {
  if (json) {
    const line = JSON.stringify(summary);
    if (out === DASH) process.stderr.write(`${visibleJson(line)}\n`);
    else await writeStdout(`${line}\n`);
    return;
  }
  const shown = visibleData(summary);
  if (!quiet) process.stderr.write(`${textOf(shown)}\n`);
  if (explain && shown.explanation) process.stderr.write(`${explanationText(shown.explanation)}\n`);
}
