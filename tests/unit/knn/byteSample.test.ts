/**
 * What a sample says of bytes: how many pairs they would leave, and whether rows should be turned first. And
 * what becomes of that in a plan, until a job shows otherwise.
 */
import { expect, it } from "vitest";
import { knnByteFilter } from "../../../src/ops/knn/bytePrimitive.ts";
import type { KnnJob, KnnPlan } from "../../../src/ops/knn/plan/knnPlan.ts";
import { stageOf } from "../../../src/ops/knn/plan/bytes/stage.ts";
import { knnFilter } from "../../../src/ops/knn/primitives.ts";
import { isRunOf, run } from "../../../src/runtime/primitive.ts";
import { judged, turnedRows } from "../../../src/ops/knn/plan/bytes/sample.ts";
import { printedSeed, Random } from "../../oracle/random.ts";

const random = new Random(printedSeed());
const [ROWS, STRIDE] = [128, 20];
const sampleOf = (entry: () => number) => Float32Array.from({ length: ROWS * STRIDE }, entry);

it("has rows turned whose entries have heavy tails, and leaves others as they are", () => {
  const heavy = judged(
    sampleOf(() => Math.exp(3 * random.normal())),
    STRIDE,
  );
  const uniform = judged(
    sampleOf(() => random.uniform()),
    STRIDE,
  );
  expect([heavy.turned, uniform.turned]).toEqual([true, false]);
  expect(uniform.looseness).toBeLessThan(2);
});

it("takes for the largest entry that of turned rows, and judges them by it", () => {
  const entries = sampleOf(() => Math.exp(3 * random.normal()));
  const sample = entries.slice();
  const { turned, largest, looseness } = judged(sample, STRIDE);
  expect(turned).toBe(true);
  // The sample is moved to its centre by now.
  const rows = turnedRows(sample, STRIDE, 32);
  expect(largest).toBe(rows.reduce((most, x) => Math.max(most, Math.abs(x)), 0));
  expect(largest).toBeLessThan(sample.reduce((most, x) => Math.max(most, Math.abs(x)), 0));
  expect(judged(rows, 32).looseness).toBeLessThanOrEqual(looseness * 1.5);
});

it("turns rows without changing their distances", () => {
  const rows = sampleOf(() => random.normal());
  const turned = turnedRows(rows, STRIDE, 32);
  const square = (of: Float32Array, stride: number, a: number, b: number) =>
    of.subarray(a * stride, (a + 1) * stride).reduce((sum, x, j) => sum + (x - of[b * stride + j]) ** 2, 0);
  for (let a = 1; a < ROWS; a++) {
    const plain = square(rows, STRIDE, a, a - 1);
    expect(Math.abs(square(turned, 32, a, a - 1) - plain)).toBeLessThan(1e-5 * plain);
  }
});

const way = { packed: false, turned: true, looseness: 3.5, most: 0.5, by: "bytes" };
const plan = { technique: { form: "none" }, problem: { trainRows: 1000 } } as KnnPlan;
const stage = stageOf({ scale: 1, factor: 0, constant: 0 }, way, new Float32Array(32), plan, 0);

it("has jobs turn rows and cut windows as the sample said", () => {
  const filter = run(knnFilter, { params: {}, bindings: {}, cost: 0 } as never);
  const segment = { label: "", buffers: [], steps: [filter] };
  const task = { rows: { begin: 0, end: 320 }, capacity: 64 };
  const job = stage.job({ segment, task, tile: { group: 32, references: 1000 } } as never, plan);
  const params = job.segment!.steps.flatMap((step) => (isRunOf(step, knnByteFilter) ? [step.params] : []));
  expect(params).toMatchObject([{ turned: true, looseness: 3.5, packed: false }]);
});

it.each([
  [0, 11, ", after bytes"],
  [0, 12, ", at first after bytes, which ruled out too few pairs"],
  [160_000, 0, ", after bytes"],
  [160_001, 0, ", at first after bytes, which ruled out too few pairs"],
])(
  "goes on with bytes after a job that let %d pairs pass, %d times without room: %s",
  (passed, overflowed, says) => {
    const job = { task: { rows: { begin: 0, end: 320 } } } as KnnJob;
    const counts = new Map([["byteCounts", Uint32Array.of(passed, overflowed).buffer]]);
    expect(stage.after(job, counts).says).toBe(says);
  },
);
