/**
 * Whole searches on a GPU through groups of references: the neighbours of the CPU backend, bit for bit,
 * however the work is cut; and dispatches no longer than what was observed of the device allows.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Segment, SegmentOutput } from "../../../dist/runtime/backend.js";
import { Device, NearestNeighbors, kneighbors, type KnnOptions } from "../../../dist/node.js";
import { hasGpu, randomizer } from "./gpu.ts";

const COLS = 6;

describe.skipIf(!hasGpu)("a search through groups", () => {
  let gpu: Device;
  let cpu: Device;
  beforeAll(async () => {
    gpu = await Device.create({ backend: "gpu" });
    cpu = await Device.create({ backend: "cpu", threads: 1 });
  });
  afterAll(() => {
    gpu.dispose();
    cpu.dispose();
  });

  const tiles = { group: 16, queries: 40, references: 192, chunk: 250 };

  it.each([
    ["small differences far out", (random: () => number) => 1e6 + random() * 1e-3],
    ["duplicates", (random: () => number) => Math.floor(random() * 2)],
    ["one far row", (random: () => number, row: number) => (row === 17 ? 1e12 : random())],
  ])("finds what the CPU backend finds: %s", async (_, value) => {
    const [train, queries] = [rowsOf(400, 1, value), rowsOf(41, 2, value)];
    const { indices, distances } = await kneighbors(train, queries, { k: 3, device: cpu });
    const found = await kneighbors(train, queries, { k: 3, device: gpu, tiles });
    expect(found.explanation.largestTile?.group).toBe(16);
    expect(found.indices).toEqual(indices);
    expect(found.distances).toEqual(distances);
  });

  it("gives float32 the bits of stored values", async () => {
    const [train, queries] = [rowsOf(400, 3), rowsOf(33, 4)];
    const search = (tiled: KnnOptions["tiles"]) =>
      kneighbors(train, queries, { k: 9, device: gpu, precision: "float32", tiles: tiled });
    const { indices, distances } = await search({ group: 0 });
    expect(await search(tiles)).toMatchObject({ indices, distances });
  });

  it("plans no dispatch longer than a tenth of a second at the rate it has observed", async () => {
    const device = await Device.create({ backend: "gpu" });
    const runs = record(device);
    const { initialRate } = device.info;
    const index = new NearestNeighbors({ nNeighbors: 3, device, tiles: { queries: 20 } });
    const model = await index.fit(rowsOf(500, 5));
    await model.kneighbors(rowsOf(40, 6));
    await model.kneighbors(rowsOf(20, 7));
    model.dispose();
    device.dispose();
    let [rate, observed] = [initialRate, false];
    const jobs = runs.filter(({ works }) => works.length > 0);
    expect(jobs.length).toBeGreaterThan(2);
    for (const { works, ms, compiled } of jobs) {
      const least = 16 * 64 * 8;
      expect(Math.max(...works)).toBeLessThanOrEqual(Math.max(least, (observed ? rate : rate / 8) * 0.1));
      if (compiled) continue;
      observed = true;
      const measured = works.reduce((sum, each) => sum + each, 0) / (ms / 1000);
      // A dispatch that took less is mostly latency.
      if (measured > rate || ms >= 20 * works.length) rate = Math.min(measured, rate * 4);
    }
  });
});

interface Run {
  readonly works: readonly number[];
  readonly ms: number;
  readonly compiled: boolean;
}

/**
 * What every segment of a device did from now on: the work of its dispatches, and how long all of it took.
 */
function record(device: Device): Run[] {
  const runs: Run[] = [];
  const { backend } = device;
  const open = backend.open.bind(backend);
  backend.open = async (resident) => {
    const session = await open(resident);
    const run = session.run.bind(session);
    session.run = async (segment: Segment, ...rest): Promise<SegmentOutput> => {
      const output = await run(segment, ...rest);
      const works = segment.steps.flatMap((step) => (step.kind === "run" ? [step.cost] : []));
      runs.push({ works, ms: output.ms, compiled: output.compiled === true });
      return output;
    };
    return session;
  };
  return runs;
}

function rowsOf(rows: number, seed: number, value = (random: () => number, _row: number) => random()) {
  const random = randomizer(seed);
  const data = Float64Array.from({ length: rows * COLS }, (_, at) => value(random, Math.floor(at / COLS)));
  return { data, rows, cols: COLS };
}
