/** The order of a uniform grid on the CPU, checked as a sort by cells: who lies where, and nobody twice. */
import { describe, expect, it } from "vitest";
import { gridOrder } from "../../../src/ops/knn/cpu/gridOrder.ts";
import { clouds } from "../../backend/clouds.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();

describe("the order of a grid", () => {
  it.each(Object.keys(clouds))("has each point once, in its cell, of points that are %s", (name) => {
    for (const [rows, cols, cells] of [
      [1, 3, 4],
      [300, 3, 1],
      [300, 3, 7],
      [200, 2, 16],
      [90, 1, 256],
    ]) {
      const random = new Random(seed + rows + cells);
      const values = Float32Array.from({ length: rows * cols }, (_, at) =>
        clouds[name](random, Math.floor(at / cols), at % cols),
      );
      const { order, starts, cellOf } = gridOrder(values, rows, cols, cells);
      expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: rows }, (_, row) => row));
      expect([starts.length, starts[0], starts.at(-1)]).toEqual([cells ** cols + 1, 0, rows]);
      for (let cell = 0; cell < cells ** cols; cell++) {
        const own = [...order.subarray(starts[cell], starts[cell + 1])];
        expect(own).toEqual(own.filter((row) => cellOf[row] === cell).sort((a, b) => a - b));
      }
      for (let j = 0; j < cols; j++) {
        const column = Array.from({ length: rows }, (_, row) => values[row * cols + j]);
        const [least, largest] = [Math.min(...column), Math.max(...column)];
        column.forEach((value, row) => {
          const cell = Math.floor(cellOf[row] / cells ** j) % cells;
          const part = largest === least ? 0 : (cells * (value - least)) / (largest - least);
          expect(Math.abs(part - (cell + 0.5))).toBeLessThanOrEqual(0.5 + 1e-6);
        });
      }
    }
  });
});
