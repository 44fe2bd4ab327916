/**
 * Texts as people may safely see them on a terminal: what it would obey instead of showing is written as an
 * escape, so that the name of a column cannot set the title of a window, recolour the screen, or turn a line
 * around. For messages, tables, progress and summaries; files and data on stdout keep their bytes.
 */

/**
 * All control characters, the separators of lines that are none of them, and those that change the direction
 * of writing.
 */
const obeyed = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text as one line. */
export function visible(text: string): string {
  return text.replace(obeyed, (character) => short[character] ?? escapeOf(character));
}

/** Lines as they are, such as those of a stack, and what is between them visible. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** JSON that means the same. */
export function visibleJson(json: string): string {
  return json.replace(obeyed, (character) => `\\u${hex(character, 4)}`);
}

/** The same plain data with every text in it visible, for whoever lays it out. */
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
