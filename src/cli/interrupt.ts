/** Handles Ctrl-C and kill: the first one asks the work to stop, the second ends the process at once. */
import { removeUnfinished, writtenFiles } from "./wholeFile.ts";

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
const GRACE_MS = 1000;

type Ending = keyof typeof exitCodes;

/** The signal aborts with this reason. */
export class Interruption extends Error {
  readonly ending: Ending;
  readonly exitCode: number;

  constructor(ending: Ending) {
    super();
    this.name = "Interruption";
    this.ending = ending;
    this.exitCode = exitCodes[ending];
  }

  /** Computed when it is read: a file that was being written when the signal came may have been completed. */
  override get message(): string {
    const files = writtenFiles();
    const which =
      files.length === 0 ? "no output file was written" : `${files.join(" and ")} was written before`;
    return `interrupted; ${which}`;
  }
}

export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const ending of ["SIGINT", "SIGTERM"] as const) {
    process.on(ending, () => {
      if (controller.signal.aborted) endBySignal(ending);
      controller.abort(new Interruption(ending));
    });
  }
  return controller.signal;
}

/**
 * Ends a program that failed: work that was stopped gets a short time to release the process, and no more.
 */
export function endSoon(exitCode: number, reason: unknown): void {
  process.exitCode = exitCode;
  setTimeout(() => {
    if (reason instanceof Interruption) endBySignal(reason.ending);
    else process.exit();
  }, GRACE_MS).unref();
}

/**
 * Ends the process by the signal itself: process.exit would wait for a driver that compiles, and forever for
 * a thread that waits for a pipe. Shells see the same exit code.
 */
function endBySignal(ending: Ending): void {
  removeUnfinished();
  process.removeAllListeners(ending);
  process.kill(process.pid, ending);
}
