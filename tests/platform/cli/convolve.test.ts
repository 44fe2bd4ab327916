/** `nearfield convolve`: sounds, matrices and columns of tables, and what it says of mistakes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bytesSource, readNpy, readNpyArray, readWav, writeNpy, writeWav } from "../../../dist/node.js";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const fileOf = (name: string) => bytesSource(readFileSync(join(folder.path, name)), name);
const put = (name: string, bytes: Uint8Array) => writeFileSync(join(folder.path, name), bytes);

async function putNpy(name: string, values: Parameters<typeof writeNpy>[0]): Promise<void> {
  const pieces = [];
  for await (const piece of writeNpy(values)) pieces.push(piece);
  put(name, Buffer.concat(pieces));
}

const fails = async (args: string[], pattern: RegExp) => {
  const { code, stdout, stderr } = await folder.run(["convolve", ...args]);
  expect([code, stdout], stderr).toEqual([1, ""]);
  expect(stderr).toMatch(pattern);
};

describe("nearfield convolve", () => {
  it("filters both channels of a sound, and counts what it clips", async () => {
    const data = Float32Array.of(0.5, -0.25, 0.5, 0.25, -1, 0.75, 0, 1 - 2 ** -15);
    put("a.wav", writeWav({ data, rows: 4, cols: 2, rate: 8000, form: "pcm16" }).bytes);
    const args = ["convolve", "a.wav", "--taps", "0.5,0.5", "--mode", "same", "--out", "b.wav"];
    const { code, stdout, stderr } = await folder.run(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/convolved 2 signals of 4 samples with 2 taps, same\n[^]*written +b\.wav/);
    expect(await readWav(fileOf("b.wav"))).toEqual({
      data: Float32Array.of(0.25, -0.125, 0.5, 0, -0.25, 0.5, -0.5, 0.875),
      rows: 4,
      cols: 2,
      rate: 8000,
      form: "pcm16",
    });
    const loud = await folder.run(["convolve", "a.wav", "--taps", "3", "--out", "c.wav", "--json"]);
    expect(JSON.parse(loud.stdout)).toMatchObject({
      signals: 2,
      samples: 4,
      taps: 1,
      clipped: 5,
      output: "c.wav",
    });
    const table = await folder.run(["convolve", "a.wav", "--taps", "2", "--quiet"]);
    expect(table.stdout).toBe("0,1\n1,-0.5\n1,0.5\n-2,1.5\n0,1.99993896484375\n");
  });

  it("knows a sound, gzipped or not, and a table on stdin by their first bytes", async () => {
    const data = Float32Array.of(0.5, -0.25, 0.125);
    const { bytes } = writeWav({ data, rows: 3, cols: 1, rate: 8000, form: "pcm16" });
    const args = ["convolve", "-", "--taps", "1", "--quiet"];
    for (const input of [bytes, gzipSync(bytes)]) {
      const { code, stderr } = await folder.run([...args, "--out", "piped.wav", "--force"], { input });
      expect([code, stderr]).toEqual([0, ""]);
      expect(readFileSync(join(folder.path, "piped.wav"))).toEqual(Buffer.from(bytes));
    }
    const { stdout } = await folder.run(args, { input: "y\n1\n2\n" });
    expect(stdout).toBe("y\n1\n2\n");
  });

  it("convolves the rows of a matrix with a mask from a file, and keeps their type", async () => {
    await putNpy("x.npy", { data: Int32Array.of(1, 2, 3, 10, 20, 30), rows: 2, cols: 3 });
    await putNpy("w.npy", Int16Array.of(1, -1));
    const args = [
      "convolve",
      "x.npy",
      "w.npy",
      "--mode",
      "same",
      "--boundary",
      "edge",
      "--out",
      "y.npy",
      "--quiet",
    ];
    const { code, stderr } = await folder.run(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(await readNpy(fileOf("y.npy"))).toEqual({
      data: Int32Array.of(0, 1, 1, 0, 10, 10),
      rows: 2,
      cols: 3,
    });
    await putNpy("one.npy", Float32Array.of(1, 2, 3));
    await folder.run(["convolve", "one.npy", "--taps", "1,1", "--out", "two.npy", "--quiet"]);
    expect(await readNpy(fileOf("two.npy"))).toEqual({ data: Float32Array.of(1, 3, 5, 3), rows: 4, cols: 1 });
  });

  it("convolves along the last axis of an array, and keeps its axes", async () => {
    const put3 = async (name: string, data: Int32Array, shape: number[]) => {
      const pieces = [];
      for await (const piece of writeNpy(data, { shape })) pieces.push(piece);
      put(name, Buffer.concat(pieces));
    };
    await put3(
      "three.npy",
      Int32Array.from({ length: 12 }, (_, at) => at),
      [2, 3, 2],
    );
    const args = ["convolve", "three.npy", "--taps", "1,1", "--out", "y.npy", "--json"];
    expect(JSON.parse((await folder.run(args)).stdout)).toMatchObject({ signals: 6, samples: 2 });
    expect(await readNpyArray(fileOf("y.npy"))).toEqual({
      data: Int32Array.of(0, 1, 1, 2, 5, 3, 4, 9, 5, 6, 13, 7, 8, 17, 9, 10, 21, 11),
      shape: [2, 3, 3],
    });
    await put3("column.npy", Int32Array.of(1, 2, 3), [3, 1]);
    await folder.run(["convolve", "column.npy", "--taps", "1,1", "--out", "z.npy"]);
    expect(await readNpyArray(fileOf("z.npy"))).toEqual({ data: Int32Array.of(1, 3, 5, 3), shape: [4, 1] });
    await put3("none.npy", new Int32Array(0), [0, 4]);
    await fails(["none.npy", "--taps", "1"], /none\.npy: holds no signals, but 0 rows of 4 samples/);
  });

  it("keeps whole numbers with a mask of such, and promotes them with fractions as numpy does", async () => {
    await putNpy("x.npy", Int32Array.of(1, 2, 2 ** 30));
    const made = async (...args: string[]) => {
      const { code, stderr } = await folder.run(["convolve", "x.npy", ...args, "--out", "y.npy", "--force"]);
      expect(code, stderr).toBe(0);
      return (await readNpyArray(fileOf("y.npy"))).data;
    };
    expect(await made("--taps", "1,-1")).toEqual(Int32Array.of(1, 1, 2 ** 30 - 2, -(2 ** 30)));
    expect(await made("--taps", "0.5,8")).toEqual(Float64Array.of(0.5, 9, 2 ** 29 + 16, 2 ** 33));
    await putNpy("half.npy", Float32Array.of(0.5));
    expect(await made("half.npy")).toEqual(Float64Array.of(0.5, 1, 2 ** 29));
    const filled = await made("--taps", "1,1", "--mode", "same", "--fill", "0.5");
    expect(filled).toEqual(Float64Array.of(1.5, 3, 2 ** 30 + 2));
  });

  it("correlates a column of a table", async () => {
    const args = ["convolve", "train.csv", "--column", "y", "--taps", "1,0,-1", "--correlate", "--quiet"];
    const { stdout } = await folder.run([...args, "--mode", "valid"]);
    expect(stdout).toBe("y\n0\n-9\n-11\n-0.5\n");
    const filled = await folder.run([...args, "--mode", "same", "--fill", "100"]);
    expect(filled.stdout.split("\n").slice(1, 3)).toEqual(["99", "0"]);
  });

  it("takes a column of a table with a mask that is none, and the other way round", async () => {
    await putNpy("steps.npy", Float64Array.of(-1, 1));
    writeFileSync(join(folder.path, "weights.csv"), "w,n\n1,0\n2,0\n");
    const args = ["--mode", "valid", "--quiet"];
    const column = await folder.run(["convolve", "train.csv", "steps.npy", "--column", "y", ...args]);
    const typed = await folder.run(["convolve", "train.csv", "--taps=-1,1", "--column", "y", ...args]);
    expect([column.stderr, column.stdout]).toEqual(["", typed.stdout]);
    const turned = await folder.run(["convolve", "steps.npy", "weights.csv", "--column", "w", ...args]);
    expect([turned.stderr, turned.stdout]).toEqual(["", "0\n-1\n"]);
  });

  it("says what is wrong, and writes nothing", async () => {
    await putNpy("x.npy", Int32Array.of(2 ** 30, 2 ** 30));
    await putNpy("two.npy", { data: Float32Array.of(1, 2, 3, 4), rows: 2, cols: 2 });
    writeFileSync(join(folder.path, "gap.csv"), "x,y\n1,2\n3,\n");
    const gap =
      /gap\.csv, line 3, column "y": the cell is missing; fill it in the file, remove its row, or name another column/;
    await fails(["train.csv"], /expected a mask: either a second file, or --taps/);
    await fails(["train.csv", "x.npy", "--taps", "1"], /either a second file, or --taps/);
    await fails(["train.csv", "--taps", "1"], /train\.csv: has 4 columns; name one of them \(--column\)/);
    await fails(["train.csv", "--taps", "1", "--column", "kind"], /column "kind" holds text/);
    await fails(["train.csv", "--taps", "1", "--column", "z"], /"z"/);
    await fails(["gap.csv", "--taps", "1", "--column", "y"], gap);
    await fails(["x.npy", "--taps", "1,1", "--out", "y.npy"], /element 1 of the result overflows int32/);
    await fails(["x.npy", "two.npy"], /two\.npy: holds 2 signals; expected one, the mask/);
    await fails(["x.npy", "--taps", "1,a"], /'1,a' is invalid. Expected numbers, such as 1,0,-1/);
    await fails(["x.npy", "--taps", "1", "--column", "x"], /x\.npy: has no named columns/);
    await fails(["x.npy", "--taps", "1", "--out", "y.wav"], /y\.wav: the signal has no sample rate/);
    await fails(["x.npy", "--taps", "1", "--out", "y.doc"], /cannot be told from the extension/);
    const { stdout } = await folder.run(["convolve", "x.npy", "--taps", "1,1", "--wrap-overflow", "--quiet"]);
    expect(stdout).toBe("0\n1073741824\n-2147483648\n1073741824\n");
    expect(folder.list().filter((name) => name.startsWith("y"))).toEqual([]);
  });
});
