/**
 * The tree and the search of points that CPU workers do whole (ops/knn/points/), against a float64 brute
 * force: float32 points and float64 ones, in shared memory and in copies, in parts so small that several
 * workers build the tree and every search takes many tasks.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KnnIndex } from "../../../dist/ops/knn/knnIndex.js";
import { buildHandlers } from "../../../dist/ops/knn/points/build.js";
import { pointTree, pointTreeBytes, type PointTree } from "../../../dist/ops/knn/points/contract.js";
import { importsOf, kernelsOf } from "../../../dist/runtime/cpu/instance.js";
import { WorkerMemory } from "../../../dist/runtime/cpu/memory.js";
import { wasmBytes } from "../../../dist/runtime/cpu/module.js";
import type { CpuBackend } from "../../../dist/runtime/cpu/backend.js";
import { Device, kneighbors } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { clouds, inputOf, type Rows } from "../clouds.ts";
import { expectSame } from "../helpers.ts";
import { open } from "./helpers.ts";

const seed = printedSeed();
const tiny = { taskPoints: 20, taskQueries: 5, taskBytes: 1000 };
const tiles = { tree: true };
/** The reason that only searches give which workers do whole. */
const workers = /a tree of few columns leaves little/;

/** The device of a backend that was opened with what no user can ask for. */
const OpenedDevice = Device as unknown as new (options: object, opened: { backend: CpuBackend }) => Device;

const asSingle = ({ data, ...shape }: Rows): Rows => ({ data: Float32Array.from(data), ...shape });

describe.each([true, false])("nearest points, in shared memory: %s", (shared) => {
  let device: Device;
  beforeAll(async () => {
    device = new OpenedDevice({}, { backend: await open({ shared, threads: 3, tuning: tiny }) });
  });
  afterAll(() => device.dispose());

  it.each(Object.keys(clouds))("are those of brute force, of points that are %s", async (name) => {
    for (const cols of [1, 2, 3]) {
      const random = new Random(seed + cols);
      const { train, queries } = inputOf(name, random.int(200, 700), cols, random, true);
      const metric = random.pick(["euclidean", "sqeuclidean"] as const);
      for (const k of [1, random.int(2, 40)]) {
        for (const sought of [queries, asSingle(queries)]) {
          const found = await kneighbors(train, sought, { k, metric, tiles, device });
          expectSame(found, bruteForce(train, sought, { k, metric }), k);
        }
      }
    }
  });

  it.each([1, 2, 15, 16, 17, 33, 47, 48, 49, 64, 65, 130, 257])("of %i points, all of them", async (rows) => {
    const { train, queries } = inputOf("on the corners of a grid", rows, 3, new Random(seed + rows), true);
    const sought = asSingle(queries);
    const found = await kneighbors(train, sought, { k: rows, tiles, device });
    expectSame(found, bruteForce(train, sought, { k: rows }), rows);
    expect(found.explanation.why).toMatch(workers);
  });

  it("are those of brute force where float32 cannot tell them apart", async () => {
    const random = new Random(seed + 9);
    // Two clusters far from the centre, each three steps of float32 wide.
    const clustered = (rows: number): Rows => ({
      rows,
      cols: 3,
      data: Float64Array.from({ length: 3 * rows }, (_, at) => {
        const side = Math.floor(at / 3) % 2 === 0 ? 0.51 : -0.51;
        return side + 3 * 2 ** -24 * random.uniform();
      }),
    });
    const [train, queries] = [clustered(700), clustered(80)];
    for (const k of [1, 4]) {
      const found = await kneighbors(train, queries, { k, tiles, device });
      expect(found.explanation.why).toMatch(workers);
      expectSame(found, bruteForce(train, queries, { k }), k);
    }
  });

  it("are found by search after search, whatever was searched in between", async () => {
    const random = new Random(seed + 6);
    const inputs = ["uniform", "far from the origin", "one point far out"].map((name, i) =>
      inputOf(name, 300, 3, random, i === 0),
    );
    const indexes = await Promise.all(inputs.map(({ train }) => KnnIndex.create(device, train, { tiles })));
    for (const k of [3, 1, 60]) {
      for (const [i, { train, queries }] of inputs.entries()) {
        expectSame(await indexes[i].search(queries, k), bruteForce(train, queries, { k }), k);
      }
    }
    for (const index of indexes) index.dispose();
  });

  it("are found in jobs of few queries, and without a tree where there is no room for one", async () => {
    const { train, queries } = inputOf("uniform", 400, 3, new Random(seed + 7), true);
    const few = await kneighbors(train, queries, { k: 3, tiles: { tree: true, queries: 6 }, device });
    expect(few.explanation.jobs).toBe(Math.ceil(41 / 6));
    const tight = await kneighbors(train, queries, { k: 3, tiles: { tree: true, budget: 40_000 }, device });
    expect(tight.explanation.why).not.toMatch(workers);
    for (const found of [few, tight]) expectSame(found, bruteForce(train, queries, { k: 3 }), 3);
  });

  it("are left to other searches where columns weigh, cells are missing, or bytes are not enough", async () => {
    const { train, queries } = inputOf("uniform", 100, 2, new Random(seed + 8));
    for (const options of [{ columnWeights: [1, 2] }, { precision: "float32" as const }]) {
      const { explanation } = await kneighbors(train, queries, { k: 1, ...options, tiles, device });
      expect(explanation.why).not.toMatch(workers);
    }
    const gaps: Rows = { ...train, data: train.data.map((value, at) => (at === 5 ? NaN : value)) };
    const { indices } = await kneighbors(gaps, queries, { k: 100, missing: "skip", tiles, device });
    expect(new Set(indices.subarray(0, 100)).size).toBe(100);
  });
});

describe("the nearest point of queries that lie together", () => {
  let device: Device;
  beforeAll(async () => {
    device = new OpenedDevice({}, { backend: await open({ threads: 2 }) });
  });
  afterAll(() => device.dispose());

  // Every leaf of a sphere is as near to its centre as any: lists take 128 leaves, and 3,000 points have 192.
  it.each([1500, 3000])("is that of brute force, of %i points around them", async (rows) => {
    const random = new Random(seed + rows);
    const data = new Float64Array(3 * rows);
    for (let at = 0; at < data.length; at += 3) {
      const point = [random.normal(), random.normal(), random.normal()];
      data.set(
        point.map((value) => value / Math.hypot(...point)),
        at,
      );
    }
    const near = (by: number) => Float64Array.from({ length: 3 * 70 }, () => by * random.normal());
    const sought: Rows = { data: Float64Array.of(...near(1e-3), ...near(1)), rows: 140, cols: 3 };
    for (const [train, queries] of [
      [{ data, rows, cols: 3 }, sought],
      [asSingle({ data, rows, cols: 3 }), asSingle(sought)],
    ]) {
      const found = await kneighbors(train, queries, { k: 1, tiles, device });
      expect(found.explanation.why).toMatch(workers);
      expectSame(found, bruteForce(train, queries, { k: 1 }), 1);
    }
  });
});

describe("the tree of points", () => {
  it.each([1, 16, 17, 40, 100, 1000, 1025])(
    "has %i points once each, in the boxes above them",
    async (rows) => {
      for (const wide of [true, false]) {
        const random = new Random(seed + rows);
        const tree = pointTree(rows, 3, wide, [0.5, 0.25, 0]);
        const values = wide ? new Float64Array(3 * rows) : new Float32Array(3 * rows);
        for (let at = 0; at < values.length; at++)
          values[at] = random.pick([random.uniform(), random.int(0, 3), 1e6]);
        checkTree(tree, values, await built(tree, values));
      }
    },
  );
});

/** Builds a tree in one task, here. */
async function built(tree: PointTree, values: Float32Array | Float64Array) {
  const memory = new WorkerMemory(2 ** 26);
  const module = await WebAssembly.compile(await wasmBytes("baseline"));
  const kernels = kernelsOf(new WebAssembly.Instance(module, importsOf(memory)), memory);
  const slice = (buffer: ArrayBufferLike) => ({ buffer, offset: 0, bytes: buffer.byteLength });
  const bytes = pointTreeBytes(tree);
  const [points, boxes] = [new ArrayBuffer(bytes.points), new ArrayBuffer(bytes.boxes)];
  const exact = bytes.exact === undefined ? undefined : new ArrayBuffer(bytes.exact);
  const request = {
    tree,
    node: { group: 0, first: 0, count: tree.leaves },
    values: slice(values.buffer),
    records: slice(new ArrayBuffer(16 * tree.rows)),
    boxes: tree.groups === 0 ? [] : [{ first: 0, slice: slice(boxes) }],
    points: slice(points),
    exact: exact && slice(exact),
  };
  buildHandlers[0].answer(request, { kernels, memory });
  return { points, boxes: new Float32Array(boxes), exact: exact && new Float64Array(exact) };
}

function checkTree(
  tree: PointTree,
  values: Float32Array | Float64Array,
  { points, boxes, exact }: Awaited<ReturnType<typeof built>>,
): void {
  const [words, floats] = [new Uint32Array(points), new Float32Array(points)];
  const seen = new Set<number>();
  const { places } = tree;
  for (let leaf = 0; leaf < tree.leaves; leaf++) {
    const count =
      Math.floor(((leaf + 1) * tree.rows) / tree.leaves) - Math.floor((leaf * tree.rows) / tree.leaves);
    for (let place = 0; place < places; place++) {
      const at = leaf * 4 * places + place;
      const row = words[at + 3 * places];
      expect(row === 0xffffffff).toBe(place >= count);
      if (place >= count) continue;
      seen.add(row);
      for (let j = 0; j < 3; j++) {
        const given = values[3 * row + j];
        expect(floats[at + j * places]).toBe(Math.fround(tree.wide ? given - tree.centre[j] : given));
        if (exact) expect(exact[leaf * (1 + 3 * places) + 1 + 3 * place + j]).toBe(given);
        for (let node = tree.groups + leaf; node > 0; node = Math.floor((node - 1) / 4)) {
          const box = Math.floor((node - 1) / 4) * 24 + ((node - 1) % 4);
          const moved = tree.wide ? given - tree.centre[j] : given;
          expect(boxes[box + 4 * j]).toBeLessThanOrEqual(moved);
          expect(boxes[box + 12 + 4 * j]).toBeGreaterThanOrEqual(moved);
        }
      }
    }
  }
  expect(seen.size).toBe(tree.rows);
}
