/** `nearfield search` in files of numbers that --memory does not hold. */
import { readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { Random, printedSeed } from "../../../oracle/random.ts";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const random = new Random(printedSeed());

/** Makes rows of a few bytes with many ties, as big-ann-benchmarks write them. */
function u8bin(rows: number, cols: number): Buffer {
  const head = Buffer.from(Uint32Array.of(rows, cols).buffer);
  return Buffer.concat([head, Uint8Array.from({ length: rows * cols }, () => random.int(0, 4))]);
}

function search(memory: string, args: readonly string[]) {
  const files = ["--train", "base.u8bin", "--queries", "queries.u8bin", "--k", "7", "--backend", "cpu"];
  return folder.run(["search", ...files, "--memory", memory, "--force", ...args]);
}

describe("search in a matrix larger than a quarter of --memory", () => {
  beforeEach(() => {
    writeFileSync(`${folder.path}/base.u8bin`, u8bin(20_000, 16));
    writeFileSync(`${folder.path}/queries.u8bin`, u8bin(30, 16));
  });

  it("finds the same without reading it whole, and says so", async () => {
    for (const out of ["found.ibin", "found.csv"]) {
      const large = await search("1M", ["--json", "--out", `large-${out}`]);
      expect(large.stderr).toBe("");
      expect(JSON.parse(large.stdout)).toMatchObject({
        train: { file: "base.u8bin", rows: 20_000 },
        queries: { rows: 30 },
        remark: expect.stringMatching(/the rows of base\.u8bin take .*, more than a quarter of memory/),
      });
      const whole = await search("1G", ["--json", "--out", `whole-${out}`]);
      expect(JSON.parse(whole.stdout)).not.toHaveProperty("remark");
      const [a, b] = ["large", "whole"].map((name) => readFileSync(`${folder.path}/${name}-${out}`));
      expect(a.equals(b)).toBe(true);
    }
  });

  it("reads it whole where an option needs all rows", async () => {
    const { code, stdout } = await search("1M", ["--radius", "3", "--json", "--out", "near.csv"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).not.toHaveProperty("remark");
  });

  it("refuses a k that there are no rows for", async () => {
    const { code, stderr } = await search("1M", ["--k", "20001", "--quiet"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/k is 20001|20,?000 rows/)]);
  });
});
