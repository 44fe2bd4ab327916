/**
 * A Markdown page as what can be run of it. Blocks of `ts` are modules: a block with imports starts one, the
 * others continue it. Blocks of `sh` are commands, which must work, or with "fails" (```sh fails) must not; a
 * `csv` block after one is what it printed, or with a file's name (```csv out.csv) what it wrote; "```text
 * stdout" is what it printed too, and "```text stderr" is in its messages. Readers don't see `<!-- setup ...
 * -->`, TypeScript that belongs to the module, and `<!-- file NAME ... -->`, a file that the commands find.
 * Blocks of other kinds are for reading alone.
 */
export interface Block {
  readonly kind: "ts" | "setup" | "sh" | "csv" | "text" | "file";
  /** What follows the kind on its line, such as a file's name. */
  readonly name: string;
  readonly text: string;
  /** Of the first line of the text, from 1. */
  readonly line: number;
}

const opening = /^(?:```(ts|sh|csv|text)\b|<!-- (setup|file)\b) *(.*?) *$/;

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, fence, hidden, name] = opening.exec(lines[at]) ?? [];
    const kind = fence ?? hidden;
    if (kind === undefined) continue;
    const end = lines.indexOf(fence === undefined ? "-->" : "```", at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: the block is not closed`);
    const text = lines.slice(at + 1, end).join("\n");
    blocks.push({ kind: kind as Block["kind"], name, text, line: at + 2 });
    at = end;
  }
  return blocks;
}

export interface Snippet {
  readonly line: number;
  readonly code: string;
}

/** The modules of a page. Lines keep their numbers: what lies between blocks is left blank. */
export function modulesOf(blocks: readonly Block[]): Snippet[] {
  const modules: Block[][] = [];
  let setups: Block[] = [];
  for (const block of blocks) {
    if (block.kind === "setup") setups.push(block);
    if (block.kind !== "ts") continue;
    if (modules.length === 0 || /^import /m.test(block.text)) modules.push([]);
    modules[modules.length - 1].push(...setups, block);
    setups = [];
  }
  if (setups.length > 0) throw new Error(`line ${setups[0].line}: no ts block follows this setup`);
  return modules.map((parts) => {
    const lines: string[] = [];
    for (const { line, text } of parts) {
      while (lines.length < line - parts[0].line) lines.push("");
      lines.push(...text.split("\n"));
    }
    return { line: parts[0].line, code: lines.join("\n") };
  });
}
