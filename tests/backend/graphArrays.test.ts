/**
 * Operators on matrices and signals: what loops over the numbers give, on every backend, and one fingerprint
 * on all of them. Also how one type is read as another.
 */
import { describe, expect, it } from "vitest";
import { checkProcess, inspectFiles, planProcess } from "../../dist/graph/index.js";
import type { ProcessNode } from "../../dist/graph/index.js";
import { bytesSource, readNpy, readWav, textSource, writeNpy, writeWav } from "../../dist/node.js";
import type { ByteSource, Device, Matrix } from "../../dist/node.js";
import { onEachBackend, openDevice } from "./helpers.ts";
import { bytesOf, node, outcomeOf as outcome, short } from "./processes.ts";

const numbers = Float32Array.from({ length: 60 }, (_, at) => ((at * 37) % 23) - 11 + (at % 3) / 4);
const rows: Matrix = { data: numbers, rows: 15, cols: 4 };
const sound = { data: Float32Array.of(0.5, -0.5, 0.25, 0.75, 0, 1 / 3), rows: 3, cols: 2 } as const;
const wav = writeWav({ ...sound, rate: 8000, form: "float32" }).bytes;

const files = async (path: string): Promise<ByteSource> => {
  if (path.endsWith(".wav")) return bytesSource(wav, path);
  if (path.endsWith(".csv")) return textSource("t,name\n1.5,a\n-2,b\n4,c\n", path);
  const data = path === "counts.npy" ? Int32Array.from(numbers) : numbers;
  return bytesSource(await bytesOf(writeNpy({ ...rows, data })), path);
};

const read: ProcessNode = { operator: "readMatrix", parameters: { file: "rows.npy" } };
const counts: ProcessNode = { operator: "readMatrix", parameters: { file: "counts.npy" } };
const heard: ProcessNode = { operator: "readSignal", parameters: { file: "a.wav" } };
const outcomeOf = (device: Device, nodes: Record<string, ProcessNode>) => outcome(device, nodes, files);

/** By their definition: output n is the sum over i of signal[i] * mask[n - i]. */
function convolved(signal: readonly number[], mask: readonly number[]): number[] {
  return Array.from({ length: signal.length + mask.length - 1 }, (_, n) =>
    signal.reduce((sum, sample, i) => sum + sample * (mask[n - i] ?? 0), 0),
  );
}

onEachBackend((device) => {
  it("Sort puts each row in order and says where its numbers come from", async () => {
    const nodes = { read, sort: node("sort", { matrix: "read.matrix" }, { descending: true }) };
    const { outputOf } = await outcomeOf(device(), nodes);
    const [sorted, order] = [outputOf("sort.matrix", "Matrix"), outputOf("sort.order", "Matrix")];
    expect(sorted.value.matrix.data).toBeInstanceOf(Float32Array);
    for (let row = 0; row < rows.rows; row++) {
      const own = [...numbers.subarray(row * 4, row * 4 + 4)];
      const places = own.map((_, at) => at).sort((a, b) => own[b] - own[a] || a - b);
      expect([...order.value.matrix.data.subarray(row * 4, row * 4 + 4)]).toEqual(places);
      expect([...sorted.value.matrix.data.subarray(row * 4, row * 4 + 4)]).toEqual(
        places.map((at) => own[at]),
      );
    }
    expect(short(sorted)).toBe(FINGERPRINTS.sort);
  });

  it("Histogram counts the numbers of a column of a table, and of each row", async () => {
    const edges = [-20, -5, 0, 5.5, 20];
    const nodes = {
      read,
      column: node("selectColumns", { table: "read.matrix" }, { columns: ["2"] }),
      all: node("histogram", { matrix: "column.table" }, { edges }),
      each: node("histogram", { matrix: "read.matrix" }, { bins: 3, range: [-6, 6] }),
      table: node(
        "filterRows",
        { table: "each.histogram" },
        { column: "count", comparison: ">", value: "0" },
      ),
    };
    const { outputOf } = await outcomeOf(device(), nodes);
    const own = numbers.filter((_, at) => at % 4 === 2);
    const inBin = (at: number) => own.filter((each) => each >= edges[at] && each < edges[at + 1]).length;
    expect([...outputOf("all.histogram", "Histogram").value.histogram.counts]).toEqual(
      [0, 1, 2, 3].map(inBin),
    );
    const { below, above, counts: found } = outputOf("each.histogram", "Histogram").value.histogram;
    const sum = (of: Iterable<number>) => [...of].reduce((total, each) => total + each, 0);
    expect(sum(below) + sum(above) + sum(found)).toBe(60);
    expect(sum(below)).toBe(numbers.filter((each) => each < -6).length);
    const { table } = outputOf("table.table", "Table").value;
    expect(table.names).toEqual(["row", "from", "to", "count"]);
    expect(table.rows).toBe(found.filter((each) => each > 0).length);
  });

  it("Nearest Neighbours finds rows of matrices as a loop does, and Write Matrix writes them", async () => {
    const nodes = {
      read,
      near: node("nearestNeighbours", { train: "read.matrix" }, { k: 3 }),
      write: node("writeMatrix", { matrix: "near.neighbours" }, { file: "near.npy" }),
    };
    const { outputOf, written } = await outcomeOf(device(), nodes);
    const near = outputOf("near.neighbours", "Neighbours");
    const distance = (a: number, b: number) =>
      Math.sqrt(
        [0, 1, 2, 3].reduce((sum, col) => sum + (numbers[a * 4 + col] - numbers[b * 4 + col]) ** 2, 0),
      );
    const expected = Array.from({ length: 15 }, (_, query) =>
      Array.from({ length: 15 }, (_, at) => at)
        .filter((at) => at !== query)
        .sort((a, b) => distance(query, a) - distance(query, b) || a - b)
        .slice(0, 3),
    ).flat();
    expect([...near.value.result.indices]).toEqual(expected);
    const stored = await readNpy(bytesSource(written.get("near.npy")!, "near.npy"));
    expect([stored.rows, stored.cols, ...stored.data]).toEqual([15, 3, ...expected]);
    expect(short(near)).toBe(FINGERPRINTS.near);
  });

  it("Convolve gives float64 sums of sounds and whole sums of whole numbers, the same everywhere", async () => {
    const taps = [0.1, -2, 3];
    const nodes = {
      heard,
      counts,
      louder: node("convolve", { signal: "heard.signal" }, { taps }),
      write: node("writeSignal", { signal: "louder.signal" }, { file: "out.wav", clip: true }),
      whole: { operator: "readSignal", parameters: { file: "counts.npy" } },
      sums: node("convolve", { signal: "whole.signal" }, { taps: [1, 2] }),
    };
    const { outputOf, written } = await outcomeOf(device(), nodes);
    const louder = outputOf("louder.signal", "Signal");
    const channel = (at: number) => [...sound.data].filter((_, each) => each % 2 === at);
    const expected = [...convolved(channel(0), taps), ...convolved(channel(1), taps)];
    louder.value.samples.forEach((each, at) => expect(each).toBeCloseTo(expected[at], 14));
    expect(short(louder)).toBe(FINGERPRINTS.louder);
    const stored = await readWav(bytesSource(written.get("out.wav")!, "out.wav"));
    expect([stored.rate, stored.cols, stored.rows]).toEqual([8000, 2, 5]);
    expect(stored.data[1]).toBe(Math.fround(expected[5]));
    const { samples } = outputOf("sums.signal", "Signal").value;
    const first = [...Int32Array.from(numbers.subarray(0, 4))];
    expect(samples).toBeInstanceOf(Int32Array);
    expect([...samples.subarray(0, 5)]).toEqual(convolved(first, [1, 2]));
  });
});

/** The first digits of the results, on every device and every machine. */
const FINGERPRINTS = { sort: "efeb1dcbd8d81cfe", near: "96ddf88a6a297d10", louder: "eb5c191f4af533b4" };

describe("on the CPU", () => {
  const failing = async (nodes: Record<string, ProcessNode>) => {
    const device = await openDevice("cpu");
    try {
      await outcomeOf(device, nodes);
    } finally {
      device.dispose();
    }
  };
  const said = async (nodes: Record<string, ProcessNode>) => {
    const process = { nearfield: 1 as const, nodes };
    const found = checkProcess(process, { files: await inspectFiles(process, { open: files }) });
    return found.map(({ path, message }) => `${path}: ${message}`);
  };
  const table: ProcessNode = { operator: "readTable", parameters: { file: "a.csv" } };
  const narrow = node("tableToMatrix", { table: "table.table" }, { columns: ["t"] });

  it.each<[string, Record<string, ProcessNode>, string]>([
    ["words", { table, sort: node("sort", { matrix: "table.table" }) }, 'column "name" has texts'],
    [
      "another width",
      {
        table,
        read,
        narrow,
        near: node("nearestNeighbours", { train: "read.matrix", queries: "narrow.matrix" }),
      },
      "inputs.queries: have 1 column, but the rows to search among 4",
    ],
    [
      "a table among rows of a matrix",
      { table, read, near: node("nearestNeighbours", { train: "read.matrix", queries: "table.table" }) },
      "are rows of a table and of a matrix",
    ],
    [
      "no bins",
      { read, bins: node("histogram", { matrix: "read.matrix" }) },
      "bins: is missing; give bins or",
    ],
    ["no mask", { heard, sum: node("convolve", { signal: "heard.signal" }) }, "taps: is missing; give taps"],
    [
      "a learner",
      { learner: { operator: "knn" }, sort: node("sort", { matrix: "learner.learner" }) },
      "learner.learner is a Learner; expected a Matrix",
    ],
    [
      "k above rows",
      { read, near: node("nearestNeighbours", { train: "read.matrix" }, { k: 15 }) },
      "k: is 15",
    ],
  ])("the checks refuse %s", async (_, nodes, message) => {
    expect(await said(nodes)).toEqual([expect.stringContaining(message)]);
  });

  it.each<[string, Record<string, ProcessNode>, string]>([
    [
      "a mask of several signals",
      { heard, sum: node("convolve", { signal: "heard.signal", mask: "heard.signal" }) },
      "node sum (Convolve): the mask holds 2 signals; expected one",
    ],
    [
      "texts as a signal",
      { heard: { operator: "readSignal", parameters: { file: "a.csv", column: "name" } } },
      'column "name" holds text; name one of numbers (column)',
    ],
  ])("a run refuses %s", async (_, nodes, message) => {
    await expect(failing(nodes)).rejects.toThrow(message);
  });

  it("float32 makes results those of one device, by their keys and those of what follows", () => {
    const nodesWith = (float32: boolean) => ({
      read,
      near: node("nearestNeighbours", { train: "read.matrix" }, { float32 }),
      rest: node("filterRows", { table: "near.neighbours" }, { column: "rank", value: "0" }),
    });
    const keys = (float32: boolean, device: string) =>
      planProcess({ nearfield: 1, nodes: nodesWith(float32) }, { device }).map(({ key }) => key);
    expect(keys(false, "one")).toEqual(keys(false, "two"));
    const [one, two] = [keys(true, "one"), keys(true, "two")];
    expect(one.map((key, at) => key === two[at])).toEqual([true, false, false]);
  });
});
