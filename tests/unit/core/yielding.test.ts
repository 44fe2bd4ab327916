/** Work in pieces: how large they are, and that other events come between them. */
import { afterEach, describe, expect, it, vi } from "vitest";
import * as rare from "../../../src/distance/measures/rare/index.ts";
import { groupRows } from "../../../src/distance/rows/distinct.ts";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { checkMatrix, makeMatrix, slicesOf, toMatrix, type Matrix } from "../../../src/core/matrix.ts";
import { fitMetric } from "../../../src/distance/metric.ts";
import { mixedRangeOf } from "../../../src/distance/rows/mixed.ts";
import {
  rowsBetweenLooks,
  PIECE,
  atOnce,
  runYielding,
  type Yielding,
} from "../../../src/core/async/yielding.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { findRange, rangeOf } from "../../../src/distance/rows/range.ts";

const seed = printedSeed();

afterEach(() => void vi.restoreAllMocks());

/** Takes so long for each piece that other events are due. */
function* slowly(pieces: number, done: { pieces: number }): Yielding<string> {
  let clock = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  for (; done.pieces < pieces; done.pieces++) {
    clock += 100;
    yield;
  }
  return "done";
}

describe("work", () => {
  it("lets other events in between its pieces", async () => {
    const done = { pieces: 0 };
    const seen: number[] = [];
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      seen.push(done.pieces);
      port2.postMessage(undefined);
    };
    port2.postMessage(undefined);
    expect(await runYielding(slowly(20, done))).toBe("done");
    port1.close();
    expect(seen.filter((pieces) => pieces < 20).length).toBeGreaterThanOrEqual(10);
  });

  it("stops with the signal's reason when one of those events aborts it", async () => {
    const done = { pieces: 0 };
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("enough")), 0);
    await expect(runYielding(slowly(1_000_000, done), stop.signal)).rejects.toThrow("enough");
    expect(done.pieces).toBeLessThan(1_000_000);
  });

  it("does not pause as long as no time has passed", async () => {
    let events = 0;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => events++;
    port2.postMessage(undefined);
    vi.spyOn(performance, "now").mockReturnValue(7);
    await runYielding(
      (function* () {
        for (let piece = 0; piece < 1000; piece++) yield;
      })(),
    );
    port1.close();
    expect(events).toBe(0);
  });
});

describe("a look at a matrix", () => {
  const random = new Random(seed);
  const cols = 5;
  const rows = Math.ceil((10 * PIECE) / cols);
  const data = Float64Array.from({ length: rows * cols }, () => random.int(-9, 10) / 4);
  const matrix: Matrix = { data, rows, cols };
  const pausesOf = (work: Yielding<unknown>) => {
    let pauses = 0;
    while (!work.next().done) pauses++;
    return pauses;
  };

  it("may pause after some thousand numbers, whatever it looks for", () => {
    const nested = Array.from({ length: rows }, (_, i) => data.subarray(i * cols, (i + 1) * cols));
    const positive = { ...matrix, data: data.map((value) => Math.abs(value) + 1) };
    const globe = { data: data.map((value) => value / 10), rows: data.length / 2, cols: 2 };
    const works = {
      check: checkMatrix(matrix, "train"),
      range: findRange(matrix, undefined),
      groups: groupRows(matrix),
      covariance: fitMetric({ metric: "rapidminer:MahalanobisDistance" }, matrix, rare),
      divergence: fitMetric({ metric: "rapidminer:GeneralizedIDivergence" }, positive, rare),
      globe: fitMetric({ metric: "haversine" }, globe, rare),
      nested: makeMatrix(nested, "train"),
    };
    for (const [what, work] of Object.entries(works))
      expect(pausesOf(work), what).toBeGreaterThanOrEqual(what === "nested" ? 20 : 10);
  });

  it("goes over slices that are all of its rows, each once", () => {
    for (const width of [1, 3, PIECE - 1, PIECE, PIECE + 1]) {
      const height = Math.floor(data.length / width);
      const whole = { data: data.subarray(0, height * width), rows: height, cols: width, firstRow: 4 };
      let next = 0;
      for (const slice of slicesOf(whole)) {
        expect(slice.firstRow).toBe(4 + next);
        expect(slice.data).toHaveLength(slice.rows * width);
        expect(slice.data.byteOffset).toBe(data.byteOffset + next * width * 8);
        expect(slice.data.length <= PIECE || slice.rows === 1).toBe(true);
        next += slice.rows;
      }
      expect(next).toBe(height);
    }
  });

  it("finds the range that a look in one piece finds", () => {
    const last = data.length - 1;
    const centres = [undefined, Float64Array.of(1, 2, 3, 4, 5), new Float64Array(cols).fill(0.5)];
    const inputs: [string, (all: Float64Array) => Matrix["data"]][] = [
      ["as they are", (all) => all],
      ["whole but for the last", (all) => all.map((value, at) => (at === last ? 0.5 : Math.round(value)))],
      ["whole", (all) => Int32Array.from(all)],
      ["whole, the first large", (all) => all.map((value, at) => (at === 0 ? 2 ** 24 : Math.round(value)))],
      ["float32", (all) => Float32Array.from(all)],
      ["the largest last", (all) => all.with(last, -1e9)],
    ];
    for (const [name, of] of inputs) {
      for (const centre of centres) {
        const input = { ...matrix, data: of(data) };
        expect(atOnce(findRange(input, centre)), name).toMatchObject(rangeOf(input, centre));
      }
    }
    const gaps = data.map((value, at) =>
      at % cols === 1 ? Math.abs(value * 4) : at % 7 === 0 ? NaN : value,
    );
    gaps.fill(NaN, gaps.length - 3);
    const kinds = ["numeric", "nominal", "numeric", "numeric", "numeric"] as const;
    const mixed: Matrix = { ...matrix, data: gaps, kinds };
    expect(atOnce(findRange(mixed, undefined, mixedRangeOf))).toEqual(mixedRangeOf(mixed, undefined));
  });

  it("names the row of the whole matrix, or of what it is a chunk of", () => {
    const bad = data.with((rows - 2) * cols + 3, NaN);
    const error = (input: Matrix) => () => toMatrix(input, "train");
    expect(error({ ...matrix, data: bad })).toThrow(InvalidInputError);
    expect(error({ ...matrix, data: bad })).toThrow(`train row ${rows - 2}, column 3 is NaN`);
    expect(error({ ...matrix, data: bad, firstRow: 1000 })).toThrow(
      `train row ${rows + 998}, column 3 is NaN`,
    );
  });
});

describe("rows between two looks at the clock", () => {
  it("are as many fewer as the square of the columns is more, down to one", () => {
    expect([1, 64, 128, 512, 2048, 100_000].map(rowsBetweenLooks)).toEqual([1024, 1024, 256, 16, 1, 1]);
  });
});
