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
import { sampleOf as preparedSample } from "../../../src/ops/knn/plan/bytes/sampler.ts";
import { knnProgram } from "../../../src/ops/knn/plan/knn.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
import type { Filter } from "../../../src/distance/forms/filter.ts";
import type { Matrix } from "../../../src/core/matrix.ts";
import { looseness } from "../../oracle/byteSample.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { MIB, device, evaluated, problem } from "./replay.ts";

const random = new Random(printedSeed());
const [ROWS, STRIDE] = [128, 20];
const sampleOf = (entry: () => number) => Float32Array.from({ length: ROWS * STRIDE }, entry);

it("has rows turned whose entries have heavy tails, and leaves others as they are", () => {
  const judgements = (entry: () => number) =>
    Array.from({ length: 9 }, () => judged(sampleOf(entry), STRIDE));
  const heavy = judgements(() => Math.exp(3 * random.normal()));
  const uniform = judgements(() => random.uniform());
  // One sample of two hundred has its largest entries where turning them does not help.
  expect(heavy.filter(({ turned }) => turned).length).toBeGreaterThan(6);
  expect(uniform.some(({ turned }) => turned)).toBe(false);
  expect(Math.max(...uniform.map(({ looseness }) => looseness))).toBeLessThan(2);
});

it("takes for the largest entry that of turned rows, and judges them by it", () => {
  const entries = Array.from({ length: 9 }, () => sampleOf(() => Math.exp(3 * random.normal())));
  const sample = entries.find((each) => judged(each.slice(), STRIDE).turned)!;
  const { largest, looseness } = judged(sample, STRIDE);
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

it("judges a sample by its largest entry and by the pairs that bytes cannot tell apart", () => {
  const kinds = [
    () => random.normal(),
    () => random.uniform() * (random.int(0, 40) === 0 ? 30 : 1),
    () => random.int(-2, 3),
    () => -1 - Math.exp(random.normal()),
  ];
  for (const entry of kinds) {
    const sample = sampleOf(entry);
    const rows = sample.slice();
    const { centre, ...judgement } = judged(rows, STRIDE);
    // The sample is moved to its centre by now.
    expect(rows).toEqual(sample.map((x, at) => x - centre[at % STRIDE]));
    const plain = looseness(rows, STRIDE);
    const turned = looseness(turnedRows(rows, STRIDE, 32), 32);
    const turns = plain.looseness > 2 && turned.looseness < plain.looseness;
    expect(judgement).toEqual({ turned: turns, ...(turns ? turned : plain) });
  }
});

it.each([Float32Array, Float64Array, Int8Array])("samples rows of %o as a device compares them", (type) => {
  const data = new type(90 * 6);
  for (let at = 0; at < data.length; at++) data[at] = 40 * random.uniform();
  const train: Matrix = { data, rows: 90, cols: 6 };
  const centre = Float64Array.from({ length: 6 }, () => random.int(1, 9));
  const { technique } = planKnn(problem({ trainRows: 90, queryRows: 1, cols: 6, k: 1, centre }), device());
  const taken = Uint32Array.from({ length: 20 }, () => random.int(0, 90));
  const scale = 2 ** (technique as Filter).train.exponent;
  const whole = Float32Array.from({ length: 20 * 8 }, (_, at) =>
    at % 8 < 6 ? (data[taken[at >> 3] * 6 + (at % 8)] - centre[at % 8]) * scale : 0,
  );
  expect(preparedSample(train, technique, taken)).toEqual(whole);
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

const counts = (passed: number, overflowed: number) =>
  new Map([["byteCounts", Uint32Array.of(passed, overflowed).buffer]]);

/**
 * Returns the next job of a plan with bytes, which have paid or not been tried, and its tile without them.
 */
function nextJob(asked: Partial<KnnProblem>, budgetBytes: number, rate = 1e13, paid = true) {
  const info = device({ budgetBytes, bufferBytes: budgetBytes / 2 });
  const sizes = { ...evaluated, queryRows: 10_000, cols: 128, ...asked };
  const float32 = { ...planKnn(problem(sizes), info, {}, rate), observed: true };
  const tried = { task: { rows: { begin: 0, end: 320 } } } as KnnJob;
  const now = paid ? stage.after(tried, counts(0, 0)) : stage;
  const job = knnProgram.nextJob({ ...float32, stage: { ...now, heldBytes: 0 } });
  const readsBytes = job?.segment?.steps.some((step) => isRunOf(step, knnByteFilter));
  return { tile: job?.tile, readsBytes, usual: knnProgram.nextJob(float32)?.tile };
}

it.each([
  ["1,000,000 rows", { trainRows: 1_000_000, k: 10 }, 1024, 2048],
  ["1,100,000 rows", { trainRows: 1_100_000, k: 10 }, 1024, 2048],
  ["so few rows that all queries go together", { trainRows: 60_000, k: 10 }, 10_000, 10_000],
])("has jobs of twice as many queries once bytes paid: %s", (_, asked, before, now) => {
  const { tile, readsBytes, usual } = nextJob(asked, 16_384 * MIB);
  expect([usual?.queries, tile?.queries, readsBytes]).toEqual([before, now, true]);
  expect(nextJob(asked, 16_384 * MIB, 1e13, false).tile).toEqual(usual);
});

it.each([
  ["many neighbours", { trainRows: 250_000, k: 1000 }, 16_384, 1e13],
  ["still more", { trainRows: 400_000, k: 2000 }, 16_384, 1e13],
  ["little memory", { trainRows: 500_000, k: 1000 }, 512, 1e13],
  ["a slow device", { trainRows: 1_000_000, k: 1000 }, 16_384, 6e10],
])(
  "has jobs as long as without bytes where more queries would leave references too little: %s",
  (_, asked, mib, rate) => {
    const { tile, readsBytes, usual } = nextJob(asked, mib * MIB, rate);
    expect(tile).toEqual(usual);
    expect(readsBytes).toBe(true);
  },
);

it.each([
  [0, 11, ", after bytes"],
  [0, 12, ", at first after bytes, which ruled out too few pairs"],
  [160_000, 0, ", after bytes"],
  [160_001, 0, ", at first after bytes, which ruled out too few pairs"],
])(
  "goes on with bytes after a job that let %d pairs pass, %d times without room: %s",
  (passed, overflowed, says) => {
    const job = { task: { rows: { begin: 0, end: 320 } } } as KnnJob;
    expect(stage.after(job, counts(passed, overflowed)).says).toBe(says);
  },
);
