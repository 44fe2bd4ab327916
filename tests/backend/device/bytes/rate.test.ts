/**
 * The measured rate of bytes, on little made-up data, a stage that lies, and what a search makes of a rate.
 * That bytes are not slower where they are taken is measured on a card (bench/results/knn-bytes.md).
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Device } from "../../../../dist/node.js";
import { kneighbors } from "../../../../dist/node.js";
import { knnByteFilter } from "../../../../dist/ops/knn/bytePrimitive.js";
import {
  assumeByteRate,
  byteRate,
  measureByteRate,
  type ByteRate,
} from "../../../../dist/ops/knn/gpu/bytes/rate.js";
import { printedSeed, Random } from "../../../oracle/random.ts";
import { openBeside } from "../../helpers.ts";
import { hasGpu } from "../gpu.ts";
import { lying } from "./lying.ts";

const SIZES = { queries: 8, refs: [4352, 4864], calls: 1, runs: 1 } as const;

describe.skipIf(!hasGpu)("the rate of bytes", () => {
  let device: Device;
  beforeAll(async () => void (device = await openBeside("gpu")));
  afterAll(() => device.dispose());

  it("is that of packed products where there are no matrix units", async () => {
    const { times, by } = await measureByteRate(device.backend, 32, SIZES);
    expect(times).toBeGreaterThan(0);
    expect(by).toBe("packed products");
  });

  it("is zero for a stage that rules out what it must not", async () => {
    const change = (code: string) => code.replace(/(\w+-2\*\w+)<=/, "$1+30000<=");
    expect((await measureByteRate(device.backend, 32, SIZES, lying(knnByteFilter, change))).times).toBe(0);
  });

  it("is zero for a stage whose products are wrong", async () => {
    const change = (code: string) => code.replaceAll("dot4I8Packed", "-dot4I8Packed");
    expect((await measureByteRate(device.backend, 32, SIZES, lying(knnByteFilter, change))).times).toBe(0);
  });

  it("is zero for a stage that a driver does not compile", async () => {
    const change = (code: string) => code.replaceAll("dot4I8Packed", "dot4OfNobody");
    expect((await measureByteRate(device.backend, 32, SIZES, lying(knnByteFilter, change))).times).toBe(0);
  });

  it("is measured once a device", async () => {
    const assumed: ByteRate = { times: 3, by: "matrix units" };
    assumeByteRate(device.backend, assumed);
    expect(await byteRate(device.backend, 20)).toBe(assumed);
    expect(await byteRate(device.backend, 5000)).toBe(assumed);
  });
});

describe.skipIf(!hasGpu)("a search on a device with a rate of bytes", () => {
  const random = new Random(printedSeed());
  const [rows, cols, queries, k] = [6000, 24, 7, 3];
  const matrix = (count: number) => ({
    data: Float32Array.from({ length: count * cols }, () => random.uniform()),
    rows: count,
    cols,
  });
  const [train, asked] = [matrix(rows), matrix(queries)];

  async function search(times: number, options: { bytes?: boolean | "measured"; k?: number } = {}) {
    const device = await openBeside("gpu");
    assumeByteRate(device.backend, { times, by: "packed products" });
    const { k: wanted = k, bytes = "measured" } = options;
    const tiles = { bytes, group: 8 };
    const found = await kneighbors(train, asked, { k: wanted, device, tiles });
    device.dispose();
    return found;
  }

  it("takes bytes where they are faster, and finds the same rows", async () => {
    const plain = await search(4, { bytes: false });
    const found = await search(4);
    expect(found.indices).toEqual(plain.indices);
    expect(found.distances).toEqual(plain.distances);
    expect(plain.explanation.technique).not.toMatch(/packed/);
    expect(found.explanation.technique).toMatch(/float32, after packed products, certified/);
    expect(found.explanation.why).toMatch(
      /bytes first, since packed products are 4\.0 times as fast here as float32/,
    );
  });

  it("takes none where they are hardly faster, or wrong", async () => {
    const slow = (await search(1.1)).explanation;
    expect(slow.why).toMatch(/no bytes first: packed products are 1\.1 times as fast/);
    expect(slow.technique).not.toMatch(/packed/);
    expect((await search(0)).explanation.why).toMatch(/does not have or gets wrong/);
  });

  it("takes none where the sample says that too many pairs would pass", async () => {
    const { why, technique } = (await search(4, { k: 400 })).explanation;
    expect(why).toMatch(/would rule out too few pairs, although packed products are 4\.0 times/);
    expect(technique).not.toMatch(/packed/);
  });

  it.each([true, false])(
    "finds the same with matrix units asked for or refused (%s)",
    async (matrixUnits) => {
      const options = { k, backend: "gpu", matrixUnits } as const;
      const found = await kneighbors(train, asked, options);
      const { indices } = await kneighbors(train, asked, { k, backend: "cpu", threads: 1 });
      expect(found.indices).toEqual(indices);
    },
  );

  it("looks at no rate for so little work", async () => {
    const device = await openBeside("gpu");
    assumeByteRate(device.backend, { times: 4, by: "packed products" });
    const { explanation } = await kneighbors(train, asked, { k, device });
    expect(explanation.why).not.toMatch(/bytes/);
    device.dispose();
  });
});
