/**
 * This module has sources and streams whose next item never comes, and expects what an abort must then come
 * to.
 */
import { expect } from "vitest";
import type { ByteSource } from "../../../src/io/bytes/source.ts";

export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** Gives items, and then nothing more, ever: not even an end, for those that wait and are told to. */
export class Pending<T> implements AsyncIterable<T> {
  /** The number of passes that wait; `returned` counts those that were told to end. */
  waiting = 0;
  returned = 0;
  readonly #items: readonly T[];

  constructor(items: readonly T[]) {
    this.#items = items;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    const left = [...this.#items];
    let waits = false;
    return {
      next: () => {
        if (left.length > 0) return Promise.resolve({ done: false, value: left.shift()! });
        if (!waits) this.waiting++;
        waits = true;
        return never();
      },
      return: () => {
        if (!waits) return Promise.resolve({ done: true, value: undefined });
        this.returned++;
        return never();
      },
    };
  }
}

/** Makes a signal of which is known who listens to it. */
export function watchedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners.add(args[1]);
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners.delete(args[1]);
    removeEventListener.apply(signal, args);
  };
  return { controller, signal, listeners };
}

/** The things that a call has to wait for when it is aborted, by the number of those that wait. */
export type Waits = Pick<Pending<unknown>, "waiting">;

/**
 * Expects that a call waits for what never comes, and that, aborted then, it rejects within a second with the
 * signal's reason and leaves no listener.
 */
export async function expectAbortHeard(
  call: (signal: AbortSignal) => Promise<unknown>,
  pending: Waits,
): Promise<void> {
  const { controller, signal, listeners } = watchedSignal();
  const reason = new Error("enough");
  const outcome = call(signal).then(
    () => "it came to its end",
    (error: unknown) => error,
  );
  const start = performance.now();
  while (pending.waiting === 0) {
    if (performance.now() - start > 10_000) throw new Error("it waits for something else");
    const ended = await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 1, undefined))]);
    if (ended !== undefined) throw new Error("it ended without waiting", { cause: ended });
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  const began = performance.now();
  controller.abort(reason);
  const deaf = new Promise((resolve) => setTimeout(resolve, 1000, "it did not hear the abort"));
  expect(await Promise.race([outcome, deaf])).toBe(reason);
  expect(performance.now() - began).toBeLessThan(1000);
  await new Promise((resolve) => setTimeout(resolve, 0)); // whoever was left at the abort hears it too
  expect(listeners.size, "listeners left on the signal").toBe(0);
}

/** Makes a source of bytes of which the first `given` come, in pieces, and then nothing. */
export function pendingSource(bytes: Uint8Array, name: string, given: number, once = false) {
  const pieces: Uint8Array[] = [];
  for (let begin = 0; begin < given; begin += 64)
    pieces.push(bytes.slice(begin, Math.min(begin + 64, given)));
  const pending = new Pending(pieces);
  const source: ByteSource = { name, once, stream: () => pending };
  return { pending, source };
}

/** Makes a source that can be read anywhere, whose bytes come until `stopped` is set. */
export function stoppingSource(bytes: Uint8Array, name: string) {
  const state = { waiting: 0, stopped: false };
  const answer = <T>(value: T): Promise<T> => {
    if (!state.stopped) return Promise.resolve(value);
    state.waiting++;
    return never();
  };
  const source: ByteSource = {
    name,
    byteLength: bytes.length,
    async *stream() {
      for (let begin = 0; begin < bytes.length; begin += 64)
        yield await answer(bytes.slice(begin, begin + 64));
    },
    slice: (begin, end) => answer(bytes.slice(begin, end)),
    readInto: (target, begin) => {
      const piece = bytes.subarray(begin, begin + target.length);
      target.set(piece);
      return answer(piece.length);
    },
  };
  return { state, source };
}
