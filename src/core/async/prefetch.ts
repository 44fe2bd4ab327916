/** Reading ahead by one: while a consumer works on what it got, the next is already asked for. */

/** The same items. Left early, it waits for the one under way and closes what they came from. */
export async function* prefetch<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = iterator.next();
      next.catch(() => undefined); // it rejects when it is awaited, or nobody wants it any more
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
