/** The progress of writing leaves a terminal free for rows. */
import { expect, it } from "vitest";
import { progressBar, showWriting } from "../../../dist/cli/progress.js";

/** What a terminal of one line shows after these writes. */
function shown(kind: "stdout" | "file"): string {
  let line = "";
  const write = (text: string) => (line = text.startsWith("\r\x1b[2K") ? text.slice(5) : line + text);
  const bar = progressBar({ columns: 60, write }, false, () => 0);
  bar.show({ phase: "searching", unit: "query", done: 1, total: 2 });
  showWriting(bar, { kind });
  return line;
}

it("rows on stdout begin on an empty line, and a file's progress is shown", () => {
  expect(shown("stdout")).toBe("");
  expect(shown("file")).toBe("writing  0 rows");
});
