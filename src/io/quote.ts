/**
 * This module puts cells and other texts of a file into messages, which stay short however long the text is.
 */

const MOST_CHARS = 100;

/** Returns at most 100 characters. */
export function shortened(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1)}…`;
}

/** Returns the same in double quotes, as JSON writes them. */
export function quote(text: string): string {
  return JSON.stringify(shortened(text));
}
