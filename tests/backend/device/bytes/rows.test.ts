/**
 * Whole searches of rows that are bytes on both sides, which stay bytes on the device, against the naive
 * oracle of whole numbers: no neighbour may differ, and nothing is widened, evaluated or uploaded twice.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kneighbors, NearestNeighbors, type Device, type KnnOptions } from "../../../../dist/node.js";
import type { GpuBackend } from "../../../../dist/runtime/gpu/backend.js";
import { assumeTraits } from "../../../../dist/runtime/gpu/traits.js";
import { printedSeed, Random } from "../../../oracle/random.ts";
import { hasSubgroups, oneIn, openBeside } from "../../helpers.ts";
import { hasGpu } from "../gpu.ts";

const random = new Random(printedSeed());

type Bytes = Uint8Array | Int8Array | Uint8ClampedArray;
interface Rows {
  readonly data: Bytes;
  readonly rows: number;
  readonly cols: number;
}
type Kind = new (length: number) => Bytes;

function rowsOf(
  kind: Kind,
  rows: number,
  cols: number,
  entry: (row: number, column: number) => number,
): Rows {
  const data = new kind(rows * cols);
  for (let at = 0; at < data.length; at++) data[at] = entry(Math.floor(at / cols), at % cols);
  return { data, rows, cols };
}

/** The nearest rows and their distances, ties by row. */
function naive(train: Rows, queries: Rows, k: number) {
  const { cols } = train;
  const indices: number[] = [];
  const distances: number[] = [];
  for (let query = 0; query < queries.rows; query++) {
    const asked = queries.data.slice(query * cols, (query + 1) * cols);
    const sums = new Float64Array(train.rows);
    for (let row = 0, at = 0; row < train.rows; row++)
      for (let j = 0; j < cols; j++, at++) sums[row] += (train.data[at] - asked[j]) ** 2;
    const limit = sums.toSorted()[k - 1];
    const order: number[] = [];
    sums.forEach((sum, row) => sum <= limit && order.push(row));
    order.sort((a, b) => sums[a] - sums[b] || a - b);
    indices.push(...order.slice(0, k));
    distances.push(...order.slice(0, k).map((row) => Math.sqrt(sums[row])));
  }
  return { indices, distances };
}

const any = () => Math.floor(256 * random.uniform());

describe.skipIf(!hasGpu)("k-NN of rows that are bytes", () => {
  let device: Device;
  beforeAll(async () => void (device = await openBeside("gpu")));
  afterAll(() => device.dispose());

  async function search(train: Rows, queries: Rows, k: number, options: KnnOptions = {}) {
    const tiles = { bytes: true, ...options.tiles };
    const found = await kneighbors(train, queries, { k, device, ...options, tiles });
    const wanted = naive(train, queries, k);
    expect([...found.indices]).toEqual(wanted.indices);
    expect([...found.distances]).toEqual(wanted.distances);
    return found.explanation;
  }

  /** Rows in no order: of those that come nearer and nearer to a query more pass than there is room for. */
  const digitsOf = (at: number, column: number) => (column > 1 ? -128 : column ? at % 200 : at / 200);
  const digits = (row: number, column: number) => digitsOf((1201 * row) % 4700, column);
  const apart = (row: number, column: number) => (column > 1 ? 255 * (row % 3) : digits(row, column));

  it.each([
    ["Uint8Array", Uint8Array, 20, 7, any],
    ["Int8Array", Int8Array, 33, 5, any],
    ["Uint8ClampedArray", Uint8ClampedArray, 64, 1, any],
    ["as far apart as they can be", Uint8ClampedArray, 256, 3, apart],
    ["ties by the thousand", Uint8Array, 20, 700, () => any() % 2],
    ["alike but for two columns", Int8Array, 21, 9, digits],
  ] as const)("finds the same rows: %s", async (_, kind, cols, k, entry) => {
    const [train, queries] = [rowsOf(kind, 4700, cols, entry), rowsOf(kind, 9, cols, any)];
    // With subgroups four lanes compare four pairs together.
    for (const subgroups of hasSubgroups ? [true, false] : [false]) {
      assumeTraits((device.backend as GpuBackend).device, { forwardProgress: false, subgroups });
      const { technique, refinedPairs, exhaustiveQueries } = await search(train, queries, k);
      expect(technique).toContain("of whole bytes");
      expect([refinedPairs, exhaustiveQueries]).toEqual([0, 0]);
    }
  });

  it.each([257, 784, 4096])("counts in whole numbers beyond those of float32: %i columns", async (cols) => {
    // They differ by one, of up to 263 million, and tie by the hundred.
    const train = rowsOf(Uint8Array, 4200, cols, (_, column) => 254 + (column < 20 ? any() % 2 : 0));
    const queries = rowsOf(Uint8Array, 3, cols, (_, column) => (column < 20 ? 254 : 0));
    expect((await search(train, queries, 600)).technique).toContain("of whole bytes");
  });

  it.each([
    ["one tile", {}],
    ["tiles before the first window ends", { references: 192 }],
  ])("finds each of the rows around the borders of windows: %s", async (_, tiles) => {
    const train = rowsOf(Uint8Array, 4700, 20, any);
    const borders = Array.from({ length: 74 }, (_, at) => 64 * at).filter((row) => row < 4700);
    const all = [...borders.flatMap((row) => [row, row + 1, row + 63]).filter((row) => row < 4700), 4699];
    // In tiles a GPU in software takes a second for twenty queries.
    const rows = oneIn("references" in tiles ? 4 : 1, all, random.int(0, 4));
    const queries = rowsOf(Uint8Array, rows.length, 20, (at, column) => train.data[20 * rows[at] + column]);
    expect((await search(train, queries, 2, { tiles })).technique).toContain("of whole bytes");
  });

  it("puts more neighbours in order than a workgroup sorts at a time", async () => {
    const [train, queries] = [rowsOf(Uint8Array, 7000, 20, any), rowsOf(Uint8Array, 2, 20, any)];
    expect((await search(train, queries, 1100)).technique).toContain("of whole bytes");
  });

  it.each([
    ["resident", { budget: 2 ** 24 }, /resident in one buffer/],
    ["in several buffers and tiles", { chunk: 5000, references: 1500, queries: 4 }, /resident in 3 buffers/],
    ["streamed", { budget: 2_200_000 }, /streamed in [3-9] chunks/],
  ])("uploads bytes, and holds no more: %s", async (_, tiles, references) => {
    const [train, queries] = [rowsOf(Uint8Array, 12_000, 64, any), rowsOf(Uint8Array, 6, 64, any)];
    const before = device.counters.uploadedBytes;
    const explanation = await search(train, queries, 4, { tiles });
    expect(explanation.references).toMatch(references);
    expect(explanation.technique).toContain("of whole bytes");
    const uploaded = device.counters.uploadedBytes - before;
    expect(uploaded).toBeGreaterThanOrEqual(64 * 12_006);
    expect(uploaded).toBeLessThan(64 * 12_006 * 1.1);
  });

  it("counts bytes in its budget", async () => {
    const own = await openBeside("gpu", { deviceMemory: 4_000_000 });
    const [train, queries] = [rowsOf(Uint8Array, 9000, 128, any), rowsOf(Uint8Array, 3, 128, any)];
    const { explanation } = await kneighbors(train, queries, { k: 2, device: own, tiles: { bytes: true } });
    expect(explanation.technique).toContain("of whole bytes");
    expect(explanation.peakDeviceBytes).toBeLessThanOrEqual(4_000_000);
    await kneighbors(train, queries, { k: 2, device: own, tiles: { bytes: true } });
    expect([...own.rates.keys()], "float32 has another rate").toEqual(["euclidean 128 bytes"]);
    own.dispose();
  });

  it("takes float32 rows where the order of rows lets too many pass, also the next time", async () => {
    const nearer = (row: number, column: number) => (column === 1 ? row % 256 : 255 - Math.floor(row / 48));
    const [train, queries] = [rowsOf(Uint8Array, 12_000, 20, nearer), rowsOf(Uint8Array, 5, 20, () => 3)];
    const options = { nNeighbors: 4, device, tiles: { bytes: true, queries: 2 } };
    const model = await new NearestNeighbors(options).fit(train);
    const wanted = naive(train, queries, 4);
    // At a rate that a busy machine may show, tiles would be so small that all pairs fit.
    for (const what of ["", "bytes"]) device.rates.set(`euclidean ${train.cols} ${what}`, 1e9);
    for (let turn = 0; turn < 2; turn++) {
      const before = device.counters.uploadedBytes;
      const { indices, distances, explanation } = await model.kneighbors(queries);
      expect([...indices]).toEqual(wanted.indices);
      expect([...distances]).toEqual(wanted.distances);
      if (turn > 0) expect(device.counters.uploadedBytes - before).toBeLessThan(12_000);
      expect(explanation.technique).not.toContain("of whole bytes");
    }
    model.dispose();
  });

  it("answers each of several queries in turn", async () => {
    const [train, queries] = [rowsOf(Uint8Array, 4700, 20, any), rowsOf(Uint8Array, 2, 20, any)];
    const model = await new NearestNeighbors({ nNeighbors: 3, device, tiles: { bytes: true } }).fit(train);
    for (let at = 0; at < 2; at++) {
      const query = { ...queries, data: queries.data.slice(20 * at, 20 * at + 20), rows: 1 };
      const { indices, explanation } = await model.kneighbors(query);
      expect([...indices]).toEqual(naive(train, query, 3).indices);
      expect(explanation.technique).toContain("of whole bytes");
    }
    model.dispose();
  });

  it("compares bytes with other numbers in float32", async () => {
    const train = rowsOf(Uint8Array, 4700, 20, any);
    const queries = rowsOf(Int8Array, 3, 20, any);
    expect((await search(train, queries, 2)).technique).not.toContain("of whole bytes");
  });
});
