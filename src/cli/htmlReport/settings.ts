/** Makes the last sections of every report: hints, and the settings as a command and as code. */
import { noticedLines, type Summary } from "../summary.ts";
import { code, markup } from "./markup.ts";
import type { Section } from "./page.ts";
import { codeMarkup } from "./tables.ts";

/** @param args the words of the command line after `nearfield` */
export function lastSections(
  noticed: Pick<Summary, "hints" | "namesInDoubt">,
  program?: string,
  args: readonly string[] = process.argv.slice(2),
): Section[] {
  const lines = noticedLines(noticed).map((line) => code(line.replace(/^\w+ +/, "")));
  const hints = markup`${lines.map((line) => markup`<p class="hint">${line}</p>\n`)}`;
  const command = codeMarkup("As a command", ["nearfield", ...args].map(quoted).join(" "));
  const settings = markup`${command}${program === undefined ? undefined : codeMarkup("As code", program)}`;
  return [
    ...(lines.length === 0 ? [] : [{ id: "hints", title: "Hints", body: hints }]),
    { id: "settings", title: "Settings", body: settings },
  ];
}

/** Quotes an argument for POSIX shells, where it needs that. */
function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`;
}
