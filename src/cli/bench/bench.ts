/**
 * A bench of `nearfield bench`, as benches.ts lists them and commands/bench.ts runs them. What it measures
 * and how people read that is its own; the options of the device, --json and the exit code are common to all.
 */
import type { Command } from "commander";
import type { DeviceOptions } from "../../node.ts";
import { visibleData } from "../visible.ts";

/** The options that every bench has. */
export interface BenchOptions {
  readonly backend: "auto" | "gpu" | "cpu";
  readonly gpu?: number;
  readonly threads?: number;
  readonly memory?: number;
  readonly deviceMemory?: number;
  readonly json?: boolean;
}

export interface Bench<Options extends BenchOptions = BenchOptions> {
  readonly name: string;
  /** A sentence for help. */
  readonly says: string;
  /** More of it, with examples, below the options. */
  readonly help: string;
  /** Adds the options that are its own. */
  options(command: Command): Command;
  /** The sizes asked for, for the error that they do not fit. */
  sizes(options: Options): string;
  /** Prints nothing. */
  run(options: Options, signal: AbortSignal): Promise<BenchResult>;
}

export interface BenchResult {
  /** For --json; `command` is "bench" and the name. */
  readonly summary: object & { readonly command: string };
  /** The same for people, each line ended. */
  readonly text: string;
  /** True for an answer that a check found wrong. */
  readonly wrong: boolean;
}

/** @param textOf lines for people, of what they may safely see */
export function benchResult<Summary extends BenchResult["summary"]>(
  summary: Summary,
  textOf: (summary: Summary) => string,
  wrong: boolean,
): BenchResult {
  return { summary, text: textOf(visibleData(summary)), wrong };
}

export function benchDevice({ backend, gpu, threads, memory, deviceMemory }: BenchOptions): DeviceOptions {
  return { backend, gpu, threads, memory, deviceMemory };
}
