/**
 * Sort Order, Sort Pairs and Run Lengths in processes, on every backend: what loops over the numbers give,
 * for each type that files have, with one fingerprint everywhere.
 */
import { describe, expect, it } from "vitest";
import { checkProcess } from "../../../dist/graph/index.js";
import type { ProcessNode } from "../../../dist/graph/index.js";
import { bytesSource, writeNpy } from "../../../dist/node.js";
import type { Matrix } from "../../../dist/node.js";
import { onEachBackend, openDevice } from "../helpers.ts";
import { bytesOf, node, outcomeOf, short } from "../processes.ts";

const [ROWS, COLS] = [8, 6];
const whole = Array.from({ length: ROWS * COLS }, (_, at) => Math.floor(((at * 29) % 17) / 2) - 3);
const odd = whole.map((each, at) => [each / 4, NaN, -0, 0, Infinity][at % 11 < 4 ? (at % 11) + 1 : 0]);

/** Numbers of each type that a file may hold; the last are neither whole nor float32. */
const types = {
  int8: Int8Array.from(whole),
  uint32: Uint32Array.from(whole, (each) => each + 4e9),
  float32: Float32Array.from(odd),
  float64: Float64Array.from(odd, (each) => each / 3),
} satisfies Readonly<Record<string, Matrix["data"]>>;
const weights = Float64Array.from(whole, (_, at) => at * 1.1);

const open = async (path: string) => {
  const [name, shape] = path.split(".");
  const data = name === "weights" ? weights : types[name as keyof typeof types];
  const [rows, cols] = shape === "column" ? [ROWS * COLS, 1] : [ROWS, COLS];
  return bytesSource(await bytesOf(writeNpy({ data, rows, cols })), path);
};
const read = (file: string) => node("readMatrix", {}, { file });

/** Where sorted numbers come from, by insertion: NaN last in both directions, ties as they were. */
function orderOf(numbers: readonly number[], descending: boolean): number[] {
  const rank = (each: number) => (Number.isNaN(each) ? 2 : Object.is(each, -0) ? -1 : 0);
  const isBefore = (a: number, b: number) => {
    if (rank(a) === 2 || rank(b) === 2) return rank(a) < rank(b) && rank(b) === 2;
    const [less, more] = descending ? [b, a] : [a, b];
    return less < more || (less === more && rank(less) < rank(more));
  };
  const places: number[] = [];
  numbers.forEach((each, at) => {
    const after = places.findIndex((place) => isBefore(each, numbers[place]));
    places.splice(after < 0 ? places.length : after, 0, at);
  });
  return places;
}

function runsOf(numbers: readonly number[]) {
  const runs: { value: number; count: number; offset: number }[] = [];
  numbers.forEach((value, offset) => {
    const last = runs.at(-1);
    if (last !== undefined && Object.is(last.value, value)) last.count++;
    else runs.push({ value, count: 1, offset });
  });
  return runs;
}

onEachBackend((device) => {
  describe.each(Object.keys(types) as (keyof typeof types)[])("of %s", (type) => {
    const all = [...types[type]];
    const rows = Array.from({ length: ROWS }, (_, row) => all.slice(row * COLS, (row + 1) * COLS));

    it("Sort Order says where numbers come from, in rows and in a column, as Sort does", async () => {
      const nodes = {
        rows: read(`${type}.npy`),
        column: read(`${type}.column.npy`),
        up: node("argsort", { matrix: "rows.matrix" }),
        down: node("argsort", { matrix: "rows.matrix" }, { descending: true }),
        long: node("argsort", { matrix: "column.matrix" }),
        sorted: node("sort", { matrix: "rows.matrix" }, { descending: true }),
      };
      const { outputOf } = await outcomeOf(device(), nodes, open);
      const of = (id: string) => outputOf(`${id}.order`, "Matrix");
      expect([...of("up").value.matrix.data]).toEqual(rows.flatMap((row) => orderOf(row, false)));
      expect([...of("down").value.matrix.data]).toEqual(rows.flatMap((row) => orderOf(row, true)));
      expect(of("long").value.matrix).toMatchObject({ rows: ROWS * COLS, cols: 1 });
      expect([...of("long").value.matrix.data]).toEqual(orderOf(all, false));
      expect(short(of("down"))).toBe(short(of("sorted")));
      expect(short(of("up"))).toBe(FINGERPRINTS.order[type]);
    });

    it("Sort Pairs moves a matrix of another type along, and keeps the bits of both", async () => {
      const nodes = {
        rows: read(`${type}.npy`),
        weights: read("weights.npy"),
        pairs: node("sortPairs", { matrix: "rows.matrix", values: "weights.matrix" }, { descending: true }),
      };
      const { outputOf } = await outcomeOf(device(), nodes, open);
      const [keys, values] = ["matrix", "values"].map((name) => outputOf(`pairs.${name}`, "Matrix"));
      const places = rows.flatMap((row, at) => orderOf(row, true).map((place) => at * COLS + place));
      expect(keys.value.matrix.data).toEqual(types[type].map((_, at) => types[type][places[at]]));
      expect(values.value.matrix.data).toEqual(weights.map((_, at) => weights[places[at]]));
      expect(short(values)).toBe(FINGERPRINTS.values[type]);
    });

    it("Run Lengths finds equal numbers that follow each other, across the ends of rows", async () => {
      const nodes = {
        rows: read(`${type}.npy`),
        order: node("sort", { matrix: "column.matrix" }),
        column: read(`${type}.column.npy`),
        runs: node("runLength", { matrix: "rows.matrix" }),
        sorted: node("runLength", { matrix: "order.matrix" }),
        distinct: node("unique", { matrix: "column.matrix" }),
      };
      const { outputOf } = await outcomeOf(device(), nodes, open);
      const of = (id: string) => outputOf(id, "Matrix").value.matrix;
      const expected = runsOf(all);
      expect([...of("runs.matrix").data]).toEqual(expected.map(({ value }) => value));
      expect(of("runs.matrix").data.constructor).toBe(types[type].constructor);
      expect(of("runs.counts").data).toEqual(Uint32Array.from(expected, ({ count }) => count));
      expect(of("runs.offsets").data).toEqual(Uint32Array.from(expected, ({ offset }) => offset));
      const inOrder = runsOf(orderOf(all, false).map((place) => all[place]));
      expect([...of("sorted.counts").data]).toEqual(inOrder.map(({ count }) => count));
      expect(of("sorted.counts")).toEqual(of("distinct.counts"));
      expect(short(outputOf("runs.matrix", "Matrix"))).toBe(FINGERPRINTS.runs[type]);
    });
  });
});

/** The first digits of the results, on every device and every machine. */
const FINGERPRINTS = {
  order: {
    int8: "c9eca42bb8c507b3",
    uint32: "c9eca42bb8c507b3",
    float32: "988185acfe28c2cd",
    float64: "988185acfe28c2cd",
  },
  values: {
    int8: "dffe50d10cb978ea",
    uint32: "dffe50d10cb978ea",
    float32: "4f816c7c443a82b4",
    float64: "4f816c7c443a82b4",
  },
  runs: {
    int8: "8ad2587b6d633e90",
    uint32: "d54af91d7b0d77ca",
    float32: "4525931e82bf7edf",
    float64: "9abbab6733cd58eb",
  },
};

describe("values of another shape than what is sorted", () => {
  const rows = read("int8.npy");
  const column = read("int8.column.npy");
  const distinct = node("unique", { matrix: "column.matrix" });
  const pairs = (values: string) => node("sortPairs", { matrix: "rows.matrix", values });

  it("are refused by the checks where the shapes are known", () => {
    const files = new Map([
      ["rows", { columns: [], rows: ROWS, cols: COLS }],
      ["column", { columns: [], rows: ROWS * COLS, cols: 1 }],
    ]);
    const problemsOf = (nodes: Record<string, ProcessNode>) =>
      checkProcess({ nearfield: 1, nodes }, { files }).map(({ path, message }) => `${path}: ${message}`);
    expect(problemsOf({ rows, column, pairs: pairs("column.matrix") })).toEqual([
      "nodes.pairs.inputs.values: are 48 x 1, but the numbers to sort 8 x 6; expected one for each",
    ]);
    expect(problemsOf({ rows, column, distinct, pairs: pairs("distinct.counts") })).toEqual([
      "nodes.pairs.inputs.values: are ? x 1, but the numbers to sort 8 x 6; expected one for each",
    ]);
    expect(problemsOf({ rows, pairs: pairs("rows.matrix") })).toEqual([]);
  });

  it("are refused by the run where nobody knew", async () => {
    const device = await openDevice("cpu");
    const nodes = { rows: column, column, distinct, pairs: pairs("distinct.counts") };
    await expect(outcomeOf(device, nodes, open)).rejects.toThrow(
      "node pairs (Sort Pairs): values are 9 x 1, but the numbers to sort 48 x 1; expected one for each",
    );
    device.dispose();
  });
});
