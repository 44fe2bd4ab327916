/**
 * Properties of true metrics, with fast-check on the CPU: permuting columns changes nothing but last bits,
 * permuting rows only which of tied rows is named, a duplicate of a training row is its own nearest neighbour
 * at distance 0, and the triangle inequality holds up to rounding.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Device, kneighbors } from "../../../dist/node.js";
import type { MetricOptions } from "../../../dist/node.js";

const COLS = 4;
const kinds = ["numeric", "nominal", "numeric", "nominal"] as const;

interface Measure extends MetricOptions {
  readonly kinds?: readonly (typeof kinds)[number][];
}

const metrics: Measure[] = [
  { metric: "euclidean" },
  { metric: "manhattan" },
  { metric: "chebyshev" },
  { metric: "minkowski", p: 3 },
  { metric: "canberra" },
  { metric: "hamming" },
  { metric: "jaccard" },
  { metric: "mixed_euclidean", kinds },
  { metric: "rapidminer:MixedEuclideanDistance", kinds },
  { metric: "rapidminer:NominalDistance", kinds: ["nominal", "nominal", "nominal", "nominal"] },
];

/** Whole numbers, so that values tie and nominal columns have codes. */
const rows = fc.array(fc.array(fc.nat(5), { minLength: COLS, maxLength: COLS }), {
  minLength: 3,
  maxLength: 12,
});

let device: Device;
beforeAll(async () => {
  device = await Device.create({ backend: "cpu", threads: 1 });
});
afterAll(() => device.dispose());

function matrixOf(values: number[][], order: readonly number[], kinds?: Measure["kinds"]) {
  return {
    data: Float64Array.from(values.flatMap((row) => order.map((j) => row[j]))),
    rows: values.length,
    cols: COLS,
    ...(kinds ? { kinds: order.map((j) => kinds[j]) } : {}),
  };
}

const inOrder = [0, 1, 2, 3];

/** Distances of every row to every row, [query][row]. */
async function allDistances(values: number[][], { kinds, ...options }: Measure, order = inOrder) {
  const matrix = matrixOf(values, order, kinds);
  const k = values.length;
  const { indices, distances } = await kneighbors(matrix, matrix, { ...options, k, device });
  const table = values.map(() => new Array<number>(k).fill(NaN));
  for (const [at, index] of indices.entries()) table[Math.floor(at / k)][index] = distances[at];
  return table;
}

const runs = { numRuns: 15 };
const close = (a: number, b: number) => Math.abs(a - b) <= 1e-14 * (1 + Math.abs(a));

describe.each(metrics.map((measure) => [measure.metric, measure] as const))("%s", (_, measure) => {
  it("depends on the order of columns in last bits only", async () => {
    const order = fc.shuffledSubarray(inOrder, { minLength: COLS });
    await fc.assert(
      fc.asyncProperty(rows, order, async (values, permuted) => {
        const [before, after] = [
          (await allDistances(values, measure)).flat(),
          (await allDistances(values, measure, permuted)).flat(),
        ];
        expect(before.every((distance, at) => close(distance, after[at]))).toBe(true);
      }),
      runs,
    );
  });

  it("gives the same distances whatever the order of rows, tied ones by index", async () => {
    const { kinds, ...options } = measure;
    await fc.assert(
      fc.asyncProperty(rows, async (values) => {
        const search = (train: number[][]) =>
          kneighbors(matrixOf(train, inOrder, kinds), matrixOf(values, inOrder, kinds), {
            ...options,
            k: 3,
            device,
          });
        const [forward, backward] = [await search(values), await search(values.toReversed())];
        expect(backward.distances).toEqual(forward.distances);
        for (const { indices, distances } of [forward, backward]) {
          for (let at = 1; at < indices.length; at++) {
            if (at % 3 !== 0 && distances[at] === distances[at - 1])
              expect(indices[at]).toBeGreaterThan(indices[at - 1]);
          }
        }
      }),
      runs,
    );
  });

  it("is 0 for a duplicate, symmetric, and obeys the triangle inequality", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (values) => {
        const d = await allDistances([...values, values[0]], measure);
        const n = d.length;
        expect(d[n - 1][0]).toBe(0);
        for (let a = 0; a < n; a++) {
          expect(d[a][a]).toBe(0);
          for (let b = 0; b < n; b++) {
            expect(d[a][b]).toBe(d[b][a]);
            for (let c = 0; c < n; c++) expect(d[a][c]).toBeLessThanOrEqual(d[a][b] + d[b][c] + 1e-12);
          }
        }
      }),
      runs,
    );
  });
});
