/** Jobs of a GPU overlap where they are short and memory holds what both of them need. */
import { expect, it } from "vitest";
import { overlaps, type OverlapRoom } from "../../../src/distance/overlap.ts";
import type { Job } from "../../../src/runtime/program.ts";

const resident = [{ name: "refs", bytes: 5000 }];

const room = {
  ...{ device: { kind: "gpu" }, layout: { resident: true, chunks: 1, chunkRows: 1000 } },
  ...{ budget: 7500, rate: 1e9, observed: true },
} as OverlapRoom;

function jobOf(bytes: number): Job {
  const buffers = [
    { name: "values", bytes: bytes - 400 },
    { name: "counts", bytes: 400 },
  ];
  return { cost: 1e7, units: 64, awaited: false, segment: { label: "", steps: [], buffers } };
}

const [job, next] = [jobOf(1000), jobOf(1500)];

it("goes on behind a short job while it runs", () => {
  expect(overlaps(job, next, room, resident)).toBe(true);
});

it.each([
  ["memory holds one job alone, though two of the smaller one", { budget: 7499 }, {}],
  ["a job takes long, whose time tells the rate", {}, { cost: 1e8 }],
  ["nobody knows how fast the device is", { observed: false }, {}],
  ["the next job needs what this one found", {}, { awaited: true }],
  ["the device is a CPU", { device: { kind: "cpu" } as OverlapRoom["device"] }, {}],
  ["references stream", { layout: { ...room.layout!, resident: false } }, {}],
] as const)("waits where %s", (_, own, asked) => {
  expect(overlaps({ ...job, ...asked }, next, { ...room, ...own }, resident)).toBe(false);
});

it("waits where no job is left", () => {
  expect(overlaps(job, undefined, room, resident)).toBe(false);
});
