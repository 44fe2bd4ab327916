/** Ctrl-C and kill: the first one asks the work to stop, the second ends the process at once. */

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
const GRACE_MS = 1000;

type Ending = keyof typeof exitCodes;

/** The reason with which the signal aborts. */
export class Interruption extends Error {
  readonly ending: Ending;
  readonly exitCode: number;

  constructor(ending: Ending) {
    super("interrupted; no output file was written");
    this.name = "Interruption";
    this.ending = ending;
    this.exitCode = exitCodes[ending];
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

/** For the end of a program that failed: a while for what was stopped to let go of the process, no longer. */
export function endSoon(exitCode: number, reason: unknown): void {
  process.exitCode = exitCode;
  setTimeout(() => {
    if (reason instanceof Interruption) endBySignal(reason.ending);
    else process.exit();
  }, GRACE_MS).unref();
}

/** process.exit would wait for a thread that waits for a pipe, forever. Shells see the same exit code. */
function endBySignal(ending: Ending): void {
  process.emit("exit", exitCodes[ending]);
  process.removeAllListeners(ending);
  process.kill(process.pid, ending);
}
