/** Mixed tables through the estimators, by the rules of section 3 of the contracts: gaps, unseen values, both kinds. */
import { describe, expect, it } from "vitest";
import { KNeighborsClassifier, NearestNeighbors, Table } from "../../dist/node.js";
import { onEachBackend } from "./helpers.ts";

const train = Table.fromColumns({
  size: [1, 2, null, 4],
  colour: ["red", "blue", "red", null],
  label: ["a", "b", "a", "b"],
});

describe("a table with nominal columns and gaps", () => {
  onEachBackend((device) => {
    it("is measured by mixed Euclidean, gaps adding nothing and unseen values one", async () => {
      const nn = await new NearestNeighbors({ nNeighbors: 4, device: device() }).fit(train, "label");
      const queries = Table.fromColumns({ colour: ["green", "blue", null], size: [1, null, null] });
      const { indices, distances, explanation } = await nn.kneighbors(queries);
      nn.dispose();
      expect([...indices]).toEqual([0, 2, 1, 3, 1, 0, 2, 3, 0, 1, 2, 3]);
      expect([...distances]).toEqual([1, 1, Math.SQRT2, 3, 0, 1, 1, NaN, NaN, NaN, NaN, NaN]);
      expect(explanation.why).toMatch(/missing/);
    });

    it("is refused by metrics of numbers, and its gaps where they are errors", async () => {
      const fit = (options: object) =>
        new NearestNeighbors({ ...options, device: device() }).fit(train, "label");
      await expect(fit({ metric: "manhattan" })).rejects.toThrow(
        /"colour": manhattan takes numeric columns only/,
      );
      await expect(fit({ missing: "error" })).rejects.toThrow(/the cell of row 2 \(from 0\) is missing/);
    });

    it("can be classified", async () => {
      const model = await new KNeighborsClassifier({ nNeighbors: 1, device: device() }).fit(train, "label");
      expect(await model.predict(train)).toEqual(["a", "b", "a", "b"]);
      model.dispose();
    });
  });
});
