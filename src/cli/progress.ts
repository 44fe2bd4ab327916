/**
 * Shows progress to people: a bar on a terminal, lines where there is none, or nothing. A bar is redrawn at
 * most every 50 ms and leaves no trace.
 */
import type { Progress as EngineProgress } from "../node.ts";
import { plural } from "./format.ts";
import { hasColor, painted } from "./color.ts";
import type { OutputTarget } from "./output.ts";
import { visible } from "./visible.ts";

export interface ProgressStep {
  readonly phase: string;
  /** It names one of what is counted, such as "query"; bytes are shown as MB. */
  readonly unit: string;
  readonly done: number;
  readonly total: number | undefined;
}

export interface ProgressDisplay {
  show(step: ProgressStep): void;
  /** Removes the progress from the screen; show may be called again. */
  clear(): void;
}

/** A bar needs this part of a terminal. */
export interface Terminal {
  /** A line has so many columns; undefined or 0 where the width is not known. */
  readonly columns?: number;
  write(text: string): unknown;
}

export const noProgress: ProgressDisplay = { show: () => undefined, clear: () => undefined };

const REDRAW_MS = 50;
/** A rate is shown after at least so many seconds: below them, it is noise. */
const RATE_SECONDS = 0.25;

/** Shows a bar where `stream` is a terminal, and `otherwise` where it is not. */
export function progressOn(stream: NodeJS.WriteStream, otherwise: ProgressDisplay): ProgressDisplay {
  const isBar = stream.isTTY && process.env.TERM !== "dumb";
  return isBar ? progressBar(stream, hasColor(stream)) : otherwise;
}

export function progressBar(
  terminal: Terminal,
  color: boolean,
  now: () => number = () => performance.now(),
): ProgressDisplay {
  let phase = "";
  let start = 0;
  let drawn = -Infinity;
  return {
    show: (step) => {
      const at = now();
      if (step.phase !== phase) [phase, start, drawn] = [step.phase, at, -Infinity];
      if (at - drawn < REDRAW_MS && step.done !== step.total) return;
      drawn = at;
      terminal.write(`\r\x1b[2K${barText(step, (at - start) / 1000, terminal.columns || 80, color)}`);
    },
    clear: () => {
      if (phase !== "") terminal.write("\r\x1b[2K");
      phase = "";
    },
  };
}

/** Writes a line at the start of each phase and for every tenth of it. */
export function progressLines(stream: Terminal): ProgressDisplay {
  let phase = "";
  let tenths = -1;
  return {
    show: (step) => {
      if (step.phase !== phase) [phase, tenths] = [step.phase, -1];
      const reached = step.total ? Math.floor((10 * step.done) / step.total) : 0;
      if (reached <= tenths) return;
      tenths = reached;
      stream.write(`${visible(step.phase)}  ${10 * reached} %\n`);
    },
    clear: () => undefined,
  };
}

/** Shows that a file is written; rows for stdout find the terminal cleared. */
export function showWriting(progress: ProgressDisplay, target: Pick<OutputTarget, "kind">): void {
  if (target.kind === "stdout") progress.clear();
  else progress.show({ phase: "writing", unit: "row", done: 0, total: undefined });
}

/** Shows the engine's progress, which counts queries. */
export function showQueries(progress: ProgressDisplay): (search: EngineProgress) => void {
  return ({ phase, done, total }) => progress.show({ phase, unit: "query", done, total });
}

/** Writes one line of fewer than `columns` characters, not counting colours. */
export function barText(
  { phase: name, unit, done, total }: ProgressStep,
  seconds: number,
  columns: number,
  color: boolean,
): string {
  const phase = visible(name);
  const rate = seconds >= RATE_SECONDS ? done / seconds : 0;
  const share = total ? Math.min(done / total, 1) : undefined;
  const parts = [
    share === undefined ? countText(done, unit) : `${String(Math.floor(100 * share)).padStart(3)} %`,
    rate > 0 ? `${countText(rate, unit)}/s` : "",
    rate > 0 && total ? `${clock((total - done) / rate)} left` : "",
  ];
  const facts = parts.filter((part) => part !== "").join("  ");
  const room = Math.min(columns - phase.length - facts.length - 5, 40);
  if (share === undefined || room < 5) return `${phase}  ${facts}`.slice(0, Math.max(columns - 1, 0));
  const full = Math.round(share * room);
  return `${phase}  ${painted("█".repeat(full), "green", color)}${"░".repeat(room - full)}  ${facts}`;
}

/** Words for several that take more than an s. */
const several: Readonly<Record<string, string>> = { query: "queries", search: "searches" };

function countText(count: number, unit: string): string {
  if (unit === "byte") return `${(count / 1e6).toFixed(1)} MB`;
  return plural(Math.round(count), unit, several[unit]);
}

/** Writes a time: "0:07", "1:02:03". */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const pad = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return whole < 3600
    ? `${minutes}:${pad(whole % 60)}`
    : `${Math.floor(whole / 3600)}:${pad(minutes % 60)}:${pad(whole % 60)}`;
}
