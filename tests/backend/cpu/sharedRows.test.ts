/**
 * Rows of train that workers prepare in shared memory: searches find what the oracle finds, and the bytes are
 * those that the caller's thread would have written.
 */
import { describe, expect, it, test } from "vitest";
import { Device, NearestNeighbors } from "../../../dist/node.js";
import { handlers } from "../../../dist/distance/rows/sharedRowsTask.js";
import { SharedRows } from "../../../dist/distance/rows/sharedRows.js";
import { PreparedRows } from "../../../dist/distance/rows/prepare.js";
import type { RowPreparation } from "../../../src/distance/rows/preparation.ts";
import { bruteForce, type ClassicMetric } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame } from "../helpers.ts";
import { spawn } from "./helpers.ts";
import { countedWasm } from "./inProcess.ts";
import { workersWith } from "./sharing.ts";

const seed = printedSeed();
const tuning = { fewestBytes: 1, taskRowBytes: 1000 };

function floats(rows: number, cols: number, random: Random, value = () => random.normal()) {
  return { data: Float32Array.from({ length: rows * cols }, value), rows, cols };
}

/** Makes a value when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const plain = { kind: "plain" } as const;
const preparations: Record<string, Pick<RowPreparation, "rows" | "centre" | "exponent">> = {
  plain: { rows: plain, centre: undefined, exponent: 0 },
  "centred and scaled": {
    rows: plain,
    centre: Float64Array.from({ length: 9 }, (_, j) => j / 3),
    exponent: -5,
  },
  "scaled down to the smallest numbers": { rows: plain, centre: undefined, exponent: -120 },
  "scaled by a power that is no float64": { rows: plain, centre: undefined, exponent: -1100 },
  "of length 1": {
    rows: { kind: "unit", centred: true, zero: "last", guarded: true },
    centre: undefined,
    exponent: 0,
  },
  weighted: {
    rows: { kind: "weighted", factors: Float64Array.from({ length: 9 }, (_, j) => 1 / (j + 1)) },
    centre: undefined,
    exponent: 3,
  },
};

function howOf(some: Pick<RowPreparation, "rows" | "centre" | "exponent">): RowPreparation {
  const bound = {
    slack: 0,
    productFactor: 3e-6,
    marginFactor: 2e-6,
    sizeFactor: 0,
    marginConstant: 1e-30,
  };
  return { core: "dot", base: "squaredNorm", factsExponent: some.exponent, p: 2, bound, on: "host", ...some };
}

describe("rows prepared by workers", () => {
  // A task has few rows, or more than it copies at a time.
  const cases = Object.entries(preparations).flatMap(([name, some]) =>
    [1000, 200_000].map((taskRowBytes) => ({ name, some, taskRowBytes })),
  );
  it.each(cases)("$name have the same bits, $taskRowBytes bytes a task", async ({ some, taskRowBytes }) => {
    const random = new Random(seed);
    const backend = await workersWith({ threads: 3, tuning: { ...tuning, taskRowBytes } });
    const someCols = some.centre || some.rows.kind === "weighted" ? [9] : [1, 2, 7, 8, 9, 203];
    for (const [cols, core] of someCols.flatMap((each) => [[each, "dot"] as const, [each, "l1"] as const])) {
      const matrix = floats(203, cols, random, () => random.normal() * 2 ** Math.floor(random.uniform() * 9));
      matrix.data.fill(0, 5 * cols, 6 * cols);
      matrix.data.fill(-0, 6 * cols, 7 * cols);
      for (let j = 0; j < cols; j++) matrix.data[7 * cols + j] = random.normal() * 2 ** -random.int(0, 149);
      const how = { ...howOf(some), core };
      const [shared, plainly] = [new SharedRows(matrix, how), new PreparedRows(matrix, how)];
      const rows = { begin: 2, end: 201 };
      const bytes = 199 * shared.rowBytes("values");
      const target = { buffer: new SharedArrayBuffer(bytes + 64), offset: 32, bytes };
      const filling = shared.fillShared(
        "values",
        rows,
        target,
        backend.workers,
        new AbortController().signal,
      );
      expect(filling).toBeDefined();
      await filling;
      const expected = new Uint8Array(bytes);
      plainly.fill("values", rows, expected);
      expect(new Uint8Array(target.buffer, 32, bytes).slice()).toEqual(expected);
      expect(new Uint8Array(target.buffer, 0, 32).every((each) => each === 0)).toBe(true);
      for (const part of [rows, { begin: 0, end: 203 }, { begin: 200, end: 203 }, { begin: 7, end: 190 }]) {
        const metas = new Uint8Array(16 * (part.end - part.begin));
        const wanted = metas.slice();
        shared.fill("meta", part, metas);
        plainly.fill("meta", part, wanted);
        expect(metas).toEqual(wanted);
      }
    }
  });

  test("are prepared by WASM, a block at a time", async () => {
    const { wasm, calls } = await countedWasm("prepareRows");
    const [rows, cols] = [700, 203];
    const matrix = floats(rows, cols, new Random(seed));
    const buffer = new SharedArrayBuffer(rows * 204 * 4);
    const how = { ...howOf(preparations["centred and scaled"]), centre: new Float64Array(cols) };
    const values = { buffer, offset: 0, bytes: buffer.byteLength };
    handlers[0].answer({ how, cols, rows, raw: matrix.data, values }, wasm);
    expect(calls()).toBe(Math.ceil(rows / Math.floor(2 ** 16 / (204 * 4))));
    handlers[0].answer({ how: { ...how, core: "l1" }, cols, rows, raw: matrix.data, values }, wasm);
    expect(calls()).toBe(9);
  });

  test.each([1, 6, 8, 203])(
    "have squares that add up in the order of prepare.ts, %i columns",
    async (cols) => {
      const { wasm } = await countedWasm("prepareRows");
      const { memory, kernels } = wasm;
      const [rows, stride] = [300, 4 * Math.ceil(cols / 4)];
      const { data } = floats(rows, cols, new Random(seed + cols));
      memory.reset();
      const [centre, squares, prepared, raw] = [
        stride * 8,
        rows * 8,
        rows * stride * 4,
        data.length * 4 + 16,
      ].map((bytes) => memory.take(bytes));
      memory.f32(raw, data.length).set(data);
      new Float64Array(memory.memory.buffer, centre, stride).fill(0);
      const { prepareRows } = kernels as unknown as Record<string, (...values: number[]) => void>;
      prepareRows(raw, rows, cols, centre, 1, prepared, squares);
      const expected = Float64Array.from({ length: rows }, (_, row) => {
        const sums = [0, 0, 0, 0];
        for (let j = 0; j < cols; j++) sums[j % 4] += data[row * cols + j] ** 2;
        return sums[0] + sums[2] + (sums[1] + sums[3]);
      });
      expect(new Float64Array(memory.memory.buffer, squares, rows)).toEqual(expected);
    },
  );

  test("are prepared once where a worker dies at them", async () => {
    let kills = 2;
    const backend = await workersWith({
      threads: 2,
      tuning,
      spawn: () => {
        const worker = spawn();
        const asked = new Set<number>();
        const post: typeof worker.post = (message, transfer) => {
          const { id, kind } = message as { id: number; kind: string };
          if (kind === "distance.rows") asked.add(id);
          worker.post(message, transfer);
        };
        // It dies with its work done, before it could tell so.
        const onMessage: typeof worker.onMessage = (listener) =>
          worker.onMessage((reply) => {
            if (asked.has((reply as { id: number }).id) && kills-- > 0) void worker.terminate();
            else listener(reply);
          });
        return { ...worker, post, onMessage };
      },
    });
    const matrix = floats(300, 4, new Random(seed));
    const how = howOf({ rows: plain, centre: undefined, exponent: 1 });
    const bytes = 300 * 16;
    const target = { buffer: new SharedArrayBuffer(bytes), offset: 0, bytes };
    const { signal } = new AbortController();
    await new SharedRows(matrix, how).fillShared(
      "values",
      { begin: 0, end: 300 },
      target,
      backend.workers,
      signal,
    );
    expect(kills).toBeLessThanOrEqual(0);
    expect([...new Float32Array(target.buffer)]).toEqual(Array.from(matrix.data, (x) => 2 * x));
  });

  const drawn = once(() => {
    const random = new Random(seed);
    const value = () => Math.floor(random.uniform() * 4) + 1000;
    return { train: floats(140_000, 61, random, value), queries: floats(2, 61, random, value) };
  });
  const answers = once(() => {
    const { train, queries } = drawn();
    const metrics: readonly ClassicMetric[] = ["euclidean", "manhattan"];
    return metrics.map((metric) => ({ metric, expected: bruteForce(train, queries, { metric, k: 9 }) }));
  });

  test.each([1, 2, 5])("are searched by %i threads as the oracle searches", async (threads) => {
    const { train, queries } = drawn();
    const { metric, expected } = answers()[threads % 2];
    const device = await Device.create({ backend: "cpu", threads });
    const model = await new NearestNeighbors({ device, metric, nNeighbors: 9 }).fit(train);
    for (let again = 0; again < 2; again++) expectSame(await model.kneighbors(queries), expected, 9);
    device.dispose();
  });
});
