/** `--report`: each command writes a page that loads nothing, and that all can read. */
import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium, noChromium } from "../../browser/chromium.ts";
import { Folder } from "../helpers.ts";
import { problemsOf } from "./look.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu", "--threads", "1"];

/** Returns the program of a page. */
function programOf(text: string): string {
  const [, escaped] = /aria-label="As code"><code>([^<]*)</.exec(text)!;
  return escaped.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** Runs a program of the library where the files of the test lie, and returns what it prints. */
async function printedBy(program: string): Promise<string> {
  const library = new URL("../../../../dist/node.js", import.meta.url).href;
  folder.write({ "program.mjs": program.replace('"nearfield"', JSON.stringify(library)) });
  const run = promisify(execFile);
  return (await run(process.execPath, ["program.mjs"], { cwd: folder.path })).stdout;
}

describe.skipIf(noChromium)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(false);
  });
  afterAll(() => browser?.close());

  /** Runs the command, and returns the text of its page, in which nothing may be wrong. */
  async function pageOf(args: readonly string[], device = cpu): Promise<string> {
    const { code, stderr } = await folder.run([...args, ...device, "--report", "page.html"]);
    expect(stderr).not.toMatch(/^nearfield:/m);
    expect(code).toBe(0);
    const path = join(folder.path, "page.html");
    expect(await problemsOf(browser, path)).toEqual([]);
    return readFileSync(path, "utf8");
  }

  it("shows classes of folds and of a test file", async () => {
    await folder.run(["example", "penguins"]);
    const files = ["--train", "penguins-train.csv", "--test", "penguins-test.csv", "--out", "out.csv"];
    const text = await pageOf(["classify", ...files, "--label", "species", "--cv", "4", "--importance"]);
    expect(text).toMatch(/<th scope="row">body_mass_g<\/th><td>\d\d\.\d\d %<svg class="meter"/);
    expect(text).toContain('<section id="validation"');
    expect(text).toContain('<section id="test"');
    expect(text).toContain("nearfield classify --train penguins-train.csv");
    const right = /<th scope="row">Chinstrap<\/th><td[^>]*>[^]*?<\/td><td class="hit h8">\d+<small>[\d.]+ %/;
    expect(text).toMatch(right);
    expect(text).toMatch(/<th scope="row">Chinstrap<\/th><td class="(e\d|zero)">/);
    expect(text).toMatch(/not&nbsp;Adelie/);
  });

  it("shows numbers of folds, and code that gives the same", async () => {
    await folder.run(["example", "cars"]);
    const text = await pageOf([
      "regress",
      ..."--train cars.csv --label mpg --id name --cv 3 -k 4".split(" "),
    ]);
    expect(text).toContain('aria-label="Residuals of mpg"');
    const [, rmse] = /<dt>RMSE<\/dt><dd>([\d.]+)/.exec(text)!;
    expect(Number(await printedBy(programOf(text)))).toBeCloseTo(Number(rmse), 3);
  });

  it("shows a map, and prepares in its code as the command does", async () => {
    const lines = Array.from({ length: 60 }, (_, row) => {
      const [lat, lon] = [40 + ((row * 7) % 13) / 3, -3 - ((row * 5) % 11) / 4];
      return `${lat},${lon},${row % 4 ? row : ""},${lat + lon > 38.5 ? "north" : "south"},${row % 3}`;
    });
    folder.write({ "places.csv": ["Latitude,Longitude,height,part,rows", ...lines].join("\n") });
    const args =
      "--train places.csv --label part --impute average --normalize z --weights distance --cv 4 --sample-weight rows";
    const text = await pageOf(["classify", ...args.split(" ")]);
    expect(text).toContain('<th scope="col">weight</th>');
    expect(text).toContain('aria-label="Map of ● rows, ✕ wrong"');
    const [, accuracy] = /<dt>accuracy<\/dt><dd>([\d.]+) %/.exec(text)!;
    expect((100 * Number(await printedBy(programOf(text)))).toFixed(2)).toBe(accuracy);
  });

  it("shows digits as pictures", async () => {
    await folder.run(["example", "digits"]);
    const files = ["--train", "digits-train.csv", "--test", "digits-test.csv", "--out", "out.csv"];
    const text = await pageOf(["classify", ...files, "--label", "digit", "-k", "3"]);
    expect(text.match(/<li><figure><svg class="ink"/g)).toHaveLength(5);
    expect(text).toContain("<b>8</b>");
  });

  it("shows the curve over k and how the best combination predicts", async () => {
    await folder.run(["example", "iris"]);
    const args = "--train iris.csv --label species --k 1:9:2 --cv 4 --metric l1,l2";
    const text = await pageOf(["tune", ...args.split(" ")]);
    expect(text).toContain('aria-label="accuracy over k"');
    expect(text.match(/<svg class="sample"/g)).toHaveLength(6);
    expect(text).toContain('aria-label="Confusion matrix"');
    expect(text).toMatch(/nearfield classify --train iris\.csv --label species -k \d/);
  });

  it("shows rows of a search and of matrices beside their neighbours", async () => {
    await folder.run(["example", "cars"]);
    const text = await pageOf([
      "search",
      ..."--train cars.csv --id name --normalize z -k 3 --out n.csv".split(" "),
    ]);
    expect(text).toContain("Distances of the neighbour 3");
    expect(text).toMatch(/<th scope="rowgroup">chevrolet chevelle malibu<\/th>/);
    folder.write({ "points.xyz": "0 0 0\n0 0 1\n0 5 0\n7 0 0\n" });
    rmSync(join(folder.path, "page.html"));
    expect(await pageOf(["search", ..."--train points.xyz -k 1 --out p.npy".split(" ")])).toContain(
      "row\u00a03",
    );
  });

  it("shows the columns of a file, and refuses a model", async () => {
    folder.write({ "odd.csv": "n,word,gap,same\n1,a,,5\n1000,b,,5\n3,a,2,5\n" });
    const text = await pageOf(["schema", "odd.csv"], []);
    expect(text.match(/<svg class="spark"/g)).toHaveLength(4);
    await folder.classify(["--save-model", "m.nfm", "--out", "p.csv"]);
    const { code, stderr } = await folder.run(["schema", "m.nfm", "--report", "m.html"]);
    expect(stderr).toContain("m.nfm: --report shows the columns of tables; a model has none");
    expect(code).toBe(1);
  });

  it("shows what a bench measured", async () => {
    const text = await pageOf([
      "bench",
      "knn",
      ..."--references 500 --queries 50 --columns 4 --repeat 3".split(" "),
    ]);
    expect(text).toContain('aria-label="seconds searches"');
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
    folder.write({ "odd.csv": 'x,"y"" onload=""1"\n1,2\n2,4\n3,6\n4,9\n' });
    rmSync(join(folder.path, "page.html"));
    const numbers = await pageOf([
      "regress",
      "--train",
      "odd.csv",
      "--label",
      'y" onload="1',
      "--cv",
      "2",
      "-k",
      "1",
    ]);
    expect(numbers).toContain('aria-label="Residuals of y&#34; onload=&#34;1"');
  });
});

describe("rows beside their neighbours", () => {
  /** Returns how many pictures stand in front of neighbours, and the paragraphs of the page. */
  const shownIn = async (args: string) => {
    const { code, stderr } = await folder.run([
      ...args.split(" "),
      ...cpu,
      "--report",
      "page.html",
      "--force",
    ]);
    expect(code, stderr).toBe(0);
    const text = readFileSync(join(folder.path, "page.html"), "utf8");
    const pictures = text.match(/<li><figure><svg class="ink"/g)?.length ?? 0;
    return { pictures, rows: text.match(/<tr class="query">/g)?.length ?? 0, text };
  };

  it("are as many as the page says, of mistakes", async () => {
    await folder.run(["example", "digits"]);
    const digits = "classify --train digits-train.csv --test digits-test.csv --label digit --out o.csv";
    const some = await shownIn(`${digits} -k 100`);
    const [, wrong] = /<dt>wrong<\/dt><dd>(\d+)/.exec(some.text)!;
    expect(Number(wrong)).toBeGreaterThan(12);
    expect(some.pictures).toBe(Number(wrong));
    expect(some.text).toContain(`<p>${wrong} rows were predicted wrong. The surest mistakes come first: `);
    const many = await shownIn(`${digits} -k 1000`);
    expect(many.pictures).toBe(60);
    expect(many.text).toMatch(/<p>\d+ rows were predicted wrong\. The 60 surest mistakes are shown: /);
  });

  it("are as many as the page says, of a search, however large the pictures are", async () => {
    const pixels = Array.from({ length: 64 * 64 }, (_, at) => at);
    const lines = Array.from({ length: 61 }, (_, row) => pixels.map((at) => (at * 7 + row) % 256).join(","));
    folder.write({ "large.csv": [pixels.map((at) => `p${at}`).join(","), ...lines].join("\n") });
    const large = await shownIn("search --train large.csv -k 1 --out n.csv");
    expect(large.pictures).toBe(60);
    expect(large.text).toContain("<p>The first 60 rows that were searched for.</p>");
    folder.write({ "table.csv": ["a", ...Array.from({ length: 13 }, (_, row) => row)].join("\n") });
    const table = await shownIn("search --train table.csv -k 1 --out n.csv");
    expect(table.rows).toBe(12);
    expect(table.text).toContain("<p>The first 12 rows that were searched for.</p>");
    folder.write({ "table.csv": "a\n1\n2\n" });
    const few = await shownIn("search --train table.csv -k 1 --out n.csv");
    expect(few.text).toContain("<p>All rows that were searched for.</p>");
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
