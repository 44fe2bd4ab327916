/** Makes the last sections of every report: hints, and the command that does the same again. */
import { noticedLines, type Summary } from "../summary.ts";
import { code, markup } from "./markup.ts";
import type { Section } from "./page.ts";
import { codeMarkup } from "./tables.ts";

export function hintSections(noticed: Pick<Summary, "hints" | "namesInDoubt">): Section[] {
  const lines = noticedLines(noticed).map((line) => code(line.replace(/^\w+ +/, "")));
  if (lines.length === 0) return [];
  const body = markup`${lines.map((line) => markup`<p class="hint">${line}</p>\n`)}`;
  return [{ id: "hints", title: "Hints", body }];
}

/** @param args the words of the command line after `nearfield` */
export function settingsSection(args: readonly string[]): Section {
  return { id: "settings", title: "Settings", body: codeMarkup("As a command", commandText(args)) };
}

export function commandText(args: readonly string[]): string {
  return ["nearfield", ...args].map(quoted).join(" ");
}

/** Quotes an argument for POSIX shells, where it needs that. */
function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`;
}
