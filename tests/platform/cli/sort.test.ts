/** `nearfield sort`, `nearfield histogram` and `nearfield bench sort`: files of every kind, and mistakes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SortSummary } from "../../../dist/cli/bench/sort.js";
import { bytesSource, readNpyArray, writeNpy } from "../../../dist/node.js";
import { isAbsent } from "../../backend/helpers.ts";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const npy = (name: string) => readNpyArray(bytesSource(readFileSync(join(folder.path, name)), name));

async function put(
  name: string,
  values: Float32Array | Uint8Array | BigInt64Array | BigUint64Array,
  shape?: readonly number[],
): Promise<void> {
  const pieces = [];
  for await (const piece of writeNpy(values, shape && { shape })) pieces.push(piece);
  writeFileSync(join(folder.path, name), Buffer.concat(pieces));
}

async function done(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run([...args, "--backend", "cpu"]);
  expect(code, stderr).toBe(0);
  return stdout;
}

async function fails(args: string[], pattern: RegExp): Promise<void> {
  const { code, stdout, stderr } = await folder.run([...args, "--backend", "cpu"]);
  expect([code, stdout], stderr).toEqual([1, ""]);
  expect(stderr).toMatch(pattern);
}

const wide = BigInt64Array.of(5n, -(2n ** 62n), 3n, 2n ** 62n + 1n, 0n, -1n);

describe("nearfield sort", () => {
  it("sorts 64-bit integers along the last axis, and keeps type and shape", async () => {
    await put("x.npy", wide, [1, 2, 3]);
    await done(["sort", "x.npy", "--out", "s.npy"]);
    const sorted = BigInt64Array.of(-(2n ** 62n), 3n, 5n, -1n, 0n, 2n ** 62n + 1n);
    expect(await npy("s.npy")).toEqual({ data: sorted, shape: [1, 2, 3] });
    await done(["sort", "x.npy", "--descending", "--argsort", "--out", "a.npy"]);
    expect(await npy("a.npy")).toEqual({ data: Uint32Array.of(0, 2, 1, 0, 1, 2), shape: [1, 2, 3] });
    await fails(["sort", "x.npy"], /holds -4611686018427387904, beyond 2\^53/);
  });

  it("keeps small types, and sorts a single column as a whole", async () => {
    await put("x.npy", Uint8Array.of(9, 255, 0), [3, 1]);
    await done(["sort", "x.npy", "--out", "s.npy"]);
    expect(await npy("s.npy")).toEqual({ data: Uint8Array.of(0, 9, 255), shape: [3, 1] });
  });

  it("sorts nothing, and says what a number without axes is", async () => {
    await put("x.npy", new Float32Array(0), [4, 0]);
    await done(["sort", "x.npy", "--out", "s.npy"]);
    expect(await npy("s.npy")).toEqual({ data: new Float32Array(0), shape: [4, 0] });
    await put("one.npy", Float32Array.of(1));
    const one = readFileSync(join(folder.path, "one.npy"), "latin1").replace("(1,)", "()  ");
    writeFileSync(join(folder.path, "one.npy"), one, "latin1");
    await fails(
      ["sort", "one.npy"],
      /one\.npy: byte 10: the array is a single number; expected one with rows/,
    );
    folder.write({ "gap.csv": "x\n1\nNA\n" });
    await fails(["sort", "gap.csv"], /gap\.csv, line 3, column "x": the cell is missing; fill it/);
    await fails(
      ["histogram", "gap.csv", "--bins", "2"],
      /remove its row, or name another column \(--column\)/,
    );
  });

  it("sorts a column of a table, or says where its numbers come from", async () => {
    folder.write({ "t.csv": "name,x\na,3\nb,-0.1\nc,2.5\n" });
    expect(await done(["sort", "t.csv", "--column", "x", "--quiet"])).toBe("x\n-0.1\n2.5\n3\n");
    const argsort = [
      "sort",
      "t.csv",
      "--column",
      "x",
      "--descending",
      "--argsort",
      "--json",
      "--out",
      "i.csv",
    ];
    const summary = JSON.parse(await done(argsort)) as object;
    expect(summary).toMatchObject({
      command: "sort",
      rows: 1,
      elements: 3,
      type: "Float64",
      descending: true,
    });
    expect(readFileSync(join(folder.path, "i.csv"), "utf8")).toBe("index\n0\n2\n1\n");
    await fails(["sort", "t.csv"], /has 2 columns; name one of them \(--column\)/);
    await fails(["sort", "t.csv", "--column", "name"], /holds text/);
    await fails(["sort", "t.csv", "--column", "y"], /y/);
  });
});

describe("nearfield histogram", () => {
  it("counts by equal bins and by edges, as a table or as counts", async () => {
    folder.write({ "t.csv": "x\n3\n-1\n2.5\n7\n" });
    const counted = await done(["histogram", "t.csv", "--bins", "2", "--range", "-1,3", "--quiet"]);
    expect(counted).toBe("from,to,count\n-1,1,1\n1,3,2\n");
    const args = ["histogram", "t.csv", "--edges", "0,2.5,3", "--out", "h.npy", "--json"];
    expect(JSON.parse(await done(args))).toMatchObject({ bins: 2, below: 1, above: 1, nan: 0 });
    expect((await npy("h.npy")).data).toEqual(Uint32Array.of(0, 2));
    await fails(["histogram", "t.csv"], /--bins is missing; give bins or edges/);
    await fails(["histogram", "t.csv", "--bins", "2", "--range", "1"], /Expected at least 2 numbers/);
    await fails(
      ["histogram", "t.csv", "--bins", "2", "--range", "0,1,2"],
      /--range is \[0, 1, 2\]; expected two numbers/,
    );
  });

  it("says so where bins have no width, or no range", async () => {
    folder.write({ "same.csv": "x\n3\n3\n" });
    const args = ["histogram", "same.csv", "--bins", "2", "--backend", "cpu"];
    const remark =
      "first and last edge are both 3: no bin has a width, and all that is counted is in the first";
    const { stdout, stderr } = await folder.run(args);
    expect([stdout, stderr]).toEqual(["from,to,count\n3,3,2\n3,3,0\n", expect.stringContaining(remark)]);
    const json = JSON.parse(await done([...args, "--json", "--out", "h.csv"])) as object;
    expect(json).toMatchObject({ remark: expect.stringContaining(remark) as string });
    expect((await folder.run([...args, "--range", "0,4"])).stderr).not.toContain("edge");
    await put("none.npy", new Float32Array(0));
    await fails(
      ["histogram", "none.npy", "--bins", "2"],
      /none\.npy: holds no numbers, .* --range or --edges/,
    );
    expect(await done(["histogram", "none.npy", "--bins", "1", "--range", "0,1", "--quiet"])).toContain(
      "0,1,0",
    );
  });

  it("rounds nothing unless it is told to", async () => {
    folder.write({ "t.csv": "x\n0.1\n0.5\n" });
    await fails(["histogram", "t.csv", "--bins", "2"], /--float32 rounds them/);
    expect(await done(["histogram", "t.csv", "--edges", "0,0.2,1", "--float32", "--quiet"])).toBe(
      "from,to,count\n0,0.2,1\n0.2,1,1\n",
    );
    await put("x.npy", BigInt64Array.of(2n ** 31n, 1n));
    expect(await done(["histogram", "x.npy", "--edges", "0,2,3e9", "--quiet"])).toContain("0,2,1\n2,");
    await put("y.npy", wide);
    await fails(["histogram", "y.npy", "--bins", "2"], /--float32 rounds them/);
  });
});

describe("nearfield bench sort", () => {
  it("times a sort, and checks it", async () => {
    for (const order of ["random", "reversed"]) {
      const args = ["bench", "sort", "--count", "5000", "--type", "f64", "--order", order, "--repeat", "1"];
      const summary = JSON.parse(await done([...args, "--json"])) as { readonly variants: readonly object[] };
      expect(summary).toMatchObject({ command: "bench sort", backend: "cpu", count: 5000, runs: 1 });
      expect(summary.variants).toMatchObject([
        { variant: "plain", wrong: 0, stages: {} },
        { variant: "shared", wrong: 0, stages: {} },
      ]);
    }
    expect(await done(["bench", "sort", "--count", "100", "--repeat", "1"])).toMatch(
      /sorted +100 keys of type u32, random\n[^]*\nplain +total[^]*typed array total[^]*checked +all equal/,
    );
  });

  it.skipIf(isAbsent("gpu"))("shows the stages of both variants of a GPU", async () => {
    const args = ["bench", "sort", "--count", "3000", "--repeat", "1", "--backend", "gpu", "--json"];
    const { code, stdout, stderr } = await folder.run(args);
    expect(code, stderr).toBe(0);
    const { variants } = JSON.parse(stdout) as SortSummary;
    expect(variants).toMatchObject([
      { variant: "blocks", wrong: 0 },
      { variant: "chained", wrong: 0 },
    ]);
    const [blocks, chained] = variants.map(({ stages }) => stages);
    expect(Object.keys(blocks)).toEqual(["histogram", "scan", "scatter", "other"]);
    expect(Object.keys(chained)).toEqual(["count", "scatter", "other"]);
    for (const { stages, total } of variants) {
      const sum = Object.values(stages).reduce((before, ms) => before + ms, 0);
      expect(sum).toBeCloseTo(total, 6);
      expect(Object.values(stages).every((ms) => ms > 0)).toBe(true);
    }
  });
});
