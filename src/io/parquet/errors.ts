/**
 * These errors of pages are thrown by those who read them; the reader of pages adds file, column and place.
 */

export class PageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PageError";
  }
}

/** Says that a page takes more memory than is allowed, which need not be damage. */
export class PageTooLargeError extends PageError {
  constructor(message: string) {
    super(message);
    this.name = "PageTooLargeError";
  }
}
