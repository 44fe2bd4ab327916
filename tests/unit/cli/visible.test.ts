/** Which characters a terminal is not given, and that nothing else changes. */
import { describe, expect, it } from "vitest";
import { barText, progressLines } from "../../../src/cli/progress.ts";
import { visible, visibleData, visibleJson, visibleLines } from "../../../src/cli/visible.ts";

describe("a visible text", () => {
  it("has escapes for all that a terminal obeys", () => {
    expect(visible("\0\x07\b\t\n\r\x1b[2J\x7f\x80\x9b\u2028\u2029\u202e\u2066")).toBe(
      String.raw`\x00\x07\x08\t\n\r\x1b[2J\x7f\x80\x9b\u2028\u2029\u202e\u2066`,
    );
  });

  it("is otherwise as it was, in every script", () => {
    const text = String.raw`C:\new\x1b "é" 日本 שלום 👩‍👩‍👧 e\u0301 a`;
    expect(visible(text)).toBe(text);
  });

  it("may have lines", () => {
    expect(visibleLines("Error: \x1b\n    at \x07 (x)\n")).toBe("Error: \\x1b\n    at \\x07 (x)\n");
  });
});

describe("visible data", () => {
  it("is the same but for its texts", () => {
    const data = { a: "\x1b", b: [1, null, "x\n", undefined], c: { d: true, e: NaN } };
    expect(visibleData(data)).toEqual({
      a: "\\x1b",
      b: [1, null, "x\\n", undefined],
      c: { d: true, e: NaN },
    });
    expect(data.a).toBe("\x1b");
  });

  it("as JSON means the same", () => {
    const data = { "\x9b": "\x7f\u202e\x1b\n" };
    const json = visibleJson(JSON.stringify(data));
    expect(json).toMatch(/^[ -~]*$/);
    expect(JSON.parse(json)).toEqual(data);
  });
});

describe("progress", () => {
  const step = { phase: "reading \x1b]0;x\x07.csv", unit: "byte", done: 5, total: 10 };

  it("shows names visibly, and no more than fits", () => {
    expect(barText(step, 0, 100, false)).toContain(String.raw`reading \x1b]0;x\x07.csv  █`);
    expect(barText(step, 0, 12, false)).toBe(String.raw`reading \x1`);
  });

  it("as lines does so, too", () => {
    const lines: string[] = [];
    progressLines({ write: (text: string) => lines.push(text) }).show(step);
    expect(lines).toEqual([`reading \\x1b]0;x\\x07.csv  50 %\n`]);
  });
});
