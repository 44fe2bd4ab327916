/** Derives the message and the exit code of a command that fails from its error. It is a pure function. */
import { isNearfieldError } from "../core/errors.ts";
import { Interruption } from "./interrupt.ts";
import { visible, visibleLines } from "./visible.ts";

export interface CliFailure {
  readonly message: string;
  readonly exitCode: number;
}

const USERS_MISTAKE = 1;
/** This exit code is EX_SOFTWARE of sysexits.h. */
const OUR_FAILURE = 70;

/** Returns true where the user set a budget of memory. */
export function setsMemory(args: readonly string[]): boolean {
  return args.some((arg) => /^--(device-)?memory(=|$)/.test(arg));
}

/**
 * Returns the message and the exit code for an error.
 * @param debug adds stacks to errors that are not the user's mistake
 * @param ownBudget true where the user set the budget, so that a budget too small is the user's mistake
 */
export function failureOf(
  error: unknown,
  signal: AbortSignal,
  debug: boolean,
  ownBudget: boolean,
): CliFailure {
  if (signal.reason instanceof Interruption) {
    return { message: signal.reason.message, exitCode: signal.reason.exitCode };
  }
  if (isNearfieldError(error, "InvalidInput", "Unavailable")) {
    return { message: visible(inFlags(error.message)), exitCode: USERS_MISTAKE };
  }
  if (ownBudget && isNearfieldError(error, "OutOfMemory")) {
    return { message: visible(inFlags(error.message)), exitCode: USERS_MISTAKE };
  }
  return { message: visibleLines(debug ? stackOf(error) : ourMessage(error)), exitCode: OUR_FAILURE };
}

/**
 * Returns a message of the library with its options named as the command line has them: those that follow
 * "(option" or "raise".
 */
export function inFlags(message: string): string {
  const flagged = message.replace(/\(option (\w+(?: or \w+)*):?/g, (_, names: string) => {
    const flags = names.split(" or ").map(flagOf);
    return `(${flags.join(" or ")}`;
  });
  return flagged.replace(/\braise (memory|deviceMemory)\b/g, (_, name: string) => `raise ${flagOf(name)}`);
}

function flagOf(option: string): string {
  if (option === "format") return "--input-format";
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function ourMessage(error: unknown): string {
  if (isNearfieldError(error)) return inFlags(error.message);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `internal error, please report it: ${text} (NEARFIELD_DEBUG=1 shows where)`;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
