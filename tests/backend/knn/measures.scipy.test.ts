/**
 * The measures under SciPy's and scikit-learn's names against values those gave
 * (tests/fixtures/scipy-measures.json), zero denominators, weights and gaps included. Their sums run in
 * another order, so the last bits may differ.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { MetricName } from "../../../dist/node.js";
import { onEachBackend } from "../helpers.ts";

interface Case {
  readonly source: string;
  readonly metric: MetricName;
  readonly x: (number | null)[];
  readonly q: (number | null)[];
  readonly distance: number | null;
  readonly columnWeights?: number[];
  readonly p?: number;
}

const file = new URL("../../fixtures/scipy-measures.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: Case[] };
const metrics = [...new Set(cases.map(({ metric }) => metric))];

const casesOf = (metric: MetricName) => cases.filter((each) => each.metric === metric);

/** scikit-learn's nan_euclidean expands the square, and loses what cancels. */
const toleranceOf = (metric: MetricName) => (metric === "nan_euclidean" ? 1e-7 : 1e-14);

describe("the values of SciPy and scikit-learn", () => {
  onEachBackend((device) => {
    it.each(metrics)("come out of search by %s", async (metric) => {
      const row = (cells: (number | null)[]) => cells.map((cell) => cell ?? NaN);
      for (const { x, q, distance, columnWeights, p, source } of casesOf(metric)) {
        const options = { metric, columnWeights, p, k: 1, device: device() };
        const { distances } = await kneighbors([row(x)], [row(q)], options);
        const close =
          Math.abs(distances[0] - (distance ?? NaN)) <= toleranceOf(metric) * (1 + (distance ?? 0));
        if (close || (distance === null && Number.isNaN(distances[0]))) continue;
        expect.fail(
          `${source} gives ${distance}, not ${distances[0]}, for ${JSON.stringify({ x, q, columnWeights, p })}`,
        );
      }
    });
  });
});
