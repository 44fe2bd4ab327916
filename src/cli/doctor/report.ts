/**
 * `nearfield doctor` finds all this, as data: the document that --json prints, and the verdict with its exit
 * code. How it is found is selfTest.ts and host.ts; how people read it, text.ts. Fields are only ever added.
 */
import type { BackendTraits, MachineReport } from "../../node.ts";
import type { HostFacts } from "./host.ts";

/** "failed" gave a wrong answer or broke; "unavailable" is not there to be tested. */
export type Status = "ok" | "failed" | "unavailable";

export interface DoctorReport {
  /** The whole is "ok" when at least one backend works and none failed. */
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
  /** --gpu takes this number; null for the CPU. */
  readonly gpu: number | null;
  readonly name: string;
  readonly status: Status;
  /** Why it could not be opened; null where it could. */
  readonly reason: string | null;
  /** Verdicts of the start-up self-tests; null where none runs: on the CPU and on adapters in software. */
  readonly traits: BackendTraits | null;
  readonly checks: readonly Check[];
}

/** In the order in which they run. */
export const checkNames = ["transfer", "k-NN", "scan", "reduce"] as const;

export interface Check {
  readonly name: (typeof checkNames)[number];
  readonly status: "ok" | "failed";
  /** The job, for people. */
  readonly job: string;
  /** It says what differed or broke; null when nothing did. */
  readonly difference: string | null;
  /** Per second; empty when the check failed. */
  readonly rates: Rates;
}

/** From arrays of the host to arrays of the host, after a run that is not counted; per second. */
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

/** 70 is EX_SOFTWARE of sysexits.h. */
export const exitCodes: Readonly<Record<Status, number>> = { ok: 0, unavailable: 1, failed: 70 };
