/**
 * This module has the report of `nearfield doctor` as data: the document that --json prints, and the verdict
 * with its exit code. selfTest and host.ts collect it, text.ts presents it to people. Fields are only ever
 * added.
 */
import type { MachineReport, SelfTestReport } from "../../node.ts";
import type { HostFacts } from "./host.ts";

/** "failed" means a wrong answer or an error; "unavailable" means that there is nothing to test. */
export type Status = "ok" | "failed" | "unavailable";

export interface DoctorReport {
  /** The verdict on all backends is "ok" when at least one works and none failed. */
  readonly status: Status;
  /** It is the version of this package. */
  readonly nearfield: string;
  readonly host: HostFacts;
  readonly machine: MachineReport;
  readonly backends: readonly BackendReport[];
  readonly advice: readonly Advice[];
}

/** The machine has this problem, and this helps; advice.ts finds both. */
export interface Advice {
  /** A "hint" costs no more than speed or comfort. */
  readonly level: "problem" | "hint";
  readonly problem: string;
  readonly remedy: string;
}

export interface BackendReport extends Pick<SelfTestReport, "traits" | "checks"> {
  readonly backend: "cpu" | "gpu";
  /** --gpu takes this number; null for the CPU. */
  readonly gpu: number | null;
  readonly name: string;
  readonly status: Status;
  /** The backend could not be opened for this reason; null where it could. */
  readonly reason: string | null;
}

/** A backend has so many checks. */
export const CHECKS = 4;

export function statusOf(backends: readonly Pick<BackendReport, "status">[]): Status {
  if (backends.some(({ status }) => status === "failed")) return "failed";
  return backends.some(({ status }) => status === "ok") ? "ok" : "unavailable";
}

/** The exit code of each verdict; 70 is EX_SOFTWARE of sysexits.h. */
export const exitCodes: Readonly<Record<Status, number>> = { ok: 0, unavailable: 1, failed: 70 };
