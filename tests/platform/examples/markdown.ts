/**
 * A Markdown page as what can be run of it, by readers and by tests alike: nothing is hidden from either.
 * Blocks of `ts` are modules: a block with imports starts one, the others continue it. Blocks of `sh` are
 * commands, which must work, or with "fails" (```sh fails) must not. Blocks of `html` and `js` with a name
 * (```js worker.js) are files of a web page. A `csv` block is what the command before it printed, or with a
 * file's name (```csv out.csv) what that file holds; a `text` block is what the terminal shows, or the
 * console of a web page. Blocks of other kinds are for reading alone.
 */
export interface Block {
  readonly kind: "ts" | "sh" | "csv" | "text" | "html" | "js";
  /** What follows the kind on its line, such as a file's name. */
  readonly name: string;
  readonly text: string;
  /** Of the first line of the text, from 1. */
  readonly line: number;
}

const opening = /^```(\w*) *(.*?) *$/;
const kinds: readonly string[] = ["ts", "sh", "csv", "text", "html", "js"] satisfies Block["kind"][];

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (lines[at].includes("<!--"))
      throw new Error(`line ${at + 1}: a comment hides something from readers; show it, or leave it out`);
    const [, kind, name] = opening.exec(lines[at]) ?? [];
    if (kind === undefined) continue;
    const end = lines.indexOf("```", at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: the block is not closed`);
    const text = lines.slice(at + 1, end).join("\n");
    if (kinds.includes(kind)) blocks.push({ kind: kind as Block["kind"], name, text, line: at + 2 });
    at = end;
  }
  return blocks;
}

export interface Snippet {
  readonly line: number;
  readonly code: string;
}

/** A step that readers take on a page from top to bottom: a module is run where its last block stands. */
export type Step = Block | { readonly kind: "module"; readonly module: Snippet; readonly line: number };

export function stepsOf(blocks: readonly Block[]): Step[] {
  const steps: Step[] = [];
  let open: Block[] = [];
  const close = () => {
    if (open.length > 0) steps.push({ kind: "module", module: moduleOf(open), line: open[0].line });
    open = [];
  };
  for (const block of blocks) {
    if (block.kind !== "ts") {
      close();
      steps.push(block);
      continue;
    }
    const begins = /^import /m.test(block.text);
    if (begins) close();
    else if (open.length === 0)
      throw new Error(`line ${block.line}: the block imports nothing, and no ts block stands before it`);
    open.push(block);
  }
  close();
  return steps;
}

/** Joins blocks to a module whose lines keep their numbers: what lies between blocks is left blank. */
function moduleOf(parts: readonly Block[]): Snippet {
  const lines: string[] = [];
  for (const { line, text } of parts) {
    while (lines.length < line - parts[0].line) lines.push("");
    lines.push(...text.split("\n"));
  }
  return { line: parts[0].line, code: lines.join("\n") };
}
