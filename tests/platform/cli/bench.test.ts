/** What `nearfield bench knn` prints: that its figures fit each other, and that it checks what it times. */
import { describe, expect, it } from "vitest";
import { checkSample, randomRows } from "../../../dist/cli/bench/knnData.js";
import type { KnnSummary } from "../../../dist/cli/bench/knnText.js";
import { kneighbors } from "../../../dist/node.js";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const small = [
  "bench",
  "knn",
  "--queries",
  "20",
  "--references",
  "300",
  "--columns",
  "5",
  "--backend",
  "cpu",
];

describe("nearfield bench knn", () => {
  it("gives one JSON object whose figures fit each other", async () => {
    const { code, stdout } = await folder.run([...small, "--repeat", "3", "--peak", "0.05", "--json"]);
    const summary = JSON.parse(stdout) as KnnSummary;
    const { seconds, queriesPerSecond, operationsPerSecond, peak } = summary;
    expect(summary).toMatchObject({ backend: "cpu", queries: 20, references: 300, columns: 5, k: 10 });
    expect(seconds.searches.length).toBe(3);
    expect([...seconds.searches].sort((a, b) => a - b)[1]).toBe(seconds.median);
    expect(queriesPerSecond).toBe(20 / seconds.median);
    expect(operationsPerSecond).toBe(60_000 / seconds.median);
    expect(peak).toEqual({
      operationsPerSecond: 5e10,
      measured: false,
      fraction: operationsPerSecond / 5e10,
    });
    expect(summary.check).toEqual({ queries: 10, wrongQueries: 0, largestError: 0 });
    expect(code).toBe(0);
  });

  it("says the same to people, and how the search was done", async () => {
    const { code, stdout } = await folder.run([...small, "--metric", "manhattan", "-k", "3"]);
    expect(stdout).toMatch(/^searched +20 queries in 300 x 5, k = 3, manhattan, certified in float64\n/);
    expect(stdout).toMatch(/\nchecked +10 queries, all equal float64/);
    expect(stdout).toMatch(/\ntechnique +direct form/);
    expect(code).toBe(0);
  });

  it("refuses more neighbours than references", async () => {
    const { code, stderr } = await folder.run([...small, "--k", "301"]);
    expect([code, stderr]).toEqual([
      1,
      "nearfield: --k is 301, but there are only 300 references; choose --k of at most that\n",
    ]);
  });

  it("points to its help when an option is wrong", async () => {
    const { code, stderr } = await folder.run([...small, "--repeat", "0"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^nearfield: option '--repeat <number>' .*whole number of at least 1/);
    expect(stderr).toContain("nearfield bench knn --help shows every option");
  });

  it.each(["euclidean", "rapidminer:KLDivergence"] as const)(
    "would notice one wrong neighbour (%s)",
    async (metric) => {
      const train = { data: randomRows(50, 3, 1), rows: 50, cols: 3 };
      const queries = { data: randomRows(4, 3, 2), rows: 4, cols: 3 };
      const result = await kneighbors(train, queries, { k: 3, metric, backend: "cpu" });
      expect(checkSample(train, queries, result, { metric, sample: 4 })?.wrongQueries).toBe(0);
      result.indices[7] = (result.indices[7] + 1) % 50;
      expect(checkSample(train, queries, result, { metric, sample: 4 })?.wrongQueries).toBe(1);
    },
  );
});
