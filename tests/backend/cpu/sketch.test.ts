/**
 * `knn.sketch` on the CPU backend, and the promise of sketches: they never rule out a pair whose rank the
 * limit allows.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CpuBackend } from "../../../dist/runtime/cpu/backend.js";
import { defectOf, principalAxes } from "../../../src/distance/axes.ts";
import type { HostSource } from "../../../src/runtime/source.ts";
import type { BoundProblem } from "../../../src/distance/bound/bound.ts";
import { sketchBound } from "../../../src/distance/bound/sketch.ts";
import { sketchStride } from "../../../src/ops/knn/contract/sketch.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { open } from "./helpers.ts";
import { knnSketch } from "../../../dist/ops/knn/sketchPrimitives.js";

const seed = printedSeed();

function bytesOf(array: Float32Array | Float64Array): HostSource {
  return {
    rows: 1,
    rowBytes: () => array.byteLength,
    fill: (_part, _rows, target) =>
      target.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)),
  };
}

interface Sketches {
  readonly sketches: Float32Array;
  readonly floors: Float32Array;
}

async function sketch(
  backend: CpuBackend,
  rows: Float32Array,
  stride: number,
  axes: Float64Array,
  factors: { productFactor: number; marginFactor: number; marginConstant: number },
): Promise<Sketches> {
  const [count, axisCount] = [rows.length / stride, axes.length / stride];
  const bytes = { sketches: count * sketchStride(axisCount) * 4, floors: count * 4 };
  const garbage = (length: number) => bytesOf(new Float32Array(length / 4).fill(NaN));
  const all = { begin: 0, end: 1 };
  const upload = (to: string) => ({ kind: "upload", to, source: to, part: "all", rows: all }) as const;
  const session = await backend.open([]);
  try {
    const { downloads } = await session.run(
      {
        label: "sketch",
        buffers: [
          { name: "rows", bytes: rows.byteLength },
          { name: "axes", bytes: axes.byteLength },
          { name: "sketches", bytes: bytes.sketches },
          { name: "floors", bytes: bytes.floors },
        ],
        steps: [
          ...["rows", "axes", "sketches", "floors"].map(upload),
          {
            kind: "run",
            primitive: knnSketch,
            params: { rows: count, stride, axes: axisCount, ...factors },
            bindings: { rows: "rows", axes: "axes", sketches: "sketches", floors: "floors" },
            cost: 1,
          },
          { kind: "download", from: "sketches", bytes: bytes.sketches },
          { kind: "download", from: "floors", bytes: bytes.floors },
        ],
      },
      {
        rows: bytesOf(rows),
        axes: bytesOf(axes),
        sketches: garbage(bytes.sketches),
        floors: garbage(bytes.floors),
      },
    );
    const floats = (name: string) => new Float32Array(downloads.get(name) ?? new ArrayBuffer(0));
    return { sketches: floats("sketches"), floors: floats("floors") };
  } finally {
    session.dispose();
  }
}

/** Data that leaves little, some and nearly all of a row to the rest. */
const spreads: Record<string, (column: number) => number> = {
  even: () => 1,
  "a few columns": (column) => (column < 3 ? 100 : 0.01),
  "24 orders of magnitude": (column) => 10 ** (12 - 3 * (column % 9)),
};

describe.each([true, false])("shared: %s", (shared) => {
  let backend: CpuBackend;
  beforeAll(async () => {
    backend = await open({ shared });
  });
  afterAll(() => backend.dispose());

  test.each([
    { rows: 1, columns: 1, axes: 1 },
    { rows: 2, columns: 4, axes: 3 },
    { rows: 65, columns: 8, axes: 5 },
    { rows: 131, columns: 29, axes: 7 },
  ])(
    "rows become coordinates, the length left over, and a floor: $rows x $columns, $axes axes",
    async (shape) => {
      const random = new Random(seed + shape.rows);
      const stride = Math.ceil(shape.columns / 4) * 4;
      const rows = Float32Array.from({ length: shape.rows * stride }, (_, at) =>
        at % stride < shape.columns ? random.normal() : 0,
      );
      const axes = principalAxes(
        Float64Array.from(rows.length > stride ? rows : [...rows, ...rows]),
        stride,
        shape.axes,
      );
      const factors = { productFactor: 0.5, marginFactor: 0.25, marginConstant: 2 };
      const { sketches, floors } = await sketch(backend, rows, stride, axes, factors);
      const width = sketchStride(shape.axes);
      for (let i = 0; i < shape.rows; i++) {
        const row = rows.subarray(i * stride, (i + 1) * stride);
        const squares = row.reduce((sum, x) => sum + x * x, 0);
        const along = Array.from({ length: shape.axes }, (_, axis) =>
          row.reduce((sum, x, j) => sum + x * axes[axis * stride + j], 0),
        );
        const left = Math.sqrt(Math.max(0, squares - along.reduce((sum, y) => sum + y * y, 0)));
        const own = sketches.subarray(i * width, (i + 1) * width);
        along.forEach((y, axis) => expect(own[axis]).toBeCloseTo(y, 5));
        expect(own[shape.axes]).toBeCloseTo(left, 4);
        const product = 0.5 * Math.sqrt(squares);
        expect(own[shape.axes + 1]).toBeGreaterThanOrEqual(product / Math.SQRT2);
        expect(own[shape.axes + 1]).toBeCloseTo(product / Math.SQRT2, 5);
        expect([...own.subarray(shape.axes + 2)].every((x) => x === 0)).toBe(true);
        expect(floors[i]).toBeLessThanOrEqual(squares * 0.75 - 2);
        expect(floors[i]).toBeCloseTo(squares * 0.75 - 2, 4);
      }
    },
  );

  test.each(Object.keys(spreads))(
    "a sketch's lower end is at most the rank, and near it: %s",
    async (name) => {
      const random = new Random(seed + name.length);
      const [count, stride, axisCount] = [60, 16, 4];
      const rows = Float32Array.from(
        { length: count * stride },
        (_, at) => Math.round(random.normal() * 2 ** 10) * spreads[name](at % stride),
      );
      for (let j = 0; j < stride; j++) rows[stride + j] = rows[j];
      const axes = principalAxes(new Float64Array(rows), stride, axisCount);
      const problem: BoundProblem = {
        core: "dot",
        dot: "squared",
        dims: stride,
        p: 2,
        rounded: false,
        largest: rows.reduce((most, x) => Math.max(most, Math.abs(x)), 0),
        underflow: 0,
      };
      const bound = sketchBound(problem, axisCount, stride, defectOf(axes, stride));
      if (!bound) throw new Error("there is a bound for any number of axes");
      const { sketches, floors } = await sketch(backend, rows, stride, axes, bound);
      const width = sketchStride(axisCount);
      for (let a = 0; a < count; a++) {
        for (let b = 0; b < count; b++) {
          let [rank, dot, sizes] = [0, 0, 0];
          for (let j = 0; j < stride; j++) {
            rank += (rows[a * stride + j] - rows[b * stride + j]) ** 2;
            sizes += rows[a * stride + j] ** 2 + rows[b * stride + j] ** 2;
          }
          for (let j = 0; j < axisCount + 2; j++) dot += sketches[a * width + j] * sketches[b * width + j];
          const low = floors[a] + floors[b] - 2 * dot;
          expect(low).toBeLessThanOrEqual(rank);
          if (name === "a few columns") expect(low).toBeGreaterThan(rank - 1e-4 * sizes);
        }
      }
    },
  );
});
