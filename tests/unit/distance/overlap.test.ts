/** Jobs of a GPU overlap where they are short and memory holds what two of them need. */
import { expect, it } from "vitest";
import type { DistancesJob, DistancesPlan } from "../../../src/ops/distances/plan/distancesPlan.ts";
import { distancesProgram } from "../../../src/ops/distances/plan/program.ts";

const [ROWS, COLS] = [1000, 16];
/** Float32 rows and their metas. */
const RESIDENT = ROWS * (COLS * 4 + 16);

const plan = {
  device: { kind: "gpu" },
  problem: { trainRows: ROWS, queryRows: 100, cols: COLS, precision: "float32" },
  technique: { form: "expanded", dims: COLS },
  layout: { resident: true, chunks: 1, chunkRows: ROWS },
  ...{ budget: RESIDENT + 2000, rate: 1e9, observed: true, ranged: 0, counted: 0 },
} as unknown as DistancesPlan;

const job = {
  ...{ queries: { begin: 0, end: 64 }, counts: true, cost: 1e7, units: 64, awaited: false },
  segment: {
    label: "",
    steps: [],
    buffers: [
      { name: "values", bytes: 600 },
      { name: "counts", bytes: 400 },
    ],
  },
} as unknown as DistancesJob;

it("goes on behind a short job while it runs", () => {
  expect(distancesProgram.begun!(plan, job)).toMatchObject({ counted: 64, ranged: 64 });
});

it.each([
  ["memory holds one job alone", { budget: RESIDENT + 1999 }, {}],
  ["a job takes long, whose time tells the rate", {}, { cost: 1e8 }],
  ["nobody knows how fast the device is", { observed: false }, {}],
  ["the next job needs what this one found", {}, { awaited: true }],
  ["the device is a CPU", { device: { kind: "cpu" } as DistancesPlan["device"] }, {}],
  ["references stream", { layout: { resident: false, chunks: 2, chunkRows: 500 } }, {}],
] as const)("waits where %s", (_, planned, asked) => {
  const [own, other] = [
    { ...plan, ...planned },
    { ...job, ...asked },
  ];
  expect(distancesProgram.begun!(own, other)).toBeUndefined();
});
