/**
 * A value that several use and that its owner gives up: uses that have begun end on it, and the last one
 * frees it.
 */
export class Shared<T> {
  readonly value: T;
  readonly #free: (value: T) => void;
  #users = 0;
  #isReleased = false;

  constructor(value: T, free: (value: T) => void) {
    this.value = value;
    this.#free = free;
  }

  /** Counts as a use from the call on until the work has ended. */
  async use<R>(work: (value: T) => Promise<R>): Promise<R> {
    this.#users++;
    try {
      return await work(this.value);
    } finally {
      this.#users--;
      this.#freeUnused();
    }
  }

  /** Frees the value once nobody uses it; call it once. */
  release(): void {
    this.#isReleased = true;
    this.#freeUnused();
  }

  #freeUnused(): void {
    if (this.#isReleased && this.#users === 0) this.#free(this.value);
  }
}
