/**
 * Exact search on every backend against a float64 brute force: any difference of a row, of the order or of a
 * bit of a distance fails. Fresh inputs each run; the printed seed repeats them.
 */
import { describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import type { Answer } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { knnCases } from "./cases.ts";
import type { KnnCase } from "./cases.ts";
import { expectSame, firstDifference, onEachBackend, oneIn, openBeside } from "../helpers.ts";
import type { BackendName } from "../helpers.ts";
import { inputs, matrix } from "../inputs.ts";

const seed = printedSeed();
const cases = knnCases(seed);
const answers = new Map<KnnCase, Answer>();

function answerOf(each: KnnCase): Answer {
  const known = answers.get(each) ?? bruteForce(each.train, each.queries, each.options);
  answers.set(each, known);
  return known;
}

function casesOn(backend: BackendName): readonly KnnCase[] {
  return backend === "cpu" ? cases : oneIn(7, cases, seed);
}

describe("search equals brute force", () => {
  onEachBackend((device, backend) => {
    it.each(casesOn(backend))("for $name", async (each) => {
      const found = await kneighbors(each.train, each.queries, { ...each.options, device: device() });
      expectSame(found, answerOf(each), each.options.k);
    });
  });
});

describe("long rows and long lists equal brute force", () => {
  onEachBackend((device) => {
    it.each(["euclidean", "manhattan", "cosine"] as const)("for 2,500 columns, %s", async (metric) => {
      const random = new Random(seed + 3);
      const [train, queries] = [
        matrix(70, 2500, () => random.normal()),
        matrix(7, 2500, () => random.normal()),
      ];
      const found = await kneighbors(train, queries, { metric, k: 7, device: device() });
      expectSame(found, bruteForce(train, queries, { metric, k: 7 }), 7);
    });

    it.each([40, 300, 1499])("for k = %i, more than a tile", async (k) => {
      const random = new Random(seed + k);
      const value = () => random.int(0, 50) / 7;
      const [train, queries] = [matrix(1499, 3, value), matrix(5, 3, value)];
      const found = await kneighbors(train, queries, {
        k,
        tiles: { references: 64, chunk: 500 },
        device: device(),
      });
      expectSame(found, bruteForce(train, queries, { k }), k);
    });
  });
});

describe("a tiny memory budget gives the same bytes as a large one", () => {
  const random = new Random(seed + 4);
  const train = matrix(401, 20, () => random.int(0, 9) / 8);
  const queries = matrix(19, 20, () => random.int(0, 9) / 8);
  const expected = bruteForce(train, queries, { k: 6 });

  onEachBackend((_, backend) => {
    it.each([2 ** 14, 2 ** 15, 2 ** 20])("of %i bytes", async (bytes) => {
      const device = await openBeside(backend, { memory: bytes, deviceMemory: bytes });
      try {
        const found = await kneighbors(train, queries, { k: 6, device });
        expectSame(found, expected, 6);
        expect(found.explanation.references).toMatch(bytes < 2 ** 16 ? /streamed/ : /resident/);
        expect(found.explanation.peakDeviceBytes).toBeLessThanOrEqual(bytes);
      } finally {
        device.dispose();
      }
    });
  });
});

describe("tiles change no byte", () => {
  onEachBackend((device) => {
    it("for the same input cut in every way", async () => {
      const random = new Random(seed + 5);
      const { train, queries } = inputs.find(({ name }) => name.includes("grid"))!.make(random, 14);
      const expected = bruteForce(train, queries, { k: 9 });
      for (const references of [5, 52, 53]) {
        for (const chunk of [9, 52, undefined]) {
          const tiles = { references, chunk };
          const found = await kneighbors(train, queries, { k: 9, tiles, device: device() });
          expect(firstDifference(found, expected, 9), `tiles ${JSON.stringify(tiles)}`).toBeUndefined();
        }
      }
    });
  });
});
