/**
 * reduce() on every backend against the naive oracle, and its contract: rows, types, NaN, zeros, ties, out,
 * pieces, errors.
 */
import { expect, it } from "vitest";
import { reduce } from "../../../dist/node.js";
import { naiveReduce, type NaiveOp } from "../../oracle/reduce.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import type { Elements } from "../../oracle/scan.ts";
import { elementsOf, firstWrong, inputKinds, typeNames } from "./elements.ts";
import { onEachBackend, openBeside } from "../helpers.ts";

const seed = printedSeed();
const part = 32_768;
const ops = ["sum", "min", "max", "argmin", "argmax"] as const;

function wrongAt(actual: ArrayLike<number>, input: Elements, op: NaiveOp, rows: number) {
  const { values, magnitudes } = naiveReduce(input, op, rows);
  if (op !== "sum" || !(input instanceof Float32Array)) return firstWrong(actual, values);
  return firstWrong(actual, values, (row) => 192 * 2 ** -23 * magnitudes[row] || Number.MIN_VALUE);
}

onEachBackend((device, backend) => {
  it.each([
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 1023],
    [1, 4099],
    [1, part - 1],
    [1, part],
    [1, part + 1],
    [1, 5 * part + 13],
    [7, 1],
    [1031, 3],
    [257, 17],
    [129, 63],
    [31, 641],
    [5, 16_384],
    [5, 16_387],
    [3, part + 5],
  ])("reduces %i rows of %i elements", async (rows, cols) => {
    const random = new Random(seed + rows * 7 + cols);
    for (const type of typeNames) {
      for (const op of ops) {
        const input = elementsOf(type, "random", rows * cols, random);
        const actual = await reduce(input, { op, rows, device: device() });
        expect(actual.constructor).toBe(op.startsWith("arg") ? Uint32Array : input.constructor);
        expect(wrongAt(actual, input, op, rows), `${type} ${op}`).toBeUndefined();
      }
    }
  });

  it("reduces hard inputs, whole and by rows", async () => {
    const random = new Random(seed);
    for (const kind of inputKinds) {
      for (const type of typeNames) {
        for (const op of ops) {
          if (op === "sum" && kind === "hard" && type === "f32") continue;
          for (const rows of [1, 5, 331]) {
            const input = elementsOf(type, kind, rows * 107, random);
            const actual = await reduce(input, { op, rows, device: device() });
            expect(wrongAt(actual, input, op, rows), `${kind} ${type} ${op} ${rows}`).toBeUndefined();
          }
        }
      }
    }
  });

  it("reduces more than 2^20 elements", async () => {
    for (const [type, op] of [
      ["f32", "sum"],
      ["f32", "argmax"],
      ["u32", "sum"],
      ["i32", "min"],
    ] as const) {
      const input = elementsOf(type, "random", 2 ** 20 + 7, new Random(seed));
      expect(wrongAt(await reduce(input, { op, device: device() }), input, op, 1)).toBeUndefined();
    }
  });

  it("skips NaN unless all are, puts -0 before +0, and gives the lowest column", async () => {
    const input = new Float32Array([
      NaN,
      0,
      -0,
      0,
      -0,
      NaN,
      NaN,
      NaN,
      NaN,
      NaN,
      Infinity,
      NaN,
      Infinity,
      NaN,
      Infinity,
    ]);
    const of = async (op: NaiveOp) => [...(await reduce(input, { op, rows: 3, device: device() }))];
    expect(await of("min")).toEqual([-0, NaN, Infinity]);
    expect(await of("max")).toEqual([0, NaN, Infinity]);
    expect(await of("argmin")).toEqual([2, 0, 0]);
    expect(await of("argmax")).toEqual([1, 0, 0]);
  });

  it("finds the first of many equal extremes in a long row", async () => {
    for (const [type, low, high] of [
      ["u32", 0, 2 ** 32 - 1],
      ["i32", -(2 ** 31), 2 ** 31 - 1],
      ["f32", -Infinity, Infinity],
    ] as const) {
      const input = elementsOf(type, "equal", 3 * part, new Random(seed));
      for (const at of [part - 1, part, 70_001, 90_000]) input[at] = high;
      for (const at of [part + 3, 70_000, 90_001]) input[at] = low;
      expect([...(await reduce(input, { op: "argmax", device: device() }))], type).toEqual([part - 1]);
      expect([...(await reduce(input, { op: "argmin", device: device() }))], type).toEqual([part + 3]);
      input.fill(high);
      expect([...(await reduce(input, { op: "argmin", device: device() }))], type).toEqual([0]);
      input.fill(low);
      expect([...(await reduce(input, { op: "argmax", device: device() }))], type).toEqual([0]);
    }
  });

  it("carries NaN and infinities through sums of floats", async () => {
    const input = new Float32Array([1, Infinity, 2, -Infinity, Infinity, 3, NaN, 4, 5]);
    expect([...(await reduce(input, { rows: 3, device: device() }))]).toEqual([Infinity, NaN, NaN]);
  });

  it("sums nothing to 0, and refuses extremes of nothing", async () => {
    expect([...(await reduce(new Float32Array(0), { device: device() }))]).toEqual([0]);
    expect([...(await reduce(new Uint32Array(0), { rows: 3, device: device() }))]).toEqual([0, 0, 0]);
    expect(await reduce(new Uint32Array(0), { rows: 0, op: "max", device: device() })).toHaveLength(0);
    await expect(reduce(new Uint32Array(0), { op: "max", device: device() })).rejects.toThrow(
      "max of no elements",
    );
  });

  it("writes into out, and nothing past it", async () => {
    const out = new Uint32Array(4).fill(9);
    const result = await reduce(new Float32Array([1, 2, 4, 3]), {
      op: "argmax",
      rows: 2,
      out,
      device: device(),
    });
    expect(result.buffer).toBe(out.buffer);
    expect([...out]).toEqual([1, 0, 9, 9]);
  });

  it("says what is wrong with its arguments", async () => {
    const bad = (more: object) => reduce(new Uint32Array(4), { device: device(), ...more });
    await expect(bad({ op: "mean" })).rejects.toThrow('unknown op "mean"');
    await expect(reduce(new Uint32Array(0), { rows: 1e12, backend: "cpu" })).rejects.toThrow(
      "rows is 1000000000000",
    );
    await expect(bad({ rows: 3 })).rejects.toThrow("rows is 3, but input has 4 elements");
    await expect(bad({ op: "argmin", out: new Float32Array(1) })).rejects.toThrow("expected a Uint32Array");
  });

  it.each([1, 3])("gives the same result in pieces of %i spans of a row", async (piece) => {
    const cols = 10_007;
    const random = new Random(seed);
    for (const type of typeNames) {
      for (const op of ops) {
        const input = elementsOf(type, type === "f32" && op !== "sum" ? "hard" : "random", 2 * cols, random);
        const options = { op, rows: 2, device: device() };
        const actual = await reduce(input, { ...options, tuning: { piece, span: 1000 } });
        expect(wrongAt(actual, input, op, 2), `${type} ${op}`).toBeUndefined();
        const once = await reduce(input, { ...options, tuning: { span: 1000 } });
        expect(firstWrong(actual, once)).toBeUndefined();
      }
    }
  });

  if (backend === "gpu") {
    it("reduces an array larger than the memory it may use", async () => {
      const small = await openBeside("gpu", { deviceMemory: 2 ** 18 });
      const input = elementsOf("f32", "random", 300_000, new Random(seed));
      const sums = await reduce(input, { rows: 30, device: small });
      expect(wrongAt(sums, input, "sum", 30)).toBeUndefined();
      expect(small.counters.peakBytes).toBeLessThanOrEqual(2 ** 18);
      expect(small.counters.uploadedBytes).toBe(input.byteLength);
      small.dispose();
    });
  }
});
