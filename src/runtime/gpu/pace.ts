/**
 * This module decides how much work goes into one submit. It is small enough that an abort takes effect soon
 * and the device stays responsive, large enough that submits cost little: the amount is doubled or halved
 * after what completed submits took.
 */

/** Milliseconds between which a submit should take. */
const shortMs = 20;
const longMs = 80;

/** So many submits of one run may be on their way at a time. */
export const submitsInFlight = 3;

/** Passes in one submit, however little work they are. */
export const passesPerSubmit = 256;

export class Pace {
  readonly #least: number;
  #quantum: number;
  #lastEnd = 0;

  /** @param rate work units per second to assume at first */
  constructor(rate: number) {
    this.#least = (rate * shortMs) / 1000;
    this.#quantum = this.#least;
  }

  /** Returns the work units after which a submit is full. */
  get quantum(): number {
    return this.#quantum;
  }

  /** Learns from a submit: its work, when it was submitted and when it was seen complete, in milliseconds. */
  observe(work: number, submitted: number, completed: number): void {
    const ms = completed - Math.max(submitted, this.#lastEnd);
    this.#lastEnd = completed;
    this.#quantum = Math.max(nextQuantum(this.#quantum, work, ms), this.#least);
  }
}

export function nextQuantum(quantum: number, work: number, ms: number): number {
  if (ms > longMs) return Math.min(quantum, work / 2);
  return ms < shortMs && work >= quantum ? quantum * 2 : quantum;
}
