/** The range that WASM finds on the caller's thread: what a naive look finds, and as range.ts says it. */
import { afterAll, describe, expect, it } from "vitest";
import { rangeByWasm } from "../../../dist/distance/rows/look.js";
import { rangeOf } from "../../../src/distance/rows/range.ts";
import type { Workers } from "../../../src/runtime/cpu/workers.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { Device, kneighbors } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { expectSame } from "../helpers.ts";
import { open } from "./helpers.ts";
import { counting } from "./inProcess.ts";

const seed = printedSeed();
const backend = await open({ threads: 1 });
const of = await rangeByWasm(backend.workers);

afterAll(() => backend.dispose());

function matrixOf(random: Random, rows: number, cols: number, value: () => number) {
  // Rows that begin within their memory, as slices do.
  const data = new Float32Array(rows * cols + 7).subarray(random.int(0, 7)).subarray(0, rows * cols);
  for (let at = 0; at < data.length; at++) data[at] = value();
  return { data, rows, cols };
}

function naive({ data, cols }: { data: Float32Array; cols: number }, centre: Float64Array) {
  const away = Array.from(data, (x, at) => Math.abs(x - centre[at % cols]));
  const largest = away.reduce((most, each) => Math.max(most, each), 0);
  const whole = [...data, ...centre].every(Number.isInteger);
  return { largest, exact: whole && largest < 2 ** 24, finite: data.every(Number.isFinite), single: true };
}

describe("a look by WASM", () => {
  it.each([1, 2, 3, 4, 6, 7, 8, 61, 784, 1001])("finds the range of rows of %i columns", (cols) => {
    const random = new Random(seed + cols);
    for (const rows of [15, 16, 17, 64, Math.ceil(33_000 / cols) + 1]) {
      const centre = Float64Array.from({ length: cols }, () => random.int(-5, 5));
      const whole = matrixOf(random, rows, cols, () => random.int(-1000, 1000));
      expect(of(whole, centre)).toEqual(naive(whole, centre));
      expect(
        of(
          whole,
          centre.map((x) => x + 0.5),
        ).exact,
      ).toBe(false);
      expect(of(whole, undefined)).toEqual(rangeOf(whole, undefined));

      // One number alone decides, wherever it stands.
      const at = random.pick([0, whole.data.length - 1, random.int(0, whole.data.length)]);
      for (const x of [-5000, 5000, 2 ** 24 + 10, -(2 ** 30), 0.25, -1e-40, 1e38, -0, Infinity, -Infinity]) {
        const kept = whole.data[at];
        whole.data[at] = x;
        expect(of(whole, centre)).toEqual(naive(whole, centre));
        whole.data[at] = kept;
      }
      whole.data[at] = NaN;
      expect(of(whole, centre)).toEqual(rangeOf(whole, centre));
      expect(of(whole, centre).finite).toBe(false);
    }
  });

  it("finds the extremes of each column by its own centre", () => {
    const random = new Random(seed);
    const centre = Float64Array.of(1e6, 0, -1e6);
    let column = 0;
    const rows = matrixOf(random, 100, 3, () => Math.fround(centre[column++ % 3] + random.normal()));
    const { largest, exact } = of(rows, centre);
    expect(largest).toBe(naive(rows, centre).largest);
    expect(largest).toBeLessThan(10);
    expect(exact).toBe(false);
  });

  it("is what looks at float32 rows around a centre, and at no others", async () => {
    let calls = () => 0;
    const local: Workers["local"] = async (use) => {
      const wasm = await backend.workers.local<object>(use);
      const counted = counting(wasm.kernels, "lookAt");
      calls = counted.calls;
      return { ...wasm, kernels: counted.functions as never };
    };
    const counted = await rangeByWasm({ ...backend.workers, local });
    const rows = matrixOf(new Random(seed), 40_000, 2, () => 1);
    counted(rows, new Float64Array(2));
    expect(calls()).toBe(Math.ceil(80_000 / 16_384));
    counted(rows, undefined);
    expect(calls()).toBe(5);
  });

  it.each([
    ["serves a search of many values", false],
    ["may fail to start, which a search does not notice", true],
  ])("%s", async (_, fails) => {
    const random = new Random(seed);
    const [train, queries] = [
      matrixOf(random, 40_000, 27, () => 1000 + random.normal()),
      matrixOf(random, 3, 27, () => 1000 + random.normal()),
    ];
    const device = await Device.create({ backend: "cpu", threads: 1 });
    const workers = device.backend.workers as { local: Workers["local"] };
    const { local } = workers;
    let asked = 0;
    let looks = () => 0;
    workers.local = async (use) => {
      asked++;
      if (fails) throw new RangeError("no memory");
      const wasm = await local<object>(use);
      const { functions, calls } = counting(wasm.kernels, "lookAt");
      looks = calls;
      return { ...wasm, kernels: functions as never };
    };
    const found = await kneighbors(train, queries, { k: 3, device });
    expect([asked, looks() > 0]).toEqual([1, !fails]);
    expectSame(found, bruteForce(train, queries, { k: 3 }), 3);
    device.dispose();
  });

  it("leaves other rows and columns beyond its memory to the look without it", () => {
    const random = new Random(seed);
    const centre = new Float64Array(50_001);
    const wide = matrixOf(random, 17, 50_001, () => random.normal());
    expect(of(wide, centre)).toEqual(rangeOf(wide, centre));
    const doubles = { data: Float64Array.from(wide.data), rows: 17, cols: 50_001 };
    expect(of(doubles, centre)).toEqual(rangeOf(doubles, centre));
  });
});
