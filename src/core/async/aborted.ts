/**
 * These functions wait for what is the caller's, such as the next chunk of a stream, which may never come,
 * and hear an abort meanwhile. They leave no listener on the signal, nor a rejection that nobody handles.
 */

/**
 * Waits for the promise, or rejects with the signal's reason as soon as it is aborted; what the promise waits
 * for goes on meanwhile.
 */
export async function unlessAborted<T>(
  promise: PromiseLike<T> | T,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  let stop: () => void;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", stop!);
  }
}

/**
 * Gives the same items until the signal is aborted. Left early, it closes their source, and waits for that
 * unless the signal is aborted: a source that waits for its next item can only be told that nobody wants it.
 */
export async function* untilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  // Callers that no compiler checks may give an array, as `for await` takes it.
  const given = items as AsyncIterable<T> & Iterable<T>;
  const iterator = given[Symbol.asyncIterator]?.() ?? given[Symbol.iterator]();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await unlessAborted(iterator.next(), signal);
      if (done === true) return;
      yield value;
    }
  } finally {
    await close(iterator, signal);
  }
}

/** Says that no more items are wanted, and waits until they have ended, unless the signal is aborted. */
export async function close(
  iterator: Pick<AsyncIterator<unknown> | Iterator<unknown>, "return">,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await unlessAborted(iterator.return?.(), signal);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}
