/**
 * Reports the end of a run: its times, and the summary in the form that the options ask for, on the stream
 * that is free.
 */
import { explanationText } from "../node.ts";
import type { Explanation } from "../node.ts";
import { hasColor, painted } from "./color.ts";
import { DASH } from "./files.ts";
import { writeStdout } from "./output.ts";
import { noticedLines, type Noticed, type Seconds } from "./summary.ts";
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

interface ReportOptions {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly explain?: boolean | undefined;
  /** Is "-" where rows went to standard output, and undefined where no rows are written. */
  readonly out: string | undefined;
}

/** Every summary may have these parts besides the facts of its command. */
interface Reported extends Noticed {
  readonly explanation?: Explanation;
}

/**
 * Prints the summary on standard output, unless that belongs to the rows of a result: then on stderr. What
 * was noticed is no part of the text and always goes to stderr.
 * @param textOf makes lines for people, without the last line end
 */
export async function report<Summary extends Reported>(
  summary: Summary,
  textOf: (summary: Summary) => string,
  { json, quiet, explain, out }: ReportOptions,
): Promise<void> {
  const print = async (text: string) => {
    if (out === DASH) process.stderr.write(`${text}\n`);
    else await writeStdout(`${text}\n`);
  };
  if (json) {
    const line = JSON.stringify(summary);
    await print(out === DASH ? visibleJson(line) : line);
    return;
  }
  const shown = visibleData(summary);
  if (!quiet) await print(textOf(shown));
  if (explain && shown.explanation) await print(explanationText(shown.explanation));
  if (quiet) return;
  const color = hasColor(process.stderr);
  for (const line of noticedLines(shown))
    process.stderr.write(`${line.replace(/^\w+/, (word) => painted(word, "yellow", color))}\n`);
}
