/**
 * This module decides when a pool tries to start workers: what fails for a passing reason, such as too many
 * threads or a file that did not load, is tried again soon; after some failures in a row it gives up for a
 * while, and then tries anew. The workers themselves are the pool's.
 */
import { UnavailableError } from "../../core/errors.ts";

/** The waits between failures in a row; after one more it gives up. */
const WAITS_MS = [10, 100];
/** Calls are refused for so long before it is tried anew. */
const PAUSE_MS = 1000;

export class Starts {
  readonly #onDue: () => void;
  /** Workers that are started now belong to this try; the first failure of a try begins the next. */
  attempt = 0;
  #failures = 0;
  #refusal: UnavailableError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #again = 0;

  /** @param onDue called when it may be tried again, after `wakeWhenDue` */
  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /** Says whether a worker may be started now. */
  get mayTry(): boolean {
    return performance.now() >= this.#again;
  }

  /** Returns an error that says how often it failed; undefined unless it has given up for now. */
  get refusal(): UnavailableError | undefined {
    return this.mayTry ? undefined : this.#refusal;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** Counts a failure; workers of one try fail as one. */
  failed(error: unknown, attempt = this.attempt): void {
    if (attempt !== this.attempt) return;
    this.attempt++;
    const wait = WAITS_MS[this.#failures++];
    const givesUp = wait === undefined;
    this.#refusal = givesUp ? refusalOf(error, this.#failures) : undefined;
    if (givesUp) this.#failures = 0;
    this.#again = performance.now() + (wait ?? PAUSE_MS);
  }

  /** Calls back when it may be tried again; a timer may be early by less than a millisecond. */
  wakeWhenDue(): void {
    clearTimeout(this.#timer);
    const left = this.#again - performance.now();
    this.#timer = setTimeout(() => (this.mayTry ? this.#onDue() : this.wakeWhenDue()), Math.max(1, left));
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}

function refusalOf(error: unknown, times: number): UnavailableError {
  const why = error instanceof Error ? error.message : String(error);
  return new UnavailableError(
    `no CPU worker could be started, ${times} times in a row; the last time: ${why}. Try again, or with fewer threads (option threads)`,
    error,
  );
}
