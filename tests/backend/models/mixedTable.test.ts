/**
 * Mixed tables through the estimators, by the rules of section 3 of the contracts: gaps, unseen values, both
 * kinds.
 */
import { describe, expect, it } from "vitest";
import { KNeighborsClassifier, NearestNeighbors, Table } from "../../../dist/node.js";
import { measure } from "../../oracle/measures.ts";
import type { Cell, Kind } from "../../oracle/measures.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { heapOrder } from "../../oracle/rapidminer.ts";
import { onEachBackend } from "../helpers.ts";

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

    it("may have 66,000 columns", async () => {
      const random = new Random(printedSeed());
      const kinds = Array.from({ length: 66_000 }, (_, j) => (j % 3 === 0 ? "nominal" : "numeric") as Kind);
      const columns = kinds.map((kind): Cell[] =>
        Array.from({ length: 9 }, () => {
          if (random.uniform() < 0.05) return null;
          return kind === "nominal" ? random.int(0, 4) : random.normal();
        }),
      );
      const named = columns.map((cells, j) => [
        `c${j}`,
        kinds[j] === "nominal" ? cells.map((cell) => (cell === null ? null : `v${cell}`)) : cells,
      ]);
      const table = Table.fromColumns(Object.fromEntries(named));
      const options = { nNeighbors: 3, compat: "rapidminer", device: device() } as const;
      const nn = await new NearestNeighbors(options).fit(table.take([0, 1, 2, 3, 4, 5]));
      const { indices, distances } = await nn.kneighbors(table.take([6, 7, 8]));
      nn.dispose();
      const rowOf = (row: number) => columns.map((cells) => cells[row]);
      const exact = [6, 7, 8].map((query) =>
        [0, 1, 2, 3, 4, 5].map(
          (row) => measure("mixed_euclidean", rowOf(row), rowOf(query), { kinds }).value,
        ),
      );
      const heaps = exact.map((byRow) => heapOrder(byRow, 3));
      expect([...indices]).toEqual(heaps.flat());
      expect([...distances]).toEqual(heaps.flatMap((heap, query) => heap.map((row) => exact[query][row])));
    });

    it("can be classified", async () => {
      const model = await new KNeighborsClassifier({ nNeighbors: 1, device: device() }).fit(train, "label");
      expect(await model.predict(train)).toEqual(["a", "b", "a", "b"]);
      model.dispose();
    });
  });
});
