/**
 * Says whether a program printed what a page shows. "..." at the end of a line stands for the rest of it, and
 * on a line of its own for any lines. What differs between machines and runs is named behind "varies:"
 * (```text varies: time, device): words that begin lines of which nothing else is compared, and "numbers", of
 * which any will do, with their units and the blanks before them.
 */
export function isShown(shown: string, printed: string, name = ""): boolean {
  const [, list = ""] = /^varies: *(.+)$/.exec(name) ?? [];
  if (name !== "" && list === "") throw new Error(`"${name}" says nothing; expected "varies: words"`);
  const varying = list === "" ? [] : list.split(/, */);
  const lines = shown.split("\n").map((line) => {
    if (line.trim() === "...") return "(?:.*\n)*?";
    const word = varying.find((each) => line.startsWith(`${each} `));
    if (word !== undefined) return `${escaped(word)} .*\n`;
    const [, kept, rest] = /^(.*?)( *\.\.\.)?$/.exec(line)!;
    const text = varying.includes("numbers") ? anyNumbers(kept) : escaped(kept);
    return `${text}${rest === undefined ? "" : ".*"}\n`;
  });
  return new RegExp(`^${lines.join("")}$`).test(
    printed === "" || printed.endsWith("\n") ? printed : `${printed}\n`,
  );
}

const number = /\d[\d,.]*(?: ?[kKMGT]i?(?=\w*\b))?/;

function anyNumbers(line: string): string {
  const parts = line.split(new RegExp(` *${number.source}`));
  return parts.map((part) => escaped(part).replace(/ {2,}/g, " +")).join(` *${number.source}`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
