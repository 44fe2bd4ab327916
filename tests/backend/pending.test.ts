/**
 * An abort of a search is heard while it waits for rows that never come, on either side; then the device is
 * as it was.
 */
import { afterEach, expect, it } from "vitest";
import { kneighborsStream, openNpy, streamOf } from "../../dist/node.js";
import type { ByteSource, Matrix, MatrixStream, StreamOptions } from "../../dist/node.js";
import { bruteForce } from "../oracle/knn.ts";
import { Random, printedSeed } from "../oracle/random.ts";
import { Pending, expectAbortHeard, stoppingSource, type Waits } from "../unit/io/pendingHelpers.ts";
import { expectSame, onEachBackend } from "./helpers.ts";

const random = new Random(printedSeed());
const cols = 4;
const k = 3;
const matrixOf = (rows: number): Matrix => ({
  data: Float32Array.from({ length: rows * cols }, () => random.uniform()),
  rows,
  cols,
});
const [train, queries] = [matrixOf(500), matrixOf(7)];
const expected = bruteForce(train, queries, { k });
const options = { k, trainRows: 100, queryRows: 3 };

/** Returns a stream as callers write them, of chunks that stop coming. */
const stopping = (pending: Pending<Matrix>): MatrixStream => ({
  name: "stopping",
  cols,
  rows: undefined,
  once: false,
  chunks: () => pending,
});

const chunk = { ...train, data: train.data.subarray(0, 100 * cols), rows: 100 };

/** The things that a search waits for, by what comes before. */
const cases: readonly [
  string,
  (given: number) => { pending: Waits & { returned?: number }; sides: Sides },
][] = [
  [
    "chunks of train",
    (given) => {
      const pending = new Pending(Array<Matrix>(given).fill(chunk));
      return { pending, sides: { train: stopping(pending), queries } };
    },
  ],
  [
    "chunks of queries",
    (given) => {
      const pending = new Pending(
        Array<Matrix>(given).fill({ ...queries, data: queries.data.subarray(0, 3 * cols), rows: 3 }),
      );
      return { pending, sides: { train, queries: stopping(pending) } };
    },
  ],
  [
    "matrices that become chunks",
    (given) => {
      const pending = new Pending(Array<Matrix>(given).fill(chunk));
      return { pending, sides: { train: streamOf({ name: "x", cols, chunks: () => pending }), queries } };
    },
  ],
];

interface Sides {
  readonly train: Matrix | MatrixStream;
  readonly queries: Matrix | MatrixStream;
}

async function search({ train, queries }: Sides, all: StreamOptions) {
  const [indices, distances]: number[][] = [[], []];
  for await (const found of kneighborsStream(train, queries, all)) {
    indices.push(...found.indices);
    distances.push(...found.distances);
  }
  return { indices: Uint32Array.from(indices), distances: Float64Array.from(distances) };
}

const unhandled: unknown[] = [];
process.on("unhandledRejection", (error) => unhandled.push(error));
afterEach(() => expect(unhandled).toEqual([]));

onEachBackend((device) => {
  for (const [what, make] of cases) {
    it.each([0, 1, 3])(`hears an abort while it waits for ${what}, after %i of them`, async (given) => {
      const { pending, sides } = make(given);
      await expectAbortHeard((signal) => search(sides, { ...options, device: device(), signal }), pending);
      expect(pending.returned).toBe(1);
      expectSame(await search({ train, queries }, { ...options, device: device() }), expected, k);
    });
  }

  it("hears an abort while a file that it reads stands still", async () => {
    const bytes = npy(train);
    for (const strip of [
      (source: ByteSource) => source,
      ({ readInto: _, ...source }: ByteSource) => source,
    ]) {
      const { state, source } = stoppingSource(bytes, "x.npy");
      const file = await openNpy(strip(source));
      state.stopped = true;
      for (const sides of [
        { train: file, queries },
        { train, queries: file },
      ])
        await expectAbortHeard((signal) => search(sides, { ...options, device: device(), signal }), state);
    }
    expectSame(await search({ train, queries }, { ...options, device: device() }), expected, k);
  });

  it("ends with the abort of a search under way, though the next chunk never comes", async () => {
    const controller = new AbortController();
    const pending = new Pending([chunk]);
    const onProgress = () => controller.abort(new Error("enough"));
    const all = { ...options, device: device(), signal: controller.signal, onProgress };
    await expect(search({ train: stopping(pending), queries }, all)).rejects.toThrow("enough");
    expectSame(await search({ train, queries }, { ...options, device: device() }), expected, k);
  });
});

/** Returns the file of a float32 matrix. */
function npy({ data, rows }: Matrix): Uint8Array {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${cols}), }`.padEnd(117) + "\n";
  const start = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0);
  const body = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(Buffer.concat([start, Buffer.from(header), body]));
}
