/** This module reads ahead by one: while a consumer works on what it got, the next is already asked for. */
import { close, unlessAborted } from "./aborted.ts";

/**
 * Gives the same items. A loop that is left early waits for the item under way and closes what the items came
 * from; once the signal is aborted it waits for neither.
 */
export async function* prefetch<T>(items: AsyncIterable<T>, signal?: AbortSignal): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const { done, value } = await unlessAborted(next, signal);
      if (done === true) return;
      next = iterator.next();
      next.catch(() => undefined); // it rejects when it is awaited, or nobody wants it any more
      yield value;
    }
  } finally {
    await close(iterator, signal);
  }
}
