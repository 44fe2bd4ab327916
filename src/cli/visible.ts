/**
 * Makes texts safe to show on a terminal: characters that it would obey instead of showing are written as
 * escapes, so that the name of a column cannot set the title of a window, recolour the screen, or turn a line
 * around. This is for messages, tables, progress and summaries; files and data on stdout keep their bytes.
 */

/**
 * Matches all control characters, the separators of lines that are none of them, and the characters that
 * change the direction of writing.
 */
const obeyed = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Makes a text visible, as one line. */
export function visible(text: string): string {
  return text.replace(obeyed, (character) => short[character] ?? escapeOf(character));
}

/** Keeps lines as they are, such as those of a stack, and makes the text between them visible. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** Makes JSON visible that means the same. */
export function visibleJson(json: string): string {
  return json.replace(obeyed, (character) => `\\u${hex(character, 4)}`);
}

/** Returns the same plain data with every text in it visible, for the caller to lay out. */
export function visibleData<Data>(data: Data): Data {
  return copyOf(data) as Data;
}

function copyOf(data: unknown): unknown {
  if (typeof data === "string") return visible(data);
  if (Array.isArray(data)) return data.map(copyOf);
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, copyOf(value)]));
}

function escapeOf(character: string): string {
  return character <= "\xff" ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`;
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, "0");
}
