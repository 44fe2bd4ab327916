/**
 * This is the memory of the pages that the columns of a row group hold side by side, of which there may be a
 * hundred thousand.
 */
import { PageTooLargeError } from "./errors.ts";

export class PageBudget {
  readonly #bytes: number;
  #held = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /**
   * Takes memory or gives it back.
   * @param bytes to take, or, below 0, to give back
   * @throws PageTooLargeError
   */
  claim(bytes: number): void {
    this.#held += bytes;
    if (this.#held <= this.#bytes) return;
    throw new PageTooLargeError(
      `with it, the pages that are read at a time take ${this.#held} bytes in memory; at most ${this.#bytes} may; name fewer columns ` +
        `(option columns), or allow more memory (option memory)`,
    );
  }
}
