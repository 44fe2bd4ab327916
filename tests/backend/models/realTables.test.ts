/**
 * Real tables with nominal columns and gaps: cross-validation equal, row for row, to a float64 script that
 * reads the file itself.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  Normalize,
  Pipeline,
  Table,
  crossValidate,
} from "../../../dist/node.js";
import { crossValidated } from "../../oracle/crossValidation.ts";
import type { Row } from "../../oracle/crossValidation.ts";
import { onEachBackend } from "../helpers.ts";

const folder = new URL("../../../node_modules/vega-datasets/data/", import.meta.url);

function rowsOf(name: string): Row[] {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as Row[];
}

const penguins = rowsOf("penguins");
const cars = rowsOf("cars").map((row) => ({ ...row, Year: Number(String(row.Year).slice(0, 4)) }));
const others = (rows: readonly Row[], ...names: string[]) =>
  Object.keys(rows[0]).filter((name) => !names.includes(name));

onEachBackend((device) => {
  describe("ten-fold cross-validation with k = 5 after Z-normalisation", () => {
    it("tells 98 % of the penguins' species from the other six columns", async () => {
      const features = others(penguins, "Species");
      expect(features).toHaveLength(6);
      const model = new Pipeline([new Normalize()], new KNeighborsClassifier({ device: device() }));
      const { micro, macro, predictions, foldOf } = await crossValidate(
        model,
        Table.fromRows(penguins),
        "Species",
      );
      const job = { rows: penguins, label: "Species", features, k: 5, folds: 10, seed: 2001 };
      const expected = crossValidated(job);
      expect(predictions).toEqual(expected.predictions);
      expect([...foldOf]).toEqual(expected.foldOf);
      expect(micro.accuracy).toBeGreaterThanOrEqual(0.98);
      expect(macro.accuracy.mean).toBeGreaterThanOrEqual(0.98);
      model.dispose();
    });

    it("explains 84 % of the variance of miles per gallon of cars", async () => {
      const features = others(cars, "Miles_per_Gallon", "Name");
      expect(features).toHaveLength(7);
      const model = new Pipeline(
        [new Normalize()],
        new KNeighborsRegressor({ roles: { id: "Name" }, device: device() }),
      );
      const table = Table.fromRows(cars);
      const { micro, macro, predictions, unlabelled } = await crossValidate(model, table, "Miles_per_Gallon");
      const expected = crossValidated({
        rows: cars,
        label: "Miles_per_Gallon",
        features,
        k: 5,
        folds: 10,
        seed: 2001,
      });
      expect(Array.from(predictions, (p) => (Number.isNaN(p) ? null : p))).toEqual(expected.predictions);
      expect(unlabelled).toBe(8);
      expect(micro.r2).toBeGreaterThanOrEqual(0.84);
      expect(macro.r2.mean).toBeGreaterThanOrEqual(0.84);
      model.dispose();
    });
  });
});
