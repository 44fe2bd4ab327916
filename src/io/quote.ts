/** Cells and other texts of a file in messages, which stay short however long the text is. */

const MOST_CHARS = 100;

/** At most 100 characters. */
export function shortened(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1)}…`;
}

/** The same in double quotes, as JSON writes them. */
export function quote(text: string): string {
  return JSON.stringify(shortened(text));
}
