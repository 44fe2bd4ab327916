/**
 * Few queries that read bytes of the references: when an index begins to and when it ends, and what a device
 * is found out by that reads them wrongly. That all find the same rows is tested in knn_stage.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Device } from "../../../../dist/node.js";
import { tryBytes } from "../../../../dist/ops/knn/ahead/byteTrial.js";
import { KnnIndex } from "../../../../dist/ops/knn/knnIndex.js";
import { knnFewByteFilter } from "../../../../dist/ops/knn/fewPrimitive.js";
import { bruteForce } from "../../../oracle/knn.ts";
import { printedSeed, Random } from "../../../oracle/random.ts";
import { eventually, expectSame, openBeside } from "../../helpers.ts";
import { matrix } from "../../inputs.ts";
import { hasGpu } from "../gpu.ts";
import { lying } from "./lying.ts";

const random = new Random(printedSeed());
/** With fewer rows, or more neighbours, bytes gain nothing. */
const [ROWS, COLS, K] = [8000, 64, 1];
const TIED = 4;

describe.skipIf(!hasGpu)("few queries that read bytes", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openBeside("gpu");
    // A GPU in software does nothing of this by itself, nor one with little memory.
    const { backend } = device;
    const { info } = backend;
    Object.defineProperty(backend, "info", {
      get: () => ({ ...info, software: false, budgetBytes: 2 ** 33 }),
    });
  });
  afterAll(() => device.dispose());

  const near = () => matrix(1, COLS, () => Math.fround(random.uniform()));
  const train = matrix(ROWS, COLS, () => Math.fround(random.uniform()));

  it("do so once an index had some, and no more where bytes left too much of several", async () => {
    const index = await KnnIndex.create(device, train, { tiles: { ahead: false } });
    const readsBytes = async () => {
      const queries = near();
      const found = await index.search(queries, K);
      expectSame(found, bruteForce(train, queries, { k: K }), K);
      return found.explanation.why.includes("as bytes");
    };
    for (let turn = 0; turn < 32; turn++) expect(await readsBytes()).toBe(false);
    await eventually(readsBytes, true, 120);
    expect(index.rows.failures).toBe(0);
    index.rows.failures = 4;
    expect(await readsBytes()).toBe(true);
    index.rows.failures = 5;
    for (let turn = 0; turn < 3; turn++) expect(await readsBytes()).toBe(false);
    index.dispose();
  });

  it("leave the rest to float32 where more spans tie than are chosen at a time", async () => {
    const spans = 290;
    const ties = matrix(256 * spans, 20, (i) => (i % 256 === 7 ? 0.5 : 1 + Math.fround(random.uniform())));
    const queries = matrix(2, 20, () => 0.25);
    const tiles = { few: "bytes" } as const;
    const index = await KnnIndex.create(device, ties, { tiles });
    const found = await index.search(queries, TIED);
    const rows = Array.from({ length: TIED }, (_, i) => 256 * i + 7);
    expect([...found.indices]).toEqual([...rows, ...rows]);
    const { why, jobs, repeatedQueries } = found.explanation;
    expect(why).toMatch(/, as bytes/);
    // Both queries once for bytes, and once for lists that overflow in float32, too.
    expect(repeatedQueries).toBe(4);
    expect(jobs).toBe(3);
    expect(index.rows.failures).toBe(1);
    index.dispose();
  });

  it("are right, as a trial tells", async () => {
    expect(await tryBytes(device.backend)).toBe(true);
  });

  it.each([
    ["products", (code: string) => code.replaceAll("dot4I8Packed", "-dot4I8Packed")],
    ["intervals", (code: string) => code.replace("1.0-0x1p-16", "1.125")],
  ])("are found out by their %s if they are wrong", async (_, change) => {
    expect(await tryBytes(device.backend, lying(knnFewByteFilter, change))).toBe(false);
  });
});
