/**
 * Colours what people read on a terminal: NO_COLOR takes colours away and FORCE_COLOR adds them, by the rules
 * of no-color.org and force-color.org; without either a terminal has them, and a file or a pipe has none.
 */

export function hasColor(
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv = process.env,
): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return !["0", "false"].includes(FORCE_COLOR);
  return isTTY === true && TERM !== "dumb";
}

const codes = { bold: 1, red: 31, green: 32, yellow: 33 } as const;

/** Colours a text, where `color` says so. */
export function painted(text: string, how: keyof typeof codes, color: boolean): string {
  return color ? `\x1b[${codes[how]}m${text}\x1b[0m` : text;
}
