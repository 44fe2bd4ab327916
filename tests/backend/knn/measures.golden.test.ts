/**
 * The distances that RapidMiner Studio 9.10's own classes gave (tests/fixtures/rapidminer-knn.json), through
 * the public search on every backend: to the last bit where only + - * / and square roots enter, to 1e-12 of
 * the largest term of the last sum where exp, log, pow or acos do, to 1e-12 times the condition number for
 * Mahalanobis.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { KernelOptions, MetricName } from "../../../dist/node.js";
import { covariance, measure, ownKernel } from "../../oracle/measures.ts";
import type { Cell, Kind } from "../../oracle/measures.ts";
import { printedSeed } from "../../oracle/random.ts";
import { onEachBackend, oneIn } from "../helpers.ts";

type Encoded = number | string;

interface Golden {
  readonly group: string;
  readonly name: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly train: readonly Encoded[];
  readonly query: readonly Encoded[];
  readonly distance: Encoded;
}

interface Case {
  readonly metric: MetricName;
  readonly train: number[][];
  readonly query: number[];
  readonly kinds: Kind[];
  readonly kernel: KernelOptions | undefined;
  readonly expected: number;
  /** How far the distance may be off; 0: not by a bit. */
  readonly tolerance: number;
}

const file = new URL("../../fixtures/rapidminer-knn.json", import.meta.url);
const { measures } = JSON.parse(readFileSync(file, "utf8")) as { measures: Golden[] };

/** Kernels and measures whose last bits depend on exp, log, pow or acos. */
const inexact = [
  "CosineSimilarity",
  "GeneralizedIDivergence",
  "ItakuraSaitoDistance",
  "KLDivergence",
  "LogarithmicLoss",
  "LogisticLoss",
];
const exactKernels = ["dot", "polynomial", "multiquadric"];

function decode(value: Encoded): number {
  return value === "-0" ? -0 : Number(value);
}

const kindOf = (type: string): Kind =>
  type === "binominal" ? "binominal" : type === "polynominal" ? "nominal" : "numeric";

function caseOf({ group, name, params = {}, train, query, distance }: Golden): Case {
  const types = (params.types as string[] | undefined) ?? train.map(() => "real");
  const kernel = Object.fromEntries(
    Object.entries(params).flatMap(([key, value]) =>
      key.startsWith("kernel_") ? [[key.slice("kernel_".length), value as number]] : [],
    ),
  );
  const metric = `rapidminer:${name}` as MetricName;
  const rows = ((params.training as Encoded[][] | undefined) ?? [train]).map((row) => row.map(decode));
  const queryRow = query.map(decode);
  const kinds = types.map(kindOf);
  const expected = decode(distance);
  const cells = (row: number[]): Cell[] => row.map((value) => (Number.isNaN(value) ? null : value));
  const { largest } = measure(metric, cells(rows[0]), cells(queryRow), { kinds, kernel, training: rows });
  let tolerance = 0;
  if (inexact.includes(name)) tolerance = 1e-12 * largest;
  if (kernel.type !== undefined && !exactKernels.includes(String(kernel.type))) tolerance = 1e-12 * largest;
  if (name === "MahalanobisDistance") tolerance = 1e-12 * conditionNumber(rows) * expected;
  expect(group).toMatch(/Measures$|^BregmanDivergences$/);
  return {
    metric,
    train: rows,
    query: queryRow,
    kinds,
    kernel: Object.keys(kernel).length > 0 ? ownKernel(kernel) : undefined,
    expected,
    tolerance,
  };
}

/** In the maximum norm, of a covariance of two columns. */
function conditionNumber(training: number[][]): number {
  const [[a, b], [, d]] = covariance(training);
  const norm = Math.max(Math.abs(a) + Math.abs(b), Math.abs(b) + Math.abs(d));
  return (norm * norm) / Math.abs(a * d - b * b);
}

/** Cases that one search answers: the same measure over distinct rows, of which every pair is measured. */
function groupsOf(cases: readonly Case[]): Case[][] {
  const groups = new Map<string, Case[]>();
  for (const each of cases) {
    const { metric, kinds, kernel, train, query } = each;
    const gaps = [...train, query].flat().some(Number.isNaN);
    const fitted = train.length > 1 ? train : undefined;
    const key = JSON.stringify({ metric, kinds, kernel, gaps, fitted });
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

const LENGTH = 16;

function padded(rows: number[][]): number[][] {
  expect(rows.length).toBeLessThanOrEqual(LENGTH);
  return Array.from({ length: LENGTH }, (_, at) => rows[Math.min(at, rows.length - 1)]);
}

describe("RapidMiner's own distances", () => {
  const cases = measures.map(caseOf);
  const all = groupsOf(cases);
  const seed = printedSeed();

  it("are all there", () => {
    expect(all.flat().length).toBe(287);
  });

  onEachBackend((device, backend) => {
    const groups = backend === "cpu" ? all : oneIn(3, all, seed);
    it(`come out of search, ${groups.flat().length} of ${measures.length}`, async () => {
      const wrong: string[] = [];
      for (const group of groups) {
        const [{ metric, kinds, kernel }] = group;
        const own = group[0].train.length > 1 ? group[0].train : group.flatMap((each) => each.train);
        // Of one length, for which kernels are compiled once; what is appended is never asked for.
        const train = group[0].train.length > 1 ? own : padded(own);
        const matrix = (rows: number[][]) => ({
          data: Float64Array.from(rows.flat()),
          rows: rows.length,
          cols: kinds.length,
          kinds,
        });
        const k = train.length;
        const { indices, distances } = await kneighbors(
          matrix(train),
          matrix(padded(group.map(({ query }) => query))),
          { metric, kernel, k, missing: "skip", device: device() },
        );
        for (const [at, { query, expected, tolerance }] of group.entries()) {
          const row = group[0].train.length > 1 ? 0 : at;
          const found = distances[at * k + indices.subarray(at * k, at * k + k).indexOf(row)];
          if (Object.is(found, expected) || Math.abs(found - expected) <= tolerance) continue;
          wrong.push(
            `${metric} of ${JSON.stringify({ row: train[row], query, kernel })}: ${found}, not ${expected}`,
          );
        }
      }
      expect(wrong).toEqual([]);
    });
  });
});
