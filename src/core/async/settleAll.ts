/** This module runs tasks side by side, which fail as one. */

/**
 * Starts all tasks and waits for every one of them, so that nothing they use is in use afterwards. When one
 * fails, the others hear it from the signal they were given.
 * @param signal of the caller, whose abort goes before what it made fail
 * @returns what each task gave, in their order
 * @throws the reason of the first failure
 */
export async function settleAll<T>(
  tasks: readonly ((failed: AbortSignal) => Promise<T>)[],
  signal?: AbortSignal,
): Promise<T[]> {
  const failed = new AbortController();
  const running = tasks.map(async (task) => {
    try {
      return await task(failed.signal);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(running);
  signal?.throwIfAborted();
  failed.signal.throwIfAborted();
  return Promise.all(running);
}
