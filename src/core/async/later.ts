/**
 * This makes a call after a while, unless it is called off. It is for what can wait, and for which no process
 * should stay alive.
 */

/** Calls `act` after so many milliseconds, if the process still runs. @returns what calls it off */
export function later(milliseconds: number, act: () => void): () => void {
  const timer: unknown = setTimeout(act, milliseconds);
  const { Deno: deno } = globalThis as { Deno?: { unrefTimer?: (timer: number) => void } };
  // Timers are objects in Node, and numbers in Deno and in pages, whose timers keep nothing alive.
  if (typeof timer === "number") deno?.unrefTimer?.(timer);
  else (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as number);
}
