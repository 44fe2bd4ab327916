/**
 * This module does long work of the host in pieces, so that a page's thread answers in between. Work is a
 * generator that yields wherever it may pause; who runs it decides whether it does. It is not for work in
 * workers.
 */

/** Work that yields after a millisecond or so at most, even before an engine has compiled it well. */
export type Yielding<T> = Generator<undefined, T, undefined>;

/**
 * Numbers that a piece of work goes over, which takes a fraction of a millisecond, or a few before it is
 * compiled.
 */
export const PIECE = 65_536;

/** Other events wait at most so many milliseconds, and the time of a piece beside. */
const TURN_MS = 8;

/** Does all of it without a pause. */
export function atOnce<T>(work: Yielding<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * Does all of it, and gives other events their turn in between.
 * @throws what the work throws, or the signal's reason
 */
export async function runYielding<T>(work: Yielding<T>, signal?: AbortSignal): Promise<T> {
  const yielder = new Yielder(signal);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (yielder.due) await yielder.next();
  }
}

/**
 * Returns how many rows may be evaluated between two looks at the clock: some milliseconds even by a measure
 * whose cost is the square of the columns, as that of time warping is.
 */
export function rowsBetweenLooks(cols: number): number {
  return Math.min(1024, Math.max(1, Math.floor(2 ** 22 / cols ** 2)));
}

/** Knows when other events are due for their turn; `next` gives it to them, and then sees an abort. */
export class Yielder {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get due(): boolean {
    return performance.now() - this.#began > TURN_MS;
  }

  async next(): Promise<void> {
    await otherEvents();
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }
}

/**
 * Gives other events their turn: by `setImmediate` where it exists, since in Deno messages keep timers
 * waiting for as long as they follow each other; in browsers by a message, since they hold timers that follow
 * each other back for 4 ms.
 */
export function otherEvents(): Promise<void> {
  const { setImmediate: soon } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  return new Promise((resolve) => (soon ? soon(resolve) : afterMessage(resolve)));
}

function afterMessage(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
