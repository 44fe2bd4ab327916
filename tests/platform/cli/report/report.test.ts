/** `--report`: each command writes a page that loads nothing, and that all can read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, noChromium } from "../../browser/chromium.ts";
import { Folder } from "../helpers.ts";
import { problemsOf } from "./look.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu", "--threads", "1"];

describe.skipIf(noChromium)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(false);
  });
  afterAll(() => browser?.close());

  /** Runs the command, and returns the text of its page, in which nothing may be wrong. */
  async function pageOf(args: readonly string[]): Promise<string> {
    const { code, stderr } = await folder.run([...args, ...cpu, "--report", "page.html"]);
    expect(stderr).not.toMatch(/^nearfield:/m);
    expect(code).toBe(0);
    const path = join(folder.path, "page.html");
    expect(await problemsOf(browser, path)).toEqual([]);
    return readFileSync(path, "utf8");
  }

  it("shows classes of folds and of a test file", async () => {
    await folder.run(["example", "penguins"]);
    const files = ["--train", "penguins-train.csv", "--test", "penguins-test.csv", "--out", "out.csv"];
    const text = await pageOf(["classify", ...files, "--label", "species", "--cv", "4"]);
    expect(text).toContain('<section id="validation"');
    expect(text).toContain('<section id="test"');
    expect(text).toContain("nearfield classify --train penguins-train.csv");
    expect(text).toMatch(/<td class="hit h\d">\d+<small>[\d.]+ %/);
    expect(text).toMatch(/not&nbsp;Adelie/);
  });

  it("obeys no name of a file, and cuts it", async () => {
    const script = "<script>alert(1)</script>";
    const long = "x".repeat(1_000_000);
    const lines = ["a", "b", "a", "b", "b", "a"].map(
      (kind, row) => `${row},"${row % 2 ? script : "\u202eabc"}",${kind === "a" ? script : "constructor"}`,
    );
    folder.write({ "odd.csv": [`__proto__,${long},"<b>""'&"`, ...lines].join("\n") });
    const text = await pageOf([
      "classify",
      "--train",
      "odd.csv",
      "--label",
      "<b>\"'&",
      "--cv",
      "2",
      "-k",
      "1",
    ]);
    expect(text).not.toMatch(/<script|<b>"|\u202e/);
    expect(text).toContain("__proto__");
    expect(text).toContain("constructor");
    expect(text.length).toBeLessThan(60_000);
  });
});

it.each<[string, string[], RegExp]>([
  ["stdout", ["--report", "-"], /--report needs a file of its own/],
  ["the training rows", ["--report", "train.csv"], /is also read, as train\.csv/],
  [
    "another output",
    ["--report", "o.csv", "--out", "o.csv"],
    /--report and another output are the same file/,
  ],
])("refuses a page to %s", async (_, options, message) => {
  const { code, stderr } = await folder.classify(options);
  expect(stderr).toMatch(message);
  expect(code).toBe(1);
});
