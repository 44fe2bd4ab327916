/**
 * `distance.refine` against float64 itself: sums of squared differences of float32 with every kind of
 * exponents and fractions, to the last bit. Also that searches use it where they can.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { Device, Matrix } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, isAbsent, sharedGpu } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import { refinePrimitive } from "../../../dist/distance/primitives.js";

const seed = printedSeed();
const STRIDE = 12;
const ROWS = 3000;
const QUERIES = 7;

/** Fractions with long runs of equal bits round in the most ways. */
function fraction(random: Random): number {
  const run = random.int(0, 24);
  return random.pick([random.bits() & 0x7fffff, 0, 0x7fffff, 1, (1 << run) - 1, 1 << run]) & 0x7fffff;
}

const makers: Record<string, (random: Random) => number> = {
  "any finite bits": (random) => (random.int(0, 255) << 23) | fraction(random) | (random.bits() & (1 << 31)),
  "exponents near each other": (random) =>
    (random.int(120, 128) << 23) | fraction(random) | (random.bits() & (1 << 31)),
  "exponents up to 60 apart": (random) =>
    (random.int(90, 150) << 23) | fraction(random) | (random.bits() & (1 << 31)),
  "subnormal values and zeros": (random) => fraction(random) | (random.bits() & (1 << 31)),
  "neighbouring values": (random) => 0x3f800000 + random.int(-3, 4),
};

function rowsOf(random: Random, rows: number, make: (random: Random) => number): Float32Array {
  return new Float32Array(Int32Array.from({ length: rows * STRIDE }, () => make(random)).buffer);
}

function source(data: Float32Array) {
  return {
    rows: data.length / STRIDE,
    rowBytes: () => STRIDE * 4,
    fill: (_part: string, _rows: unknown, target: Uint8Array) =>
      target.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  };
}

function single({ data, ...shape }: ReturnType<typeof matrix>) {
  return { ...shape, data: Float32Array.from(data as Float64Array) };
}

/** Rows by their distance from the origin, ascending for 1. */
function sortRows({ data, rows, cols }: ReturnType<typeof single>, direction: 1 | -1): void {
  const all = Array.from({ length: rows }, (_, row) => data.slice(row * cols, (row + 1) * cols));
  const norms = new Map(all.map((row) => [row, row.reduce((sum, x) => sum + x * x, 0)]));
  all.sort((a, b) => direction * (norms.get(a)! - norms.get(b)!));
  all.forEach((row, at) => data.set(row, at * cols));
}

describe.skipIf(isAbsent("gpu"))("refinement on the GPU", () => {
  let device: Device;
  beforeAll(async () => {
    device = await sharedGpu();
  });

  it.each(Object.keys(makers))("gives float64's sums of squared differences for %s", async (name) => {
    const random = new Random(seed);
    const [queries, refs] = [rowsOf(random, QUERIES, makers[name]), rowsOf(random, ROWS, makers[name])];
    const lists = {
      heads: Uint32Array.from({ length: QUERIES * 2 }, (_, at) => (at % 2 === 0 ? ROWS : 0)),
      candidates: Uint32Array.from({ length: QUERIES * ROWS }, (_, at) => at % ROWS),
    };
    const whole = (words: Uint32Array) => ({
      rows: 1,
      rowBytes: () => words.byteLength,
      fill: (_part: string, _rows: unknown, target: Uint8Array) => target.set(new Uint8Array(words.buffer)),
    });
    const sizes = {
      queries: queries.byteLength,
      refs: refs.byteLength,
      heads: QUERIES * 8,
      candidates: QUERIES * ROWS * 4,
      keys: QUERIES * ROWS * 8,
    };
    const upload = (to: string, rows: number) =>
      ({ kind: "upload", to, source: to, part: "", rows: { begin: 0, end: rows } }) as const;
    const session = await device.backend.open([]);
    const { downloads } = await session.run(
      {
        label: "refine",
        buffers: Object.entries(sizes).map(([buffer, bytes]) => ({ name: buffer, bytes })),
        steps: [
          upload("queries", QUERIES),
          upload("refs", ROWS),
          upload("heads", 1),
          upload("candidates", 1),
          {
            kind: "run",
            primitive: refinePrimitive,
            params: {
              ...{ capacity: ROWS, dims: STRIDE, stride: STRIDE, queryBegin: 0, queryRows: QUERIES },
              ...{ refOffset: 0, refRows: ROWS },
            },
            bindings: {
              queries: "queries",
              refs: "refs",
              heads: "heads",
              candidates: "candidates",
              keys: "keys",
            },
            cost: 1,
          },
          { kind: "download", from: "keys", bytes: sizes.keys },
        ],
      },
      {
        queries: source(queries),
        refs: source(refs),
        heads: whole(lists.heads),
        candidates: whole(lists.candidates),
      },
    );
    session.dispose();
    const found = new Float64Array(downloads.get("keys")!);
    for (let at = 0; at < found.length; at++) {
      const [q, r] = [Math.floor(at / ROWS) * STRIDE, (at % ROWS) * STRIDE];
      let sum = 0;
      for (let j = 0; j < STRIDE; j++) {
        const difference = refs[r + j] - queries[q + j];
        sum += difference * difference;
      }
      if (!Object.is(found[at], sum)) expect(found[at], `query ${q / STRIDE}, row ${r / STRIDE}`).toBe(sum);
    }
  });

  it.each([undefined, 700])(
    "takes part in searches of rows that need no centre, in chunks of %o",
    async (chunk) => {
      const random = new Random(seed + 1);
      const [train, queries] = [
        single(matrix(2000, 19, () => random.normal())),
        single(matrix(9, 19, () => random.normal())),
      ];
      const before = device.counters.downloadedBytes;
      const found = await kneighbors(train, queries, { k: 30, device, tiles: { chunk } });
      expectSame(found, bruteForce(train, queries, { k: 30 }), 30);
      // Heads, candidates and the bits of a float64 of each.
      expect(device.counters.downloadedBytes - before).toBe(9 * (8 + (30 + 64) * 12));
    },
  );

  describe("of chunks that leave the device", () => {
    const k = 12;
    const search = async (train: Matrix, queries: Matrix, budget: number, chunk?: number) => {
      const before = device.counters.downloadedBytes;
      const found = await kneighbors(train, queries, { k, device, tiles: { budget, chunk } });
      expectSame(found, bruteForce(train, queries, { k }), k);
      return { found, bytes: device.counters.downloadedBytes - before };
    };

    it("follows candidates to where their lists move them", async () => {
      const random = new Random(seed + 2);
      const queries = single(matrix(9, 20, () => random.normal()));
      for (const order of ["any", "nearer and nearer", "further and further"] as const) {
        const train = single(matrix(3000, 20, () => random.normal()));
        if (order !== "any") sortRows(train, order === "nearer and nearer" ? -1 : 1);
        const { found, bytes } = await search(train, queries, 150_000, random.pick([64, 501, undefined]));
        expect(found.explanation.references).toContain("streamed");
        expect(bytes, order).toBe(9 * (8 + (k + 64) * 12));
      }
    });

    it("goes on where lists overflow in the middle", async () => {
      const random = new Random(seed + 3);
      const train = single(matrix(3000, 20, (row) => (row >= 1000 && row < 1200 ? 0 : random.normal())));
      await search(train, single(matrix(9, 20, () => 0.01 * random.normal())), 400_000, 333);
    });
  });
});
