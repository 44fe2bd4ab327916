/**
 * Where results go: links are followed, and of several writers of one file each wins whole or says that it
 * lost (issue 19).
 */
import { lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { outputTarget, writeOutput } from "../../../dist/cli/output.js";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const path = (name: string) => join(folder.path, name);
const { signal } = new AbortController();

describe("a link that leads to nothing", () => {
  it("is kept, and what it names is written", async () => {
    mkdirSync(path("results"));
    symlinkSync("results/today.csv", path("out.csv"));
    const { code } = await folder.classify(["--out", "out.csv", "--quiet"]);
    expect(code).toBe(0);
    expect(lstatSync(path("out.csv")).isSymbolicLink()).toBe(true);
    expect(readlinkSync(path("out.csv"))).toBe("results/today.csv");
    expect(lstatSync(path("results/today.csv")).isFile()).toBe(true);
    expect(readFileSync(path("out.csv"), "utf8").split("\n")[0]).toContain("prediction(kind)");
    const again = await folder.classify(["--out", "out.csv"]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("exists already; add --force")]);
  });

  it("may lead there by other links, out of other folders", async () => {
    mkdirSync(path("links/more"), { recursive: true });
    symlinkSync("links/one", path("out.csv"));
    symlinkSync("more/two", path("links/one"));
    symlinkSync("../../made.csv", path("links/more/two"));
    expect(await outputTarget(path("out.csv"), [], false)).toMatchObject({
      path: join(realpathSync(folder.path), "made.csv"),
      replace: false,
    });
  });

  it("is refused where the folder that it names is missing", async () => {
    symlinkSync("missing/today.csv", path("out.csv"));
    const { code, stderr } = await folder.classify(["--out", "out.csv"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("/missing does not exist; create it first")]);
    expect(lstatSync(path("out.csv")).isSymbolicLink()).toBe(true);
  });

  it("is refused where it leads in a circle", async () => {
    symlinkSync("two", path("one"));
    symlinkSync("one", path("two"));
    await expect(outputTarget(path("one"), [], false)).rejects.toThrow("its links lead in a circle");
  });
});

describe("of several writers of one new file", () => {
  it("one wins, whole, and the others say that it exists", async () => {
    for (let round = 0; round < 30; round++) {
      const name = path(`out${round}.csv`);
      const target = await outputTarget(name, [], false);
      const texts = ["a", "b", "c"].map((letter) => letter.repeat(20_000));
      const ends = await Promise.allSettled(
        texts.map((text) => writeOutput(target, [text.slice(0, 9000), text.slice(9000)], signal)),
      );
      const won = ends.flatMap(({ status }, at) => (status === "fulfilled" ? [texts[at]] : []));
      expect(won).toEqual([readFileSync(name, "utf8")]);
      for (const end of ends)
        if (end.status === "rejected") expect(end.reason).toMatchObject({ tag: "InvalidInput" });
    }
    expect(folder.list().filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("as commands, the later one ends with exit code 1 or wrote the file that is there", async () => {
    const runs = await Promise.all(
      ["1", "3"].map((k) => folder.classify(["--k", k, "--out", "out.csv", "--quiet"])),
    );
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 1]);
    const winner = ["1", "3"][runs.findIndex(({ code }) => code === 0)];
    const alone = await folder.classify(["--k", winner]);
    expect(readFileSync(path("out.csv"), "utf8")).toBe(alone.stdout);
    expect(runs.map(({ stderr }) => stderr).join("")).toMatch(
      /^nearfield: .*out.csv: exists already; add --force/,
    );
  });

  it("with --force, the last one wins whole", async () => {
    const target = { ...(await outputTarget(path("out.csv"), [], false)), replace: true };
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(20_000));
    await Promise.all(
      texts.map((text) => writeOutput(target, [text.slice(0, 9000), text.slice(9000)], signal)),
    );
    expect(texts).toContain(readFileSync(path("out.csv"), "utf8"));
  });
});

it("a name may be as long as the file system allows", async () => {
  const name = `${"ä".repeat(125)}.csv`;
  const { code, stderr } = await folder.classify(["--out", name, "--quiet"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(folder.list()).toContain(name);
});
