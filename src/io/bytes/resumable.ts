/**
 * This module has a pass over a source that a reader begins and another may go on with, such as the one that
 * recognises the format of a pipe and the one that reads its rows: each hears the abort of its own signal.
 */
import { close, unlessAborted } from "../../core/async/aborted.ts";

export class Resumable<T> {
  readonly #left = new AbortController();
  readonly #iterator: AsyncIterator<T>;

  /** @param begin is given a signal that is aborted when a reader leaves at an abort of its own */
  constructor(begin: (signal: AbortSignal) => AsyncIterable<T>) {
    this.#iterator = begin(this.#left.signal)[Symbol.asyncIterator]();
  }

  async next(signal: AbortSignal | undefined): Promise<IteratorResult<T, unknown>> {
    signal?.throwIfAborted();
    return unlessAborted(this.#iterator.next(), signal);
  }

  /** Ends the pass, with which nobody goes on. Waits until it has ended, unless the signal is aborted. */
  async close(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) this.#left.abort(signal.reason);
    await close(this.#iterator, signal);
  }
}
