/**
 * What the engine's counters prove: the device did the work, and float64 was left with next to none of it.
 */
import { describe, expect, it } from "vitest";
import { explanationText, kneighbors } from "../../../dist/node.js";
import type { KneighborsOptions } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { inputs, matrix } from "../inputs.ts";

const seed = printedSeed();

/** Every metric with a filter, with Minkowski exponents from the flattest to the steepest. */
const filtered: KneighborsOptions[] = [
  { metric: "euclidean" },
  { metric: "sqeuclidean" },
  { metric: "manhattan" },
  { metric: "chebyshev" },
  ...[0.5, 1.5, 3, 7.3, 20].map((p) => ({ metric: "minkowski", p }) as const),
  { metric: "cosine" },
  { metric: "correlation" },
  { metric: "inner_product" },
];

const k = 5;
const rows = 3001;
const queries = 13;
/** Of float64 evaluations per query (contract, section 2). */
const allowed = Math.max(4 * k, rows / 100);

describe("on random data", () => {
  const random = new Random(seed);
  const data = (count: number) => matrix(count, 16, () => random.normal());
  const [train, asked] = [data(rows), data(queries)];

  onEachBackend((device, backend) => {
    it.each(filtered)(
      "all pairs are filtered there by $metric $p, and few evaluated in float64",
      async (options) => {
        const before = device().counters;
        const { explanation } = await kneighbors(train, asked, { ...options, k, device: device() });
        const after = device().counters;
        expect(explanation).toMatchObject({ backend, repeatedQueries: 0, exhaustiveQueries: 0 });
        expect(after.work - before.work).toBe(queries * rows);
        expect(after.dispatches - before.dispatches).toBeGreaterThanOrEqual(1);
        expect(after.hostWork - before.hostWork).toBeGreaterThanOrEqual(queries * k);
        expect(after.hostWork - before.hostWork).toBeLessThanOrEqual(queries * allowed);
      },
    );
  });
});

describe("the explanation agrees with the counters", () => {
  onEachBackend((device, backend) => {
    it("of the device, for a search cut into many jobs", async () => {
      const random = new Random(seed + 1);
      const train = matrix(200, 5, () => random.normal());
      const tiles = { queries: 3, references: 64, chunk: 90 };
      const before = device().counters;
      const { explanation } = await kneighbors(
        train,
        matrix(10, 5, () => 0.5),
        { k, tiles, device: device() },
      );
      const after = device().counters;
      expect(explanation).toMatchObject({
        backend,
        jobs: 4,
        largestTile: { queries: 3, references: 64 },
        pairs: after.work - before.work,
        dispatches: after.dispatches - before.dispatches,
        refinedPairs: after.hostWork - before.hostWork,
      });
      expect(explanation.references).toBe("200 rows resident in 3 buffers");
      expect(after.uploadedBytes - before.uploadedBytes).toBeGreaterThanOrEqual(200 * 8 * 4 + 10 * 8 * 4);
    });

    it("of the device, for lists that overflow and run again", async () => {
      const random = new Random(seed + 2);
      const around = matrix(3000, 14, () => random.pick([-1, 1]));
      const { explanation } = await kneighbors(
        around,
        matrix(3, 14, () => 0),
        { k, device: device() },
      );
      expect(explanation.repeatedQueries).toBeGreaterThan(0);
      expect(explanationText(explanation)).toContain(
        `${explanation.repeatedQueries} queries with too many candidates`,
      );
    });

    it("of the device, when float64 is all there is", async () => {
      const overflow = inputs
        .find(({ name }) => name.includes("squares overflow"))!
        .make(new Random(seed + 3), 9);
      const { explanation } = await kneighbors(overflow.train, overflow.queries, { k, device: device() });
      const { rows: refs } = overflow.train;
      expect(explanation).toMatchObject({
        technique: "float64 throughout",
        why: expect.stringMatching(/overflow/) as string,
        pairs: 0,
        refinedPairs: refs * overflow.queries.rows,
        exhaustiveQueries: overflow.queries.rows,
      });
    });
  });
});
