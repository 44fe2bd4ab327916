/**
 * Rows that a GPU is given from their file, of which the host keeps none: the answer is the same, also where
 * it cannot be so.
 */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kneighborsStream, openNpy, writeNpy } from "../../../../dist/node.js";
import type { Device, Matrix, Progress, StreamOptions } from "../../../../dist/node.js";
import { fileSource } from "../../../../dist/node/index.js";
import { bruteForce } from "../../../oracle/knn.ts";
import { Random, printedSeed } from "../../../oracle/random.ts";
import { expectSame, isAbsent, openDevice } from "../../helpers.ts";
import { npyFile, type Read } from "./npyFile.ts";

const random = new Random(printedSeed());
const cols = 16;
const rows = 9_000;
const k = 5;
const data = Float32Array.from({ length: rows * cols }, () => random.normal());
const train = { data, rows, cols };
const queries = { data: Float32Array.from({ length: 9 * cols }, () => random.normal()), rows: 9, cols };
const expected = bruteForce(train, queries, { k });
/** Bytes that a read for the sample has at most. */
const SAMPLED = 4096;
/** A quarter of the rows. */
const little = 200_000;
const plainly: Read = (_target, _begin, read) => Promise.resolve(read());

describe.skipIf(isAbsent("gpu"))("rows that are fetched from their file", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("gpu", { deviceMemory: 2 ** 26 });
  });
  afterAll(() => device.dispose());

  /**
   * With what was read once the file was open: each row so often for the device, and so often all in chunks.
   */
  async function search(matrix: Matrix, read: Read, options: StreamOptions = {}, asked: Matrix = queries) {
    let [bytes, passes] = [0, 0];
    const counting: Read = (target, begin, readIt) => {
      if (target.length > SAMPLED) bytes += target.length;
      return read(target, begin, readIt);
    };
    const file = await openNpy(await npyFile(matrix, counting, () => passes++));
    [bytes, passes] = [0, 0];
    // Otherwise the first job is a small one.
    for (const what of ["", "bytes"])
      (options.device ?? device).rates.set(`euclidean ${matrix.cols} ${what}`, 1e9);
    const tiles = { assumeFrom: 0, ...options.tiles };
    const [indices, distances]: number[][] = [[], []];
    for await (const chunk of kneighborsStream(file, asked, { k, device, ...options, tiles })) {
      indices.push(...chunk.indices);
      distances.push(...chunk.distances);
    }
    const found = { indices: Uint32Array.from(indices), distances: Float64Array.from(distances) };
    return { found, passes, times: bytes / (matrix.rows * matrix.cols * 4) };
  }

  it.each([
    ["that stay on the device", {}],
    ["that come by", { budget: little }],
  ])("are read once, %s", async (_, tiles) => {
    const { found, passes, times } = await search(train, plainly, { tiles });
    expectSame(found, expected, k);
    expect(passes).toBe(0);
    expect(times).toBeCloseTo(1, 2);
  });

  describe("and are bytes", () => {
    const any = () => Math.floor(256 * random.uniform());
    const bytes = (count: number, value: (at: number) => number = any, kind = Uint8Array) => ({
      ...{ data: kind.from({ length: count * cols }, (_, at) => value(at)), rows: count, cols },
    });
    const asked = bytes(9);
    const tiles = { bytes: true, budget: 900_000 };

    it("are read as they are, where they come by, once for the queries that a job takes", async () => {
      for (const [kind, most, readings] of [
        [Uint8Array, undefined, 1],
        [Int8Array as unknown as typeof Uint8Array, 5, 2],
      ] as const) {
        const [matrix, few] = [bytes(rows, any, kind), bytes(9, any, kind)];
        const seen: Progress[] = [];
        const onProgress = (progress: Progress) => seen.push(progress);
        const options = { tiles: { ...tiles, queries: most }, onProgress };
        const { found, passes, times } = await search(matrix, plainly, options, few);
        expectSame(found, bruteForce(matrix, few, { k }), k);
        expect(passes).toBe(0);
        expect(times, "a byte instead of four").toBeCloseTo(readings / 4, 2);
        const done = seen.map((progress) => progress.done);
        expect(done).toEqual([...new Set(done)].sort((a, b) => a - b));
        expect(done.at(-1)).toBe(rows);
      }
    });

    it("come in chunks where their order lets too many pass", async () => {
      const matrix = bytes(rows, (at) => (at % cols === 1 ? any() : 255 - Math.floor(at / (36 * cols))));
      const few = bytes(2, () => 3);
      const before = device.counters.uploadedBytes;
      const { found, passes, times } = await search(matrix, plainly, { tiles }, few);
      expectSame(found, bruteForce(matrix, few, { k }), k);
      expect(passes).toBe(1);
      expect(times, "once in vain").toBeCloseTo(1 / 4, 2);
      const uploaded = (device.counters.uploadedBytes - before) / matrix.data.length;
      expect(uploaded, "as bytes, then as float32").toBeCloseTo(5, 1);
    });

    it("come in chunks where the queries are no bytes of their type", async () => {
      const matrix = bytes(5000);
      const few = { data: Int8Array.from(asked.data.subarray(0, cols)), rows: 1, cols };
      const { found, passes } = await search(matrix, plainly, { tiles }, few);
      expectSame(found, bruteForce(matrix, few, { k }), k);
      expect(passes).toBe(1);
    });
  });

  it("lie on a disk", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nearfield-placed-"));
    try {
      const path = join(folder, "large.npy");
      for await (const piece of writeNpy(train)) appendFileSync(path, piece);
      const source = await fileSource(path);
      let passes = 0;
      const stream = () => (passes++, source.stream());
      const file = await openNpy({ ...source, stream });
      passes = 0;
      device.rates.set(`euclidean ${cols} `, 1e9);
      const tiles = { assumeFrom: 0, budget: little };
      for await (const found of kneighborsStream(file, queries, { k, device, tiles }))
        expectSame(found, expected, k);
      expect(passes).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("are found where they repeat, by the dozen and by the thousand", async () => {
    for (const repeated of [60, 4000]) {
      const copied = data.slice();
      for (let i = 0; i < repeated; i++) copied.copyWithin(((i * 7) % rows) * cols, 0, cols);
      const asked = { ...queries, data: queries.data.slice() };
      asked.data.set(copied.subarray(0, cols), 3 * cols);
      const matrix = { ...train, data: copied };
      for (const tiles of [{}, { budget: little }]) {
        const { found, passes } = await search(matrix, plainly, { tiles }, asked);
        expectSame(found, bruteForce(matrix, asked, { k }), k);
        // Lists that overflow are made anew, of up to a quarter of all rows.
        expect(passes, `${repeated} alike`).toBe(repeated === 60 ? 0 : 1);
      }
    }
  });

  it("are read once more for lists that overflow", async () => {
    const some = {
      ...{ rows: 70_000, cols: 4 },
      data: Float32Array.from({ length: 280_000 }, () => random.normal()),
    };
    for (let i = 1; i < 300; i++) some.data.copyWithin(400 * i, 0, 4);
    const asked = { data: some.data.slice(0, 8), rows: 2, cols: 4 };
    const { found, passes, times } = await search(some, plainly, { tiles: { budget: 3_450_000 } }, asked);
    expectSame(found, bruteForce(some, asked, { k }), k);
    expect([passes, Math.round(times)]).toEqual([0, 2]);
  });

  it("report progress in rows, which ends with all of them", async () => {
    const seen: Progress[] = [];
    const one = { ...queries, data: queries.data.slice(0, cols), rows: 1 };
    const onProgress = (progress: Progress) => seen.push(progress);
    await search(train, plainly, { tiles: { budget: little }, onProgress }, one);
    expect(new Set(seen.map(({ phase, total }) => `${phase} ${total}`))).toEqual(
      new Set([`search from query 0 ${rows}`]),
    );
    const done = seen.map((progress) => progress.done);
    expect(done).toEqual([...new Set(done)].sort((a, b) => a - b));
    expect(done.at(-1)).toBe(rows);
    expect(done.length, "not by queries").toBeGreaterThan(3);
  });

  describe("come in chunks", () => {
    const far = Float32Array.from(data, (x) => x + 1000);
    const cases: [string, Matrix, StreamOptions][] = [
      ["of that many rows", train, { trainRows: 2000 }],
      ["where columns are no multiple of four", { data: data.slice(0, 3000 * 15), rows: 3000, cols: 15 }, {}],
      ["where they are no float32", { ...train, data: Float64Array.from(data, Math.round) }, {}],
      ["where they are far from the origin", { ...train, data: far }, {}],
      ["where they repeat themselves", { ...train, data: data.map((_, at) => data[at % (40 * cols)]) }, {}],
      ["where the metric is none that a GPU evaluates", train, { metric: "manhattan" }],
      ["where columns have weights", train, { columnWeights: Array<number>(cols).fill(4) }],
      ["where they are few", train, { tiles: { assumeFrom: rows * cols + 1 } }],
      ["where they would go by twice", train, { tiles: { budget: little, queries: 8 } }],
      ["where lists are too long to keep keys", train, { tiles: { budget: little }, k: 700 }],
    ];
    it.each(cases)("%s", async (_, matrix, options) => {
      const asked = { ...queries, data: queries.data.slice(0, 9 * matrix.cols), cols: matrix.cols };
      const { found, passes } = await search(matrix, plainly, options, asked);
      expect(passes).toBe(1);
      const { metric, columnWeights, k: most = k } = options;
      const { indices, distances } = bruteForce(matrix, asked, { metric: metric as "manhattan", k: most });
      // A weight of four doubles them, to the bit.
      const scale = columnWeights ? 2 : 1;
      expectSame(found, { indices, distances: distances.map((each) => scale * each) }, most);
    });

    it("where some are larger than a sample says, and from then on", async () => {
      const large = data.with(7_001 * cols, 1e6);
      const matrix = { ...train, data: large };
      const { found, passes, times } = await search(matrix, plainly, {
        tiles: { budget: little },
        queryRows: 3,
      });
      expectSame(found, bruteForce(matrix, queries, { k }), k);
      expect(passes, "for each chunk of queries").toBe(3);
      expect(times, "once in vain").toBeCloseTo(1, 1);
    });

    it("where one is no number, which is named", async () => {
      const bad = { ...train, data: data.with(7_001 * cols + 3, NaN) };
      await expect(search(bad, plainly, { tiles: { budget: little } })).rejects.toThrow(
        "row 7001, column 3 is NaN",
      );
    });

    it("on a caller's device", async () => {
      const { device: gpuDevice } = device.backend as unknown as { device: GPUDevice };
      const theirs = await openDevice("gpu", { gpuDevice, deviceMemory: 2 ** 26 });
      const { found, passes } = await search(train, plainly, { device: theirs });
      expectSame(found, expected, k);
      expect(passes).toBe(1);
      theirs.dispose();
    });
  });

  it("end the search where they cannot be read, and leave the device as it was", async () => {
    const failing: Read = (target, begin, read) => {
      if (begin < 2 ** 19) return Promise.resolve(read());
      return target.length > SAMPLED
        ? Promise.reject(new Error("the disk is gone"))
        : Promise.resolve(read());
    };
    await expect(search(train, failing, { tiles: { budget: little } })).rejects.toThrow("the disk is gone");
    const short: Read = (target, _begin, read) => Promise.resolve(read() - (target.length > SAMPLED ? 4 : 0));
    await expect(search(train, short)).rejects.toThrow(
      /^large\.npy: byte \d+: the file ends here; it was truncated/,
    );
    expectSame((await search(train, plainly)).found, expected, k);
  });

  it("are let be by a search that is aborted", async () => {
    const stop = new AbortController();
    const aborting: Read = (target, _begin, read) => {
      if (target.length > SAMPLED) stop.abort(new Error("enough"));
      return Promise.resolve(read());
    };
    await expect(search(train, aborting, { signal: stop.signal })).rejects.toThrow("enough");
    expectSame((await search(train, plainly)).found, expected, k);
    const slow: Read = async (_target, _begin, read) => {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return read();
    };
    const began = performance.now();
    const signal = AbortSignal.timeout(50);
    await expect(search(train, slow, { signal }), "while the sample is read").rejects.toThrow("timeout");
    expect(performance.now() - began).toBeLessThan(4000);
  });

  it("are fetched anew by a device that was lost", async () => {
    const own = await openDevice("gpu", { deviceMemory: 2 ** 26 });
    let times = 0;
    const onProgress = ({ done }: Progress) => {
      if (done > rows / 3 && times++ === 0)
        (own.backend as unknown as { device: GPUDevice }).device.destroy();
    };
    const options = { device: own, tiles: { budget: little }, onProgress };
    expectSame((await search(train, plainly, options)).found, expected, k);
    expect([times > 0, own.counters.reopened]).toEqual([true, 1]);
    own.dispose();
  });
});
