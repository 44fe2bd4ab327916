/**
 * This module finds how this machine copies soonest between arrays of the caller and the main thread's WASM
 * module. Engines copy to and from a SharedArrayBuffer in words, and between others by the C library's
 * memmove. Which of the two takes longer depends on the processor: words took half of memmove's time on one
 * and three times as long on another (bench/results/arrays-cpu.md). It changes the speed, never a result.
 */
import { WINDOW } from "./arrayWasm.ts";

/** The array that is copied has so many words: 1 MiB, so that finding out takes a millisecond. */
const WORDS = 2 ** 18;
const ROUNDS = 4;

let isSharedFaster: boolean | undefined;

/** Measures once whether copies in and out of shared memory are faster than those between other arrays. */
export function copiesSharedFaster(): boolean {
  isSharedFaster ??= compareCopies(leastTime) === "shared";
  return isSharedFaster;
}

/** Compares the two by the time that `timeOf` takes for copies through a window. Private memory wins ties. */
export function compareCopies(timeOf: (window: Uint32Array) => number): "shared" | "private" {
  const own = timeOf(new Uint32Array(WINDOW));
  const shared = timeOf(new Uint32Array(new SharedArrayBuffer(4 * WINDOW)));
  return shared < own ? "shared" : "private";
}

function leastTime(window: Uint32Array): number {
  const words = new Uint32Array(WORDS).fill(1);
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    for (let at = 0; at < WORDS; at += WINDOW) {
      const some = words.subarray(at, at + WINDOW);
      window.set(some);
      some.set(window);
    }
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}
