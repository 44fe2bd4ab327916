/**
 * The report of `nearfield doctor` as data: the document that --json prints, and the verdict with its exit
 * code. selfTest.ts and host.ts collect it, text.ts presents it to people. Fields are only ever added.
 */
import type { BackendTraits, MachineReport } from "../../node.ts";
import type { HostFacts } from "./host.ts";

/** "failed" means a wrong answer or an error; "unavailable" means that there is nothing to test. */
export type Status = "ok" | "failed" | "unavailable";

export interface DoctorReport {
  /** The verdict on all backends: "ok" when at least one works and none failed. */
  readonly status: Status;
  /** The version of this package. */
  readonly nearfield: string;
  readonly host: HostFacts;
  readonly machine: MachineReport;
  readonly backends: readonly BackendReport[];
  readonly advice: readonly Advice[];
}

/** A problem of the machine and its remedy, found by advice.ts. */
export interface Advice {
  /** A "hint" costs only speed or comfort. */
  readonly level: "problem" | "hint";
  readonly problem: string;
  readonly remedy: string;
}

export interface BackendReport {
  readonly backend: "cpu" | "gpu";
  /** The number that --gpu takes; null for the CPU. */
  readonly gpu: number | null;
  readonly name: string;
  readonly status: Status;
  /** The reason why the backend could not be opened; null where it could. */
  readonly reason: string | null;
  /** Verdicts of the start-up self-tests; null where none runs: on the CPU and on adapters in software. */
  readonly traits: BackendTraits | null;
  readonly checks: readonly Check[];
}

/** The checks, in the order in which they run. */
export const checkNames = ["transfer", "k-NN", "scan", "reduce"] as const;

export interface Check {
  readonly name: (typeof checkNames)[number];
  readonly status: "ok" | "failed";
  /** The job as people read it. */
  readonly job: string;
  /** The difference or error that was found; null when there was none. */
  readonly difference: string | null;
  /** The rates; empty when the check failed. */
  readonly rates: Rates;
}

/**
 * Rates per second, measured from arrays of the host to arrays of the host, after a run that is not counted.
 */
export interface Rates {
  /** (query, reference) pairs. */
  readonly pairs?: number;
  /** Multiplications and additions. */
  readonly flops?: number;
  /** Bytes read and written. */
  readonly bytes?: number;
  readonly uploadBytes?: number;
  readonly readBackBytes?: number;
}

export function statusOf(backends: readonly Pick<BackendReport, "status">[]): Status {
  if (backends.some(({ status }) => status === "failed")) return "failed";
  return backends.some(({ status }) => status === "ok") ? "ok" : "unavailable";
}

/** The exit code of each verdict; 70 is EX_SOFTWARE of sysexits.h. */
export const exitCodes: Readonly<Record<Status, number>> = { ok: 0, unavailable: 1, failed: 70 };
