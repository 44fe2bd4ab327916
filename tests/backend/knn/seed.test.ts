/** `knn.seed` on both backends, and searches that begin with what earlier ones found, against float64. */
import { describe, expect, it } from "vitest";
import { OutOfMemoryError, kneighborsStream, matrixStream } from "../../../dist/node.js";
import type { Matrix, StreamOptions, Device } from "../../../dist/node.js";
import { rowsOf } from "../device/gpu.ts";
import { bruteForce, type ClassicMetric } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { type BackendName, expectSame, onEachBackend, oneIn, openBeside, openDevice } from "../helpers.ts";
import { knnSeed } from "../../../dist/ops/knn/primitives.js";

const seed = printedSeed();
const POISON = 0xdeadbeef;
const NO_ROW = 0xffffffff;

async function seededLists(device: Device, bounds: Float32Array, k: number, capacity: number) {
  const queryRows = bounds.length;
  const sizes = { heads: 2, candidates: capacity, intervals: 2 * capacity };
  const names = Object.keys(sizes) as (keyof typeof sizes)[];
  const rows = { begin: 0, end: queryRows };
  const session = await device.backend.open([]);
  const { downloads } = await session.run(
    {
      label: "seed",
      buffers: [
        { name: "bounds", bytes: queryRows * 4 },
        ...names.map((name) => ({ name, bytes: queryRows * sizes[name] * 4 })),
      ],
      steps: [
        ...["bounds", ...names].map((to) => ({ kind: "upload", to, source: to, part: "", rows }) as const),
        {
          kind: "run",
          primitive: knnSeed,
          params: { k, capacity, queryRows },
          bindings: { bounds: "bounds", heads: "heads", candidates: "candidates", intervals: "intervals" },
          cost: 1,
        },
        ...names.map((from) => ({ kind: "download", from, bytes: queryRows * sizes[from] * 4 }) as const),
      ],
    },
    {
      bounds: rowsOf(new Uint32Array(bounds.buffer), 1),
      ...Object.fromEntries(
        names.map((name) => [
          name,
          rowsOf(new Uint32Array(queryRows * sizes[name]).fill(POISON), sizes[name]),
        ]),
      ),
    },
  );
  session.dispose();
  return (name: string) => new Uint32Array(downloads.get(name)!);
}

const measures: readonly { metric: ClassicMetric; p?: number }[] = [
  { metric: "euclidean" },
  { metric: "sqeuclidean" },
  { metric: "manhattan" },
  { metric: "chebyshev" },
  { metric: "minkowski", p: 3 },
  { metric: "minkowski", p: 2.5 },
  { metric: "cosine" },
  { metric: "inner_product" },
];

/** A software GPU compiles the shaders of each for a second: the seed decides which have their turn. */
function measuresFor(backend: BackendName) {
  if (backend === "cpu") return measures;
  const first = new Random(seed).int(0, measures.length);
  return [0, 3, 5].map((step) => measures[(first + step) % measures.length]);
}

describe("lists that begin with bounds", () => {
  onEachBackend((device, backend) => {
    it.each([
      [1, 1, 1],
      [1, 5, 3],
      [7, 7, 131],
      [20, 33, 64],
      [100, 174, 700],
    ])("are %i entries that are no rows, of %i, for each of %i queries", async (k, capacity, queries) => {
      const random = new Random(seed);
      const bounds = Float32Array.from(
        { length: queries },
        () => random.pick([0, -1, 1, 1e-30]) * random.uniform(),
      );
      const bits = new Uint32Array(bounds.buffer);
      const words = await seededLists(device(), bounds, k, capacity);
      const expected = (width: number, word: (query: number) => number) =>
        Uint32Array.from({ length: queries * width }, (_, at) =>
          at % width < (width === 2 * capacity ? 2 * k : k) ? word(Math.floor(at / width)) : POISON,
        );
      expect(words("heads")).toEqual(
        Uint32Array.from({ length: 2 * queries }, (_, at) => (at % 2 === 0 ? k : bits[at >> 1])),
      );
      expect(words("candidates")).toEqual(expected(capacity, () => NO_ROW));
      expect(words("intervals")).toEqual(expected(2 * capacity, (query) => bits[query]));
    });

    const measures = measuresFor(backend);
    it.each(backend === "cpu" ? measures : oneIn(2, measures, seed))(
      "leave out nothing that is nearer, by %o",
      async (measure) => {
        const random = new Random(seed + 1);
        const queries = uniformRows(9, () => random.uniform() - 0.3);
        for (const order of ["any", "nearer and nearer", "further and further", "repeated"] as const) {
          const train = rowsIn(order, random);
          const k = random.pick([1, 6, 40]);
          const options = { ...measure, k, trainRows: random.int(41, 160), device: device() };
          expectSame(await found(train, queries, options), bruteForce(train, queries, { ...measure, k }), k);
        }
      },
    );

    it("leave little to evaluate in float64", async () => {
      // The first chunk of a CPU's search, the first two of a GPU's, which run side by side, have a list
      // each.
      const { hostWork: refinedPairs } = await counted(backend, 5, "further and further");
      expect(refinedPairs).toBeLessThan(3 * 9 * (5 + 4));
    });

    it("have room for as many rows as there are seeds", async () => {
      // Of 500 rows 200, of 500 more 200 at most, and 100 or, where the search before is not over, 200 of the
      // last.
      const { work: pairs, hostWork: refinedPairs } = await counted(backend, 200, "any", 500);
      expect(pairs).toBe(9 * ROWS);
      expect(refinedPairs).toBeLessThan(9 * 700);
    });
  });
});

it("are known as such where a search that had a tree goes on without", async () => {
  const device = await openDevice("cpu");
  const random = new Random(seed + 3);
  const [train, queries] = [
    uniformRows(3000, () => random.uniform()),
    uniformRows(20, () => random.uniform()),
  ];
  const thin = (matrix: Matrix) => ({ ...matrix, rows: matrix.rows * 5, cols: 4 });
  const open = device.backend.open.bind(device.backend);
  let opened = 0;
  device.backend.open = (resident) =>
    ++opened === 3 ? Promise.reject(new OutOfMemoryError("made up", 1)) : open(resident);
  const measure = { metric: "chebyshev", k: 5 } as const;
  const options = { ...measure, trainRows: 5000, tiles: { tree: true }, device };
  const answer = await found(thin(train), thin(queries), options);
  expect(opened).toBe(4);
  expectSame(answer, bruteForce(thin(train), thin(queries), measure), 5);
  device.dispose();
});

const ROWS = 1500;

/** Rows of 20 columns, each a fraction of a direction that is its own, by their number. */
function rowsIn(
  order: "any" | "nearer and nearer" | "further and further" | "repeated",
  random: Random,
): Matrix {
  const rows: Float32Array[] = [];
  for (let row = 0; row < ROWS; row++) {
    const away =
      order === "nearer and nearer" ? ROWS - row : order === "further and further" ? row : random.int(0, 9);
    const repeat = order === "repeated" && row > 30 ? random.pick(rows) : undefined;
    rows.push(repeat ?? Float32Array.from({ length: 20 }, () => random.uniform() * 0.3 + away / 300));
  }
  return { data: Float32Array.from(rows.flatMap((row) => [...row])), rows: ROWS, cols: 20 };
}

function uniformRows(rows: number, value: () => number): Matrix {
  return { data: Float32Array.from({ length: rows * 20 }, value), rows, cols: 20 };
}

async function found(train: Matrix, queries: Matrix, options: StreamOptions) {
  for await (const chunk of kneighborsStream(matrixStream(train, "train"), queries, options)) return chunk;
  throw new Error("no chunk came");
}

async function counted(
  backend: BackendName,
  k: number,
  order: "further and further" | "any",
  trainRows = 100,
) {
  const device = await openBeside(backend);
  const random = new Random(seed + 2);
  const train = rowsIn(order, random);
  const queries = uniformRows(9, () => random.uniform() * 0.3);
  await found(train, queries, { k, trainRows, device });
  const { counters } = device;
  device.dispose();
  return counters;
}
