/**
 * This module says what a bench of `nearfield bench` is. benches.ts lists them, commands/bench.ts runs them.
 * Each bench decides what it measures and how people read the result; the options of the device, --json and
 * the exit code are common to all.
 */
import type { Command } from "commander";
import type { DeviceFlags } from "../options/shared.ts";
import { visibleData } from "../visible.ts";

/** Every bench has these options. */
export interface BenchOptions extends DeviceFlags {
  readonly report?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export interface Bench<Options extends BenchOptions = BenchOptions> {
  readonly name: string;
  /** The help says this sentence of the bench. */
  readonly says: string;
  /** The help shows this text, with examples, below the options. */
  readonly help: string;
  /** Adds the options that only this bench has. */
  options(command: Command): Command;
  /** Returns the sizes asked for, as the error that they do not fit names them. */
  sizes(options: Options): string;
  /** Measures, and prints nothing. */
  run(options: Options, signal: AbortSignal): Promise<BenchResult>;
}

export interface BenchResult {
  /** The result for --json; `command` is "bench" and the name. */
  readonly summary: object & { readonly command: string };
  /** It tells the same result to people, each line ended. */
  readonly text: string;
  /** It is true where a check found a wrong answer. */
  readonly wrong: boolean;
}

/** Makes the result of a bench. @param textOf makes lines for people from data that is safe to show */
export function benchResult<Summary extends BenchResult["summary"]>(
  summary: Summary,
  textOf: (summary: Summary) => string,
  wrong: boolean,
): BenchResult {
  return { summary, text: textOf(visibleData(summary)), wrong };
}
