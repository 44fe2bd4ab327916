/**
 * knn.byteFilter on the GPU against knn.filter: the lists must be the same to the bit, whatever bytes rule
 * out. Matrix units are no software GPU's; what is tested here of them is that a device which multiplies
 * wrongly is found out.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boundOf } from "../../../../dist/distance/bound/bound.js";
import { byteBoundOf } from "../../../../dist/distance/bound/bytes.js";
import {
  BYTE_COUNTS,
  knnQuantizedBytes,
  knnQuantizedPlaces,
} from "../../../../dist/ops/knn/contract/bytes.js";
import { knnFilterScratchBytes, type KnnRooms } from "../../../../dist/ops/knn/contract/filter.js";
import { knnByteFilterPasses, unpackShaders } from "../../../../dist/ops/knn/gpu/bytes/bytes.js";
import { knnFilterPasses } from "../../../../dist/ops/knn/gpu/filter/filter.js";
import type { GpuBackend } from "../../../../dist/runtime/gpu/backend.js";
import { Health } from "../../../../dist/runtime/gpu/health.js";
import { computesRight, listsShape } from "../../../../dist/runtime/gpu/matrixUnits.js";
import { kernelLimits, makePass, type Pass } from "../../../../dist/runtime/gpu/passes/pass.js";
import { printedSeed } from "../../../oracle/random.ts";
import { lists, type List, type Problem } from "../filter.ts";
import { hasGpu, openSharedGpu, randomizer } from "../gpu.ts";
import { PassRunner } from "../passRunner.ts";

const seed = printedSeed();

interface Shape {
  readonly queryRows: number;
  readonly refRows: number;
  readonly dims: number;
  readonly k: number;
  readonly cut?: boolean;
  /** The entry that becomes 127; default the largest. */
  readonly largest?: number;
  /** The same of turned rows; default the same. */
  readonly turnedLargest?: number;
}

/** Makes an entry of a query (side 1) or of a reference (-1). */
type Entry = (random: () => number, row: number, column: number, side: number) => number;

describe.skipIf(!hasGpu)("knn.byteFilter on the GPU", () => {
  let backend: GpuBackend;
  let runner: PassRunner;
  beforeAll(async () => {
    backend = await openSharedGpu();
    await unpackShaders();
    runner = new PassRunner(backend.device);
  });
  afterAll(() => backend.dispose());

  /** @returns what was counted, of rows as they are and turned: pairs that passed, queries without room */
  async function expectSame(shape: Shape, entry: Entry, caps: Partial<KnnRooms>) {
    const { queryRows, refRows, dims, k, cut = false } = shape;
    const stride = Math.ceil(dims / 4) * 4;
    const random = randomizer(seed);
    const rows = (count: number, side: number) => {
      const data = new Float32Array(count * stride);
      for (let i = 0; i < count; i++)
        for (let j = 0; j < dims; j++) data[i * stride + j] = entry(random, i, j, side);
      return data;
    };
    const [queries, refs] = [rows(queryRows, 1), rows(refRows, -1)];
    const bound = boundOf({
      ...{ core: "dot", dot: "squared", dims, p: 2, rounded: false, underflow: 0 },
      largest: 2 ** 20,
    })!;
    const metas = (data: Float32Array) => metasOf(data, stride, cut ? undefined : bound);
    const largest = shape.largest ?? refs.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    const capacity = Math.max(k, refRows);
    const params = {
      ...{
        core: "dot" as const,
        p: 0,
        weight: -2,
        slack: cut ? 0 : bound.slack,
        cut,
        k,
        capacity,
        dims,
        stride,
      },
      ...{ queryRows, refBegin: 3, refRows: refRows - 3, refOffset: 5, group: 32 },
    };
    const buffers = {
      queries: wordsOf(queries),
      queryMeta: wordsOf(metas(queries)),
      refs: wordsOf(refs),
      refMeta: wordsOf(metas(refs)),
      heads: new Uint32Array(queryRows * 2),
      candidates: queryRows * capacity,
      intervals: queryRows * capacity * 2,
      scratch: knnFilterScratchBytes(params) / 4,
      byteCentre: new Uint32Array(stride),
      quantized: new Uint32Array(knnQuantizedBytes(params) / 4),
    };
    const run = async (passes: readonly Pass[]) => {
      const got = await runner.run(passes, buffers);
      const downloads = new Map(Object.entries(got).map(([name, { buffer }]) => [name, buffer]));
      const found: List[] = lists({ capacity, queryMeta: metas(queries) } as Problem, { downloads });
      const { counts } = knnQuantizedPlaces(params);
      return { found, counted: got["quantized"].subarray(4 * counts, 4 * counts + BYTE_COUNTS) };
    };
    const limits = kernelLimits(runner.device);
    const { found: expected } = await run(knnFilterPasses(params, limits, { caps }));
    const bytes = byteBoundOf(largest, dims, bound)!;
    const { found, counted } = await run(knnByteFilterPasses({ ...params, bytes }, limits, { caps }));
    expect(found).toEqual(expected);
    const evened = byteBoundOf(shape.turnedLargest ?? largest, dims, bound)!;
    const turn = { ...params, bytes: evened, turned: true };
    const turned = await run(knnByteFilterPasses(turn, limits, { caps }));
    expect(turned.found).toEqual(expected);
    if (runner.device.features.has("subgroups")) {
      // Four lanes compare four pairs together.
      const traits = { forwardProgress: false, subgroups: true };
      const { found } = await run(knnByteFilterPasses({ ...params, bytes }, { ...limits, traits }, { caps }));
      expect(found).toEqual(expected);
    }
    return { asIs: counted, turned: turned.counted };
  }

  const few: Partial<KnnRooms> = { first: 200, room: 700 };
  const uniform: Entry = (random) => random() - 0.5;

  it.each([
    [70, 1300, 20, 5, false],
    [3, 1029, 64, 9, true],
    [65, 777, 33, 1, false],
  ])("leaves the same lists (%i x %i x %i, k = %i, cut %s)", async (queryRows, refRows, dims, k, cut) => {
    const [appended, overflowed] = (await expectSame({ queryRows, refRows, dims, k, cut }, uniform, few))
      .asIs;
    expect(overflowed).toBe(0);
    expect(appended).toBeGreaterThanOrEqual(queryRows * Math.min(k, 1));
    expect(appended).toBeLessThan((queryRows * refRows) / 3);
  });

  it("rules nothing wanted out where rows are far, cut off, alike or without length", async () => {
    const odd: Entry = (random, row, column) => {
      if (row % 7 === 0) return 0.25;
      if (row % 11 === 0) return 0;
      if (row % 13 === 0) return column === 3 ? 1e6 : random();
      if (row % 17 === 0) return 1e-30 * random();
      return random() - 0.5;
    };
    await expectSame({ queryRows: 40, refRows: 900, dims: 12, k: 6, largest: 0.4 }, odd, few);
  });

  it("rules no tie out whose bytes are as far apart as they can be", async () => {
    const apart: Entry = (_random, _row, _column, side) => side * (0.5 + 2 ** -10);
    const shape = { queryRows: 5, refRows: 600, dims: 60, k: 4, largest: 127 };
    // The first 192 are compared in float32 alone.
    expect([...(await expectSame(shape, apart, few)).asIs]).toEqual([5 * (597 - 192), 0]);
  });

  it("computes anew where more pairs pass than there is room for", async () => {
    const alike: Entry = (random, row) => (row % 3 === 0 ? 0.5 : random() - 0.5);
    const shape = { queryRows: 20, refRows: 800, dims: 8, k: 4 };
    const { asIs } = await expectSame(shape, alike, { first: 100, room: 40 });
    expect(asIs[1]).toBeGreaterThan(0);
  });

  it("lets not all pairs of other queries pass where one of the tile is far", async () => {
    const shape = { queryRows: 60, refRows: 1000, dims: 48, k: 3, largest: 0.5 };
    const far: Entry = (random, row, _column, side) => (side > 0 && row === 7 ? 25 : 1) * (random() - 0.5);
    const [alone] = (await expectSame(shape, uniform, few)).asIs;
    const [beside, overflowed] = (await expectSame(shape, far, few)).asIs;
    expect(overflowed).toBe(1);
    // With no usual loss 20 times as many pass.
    expect(beside).toBeLessThan(8 * alone);
  });

  it("lets a quarter of the pairs pass at most where rows with a few huge entries are turned", async () => {
    const huge: Entry = (random, _row, _column, side) =>
      (side < 0 && random() < 0.002 ? 100 : 4) * (random() - 0.5);
    const shape = { queryRows: 40, refRows: 1000, dims: 48, k: 3, largest: 50, turnedLargest: 14 };
    const { asIs, turned } = await expectSame(shape, huge, few);
    expect(turned[0]).toBeLessThan(asIs[0] / 4);
  });

  it("cuts more windows where a sample was loose", () => {
    const rows = { queryRows: 64, refBegin: 0, refRows: 100_000, refOffset: 0, dims: 8, stride: 8 };
    const sizes = {
      core: "dot",
      p: 0,
      weight: -2,
      slack: 0,
      cut: true,
      k: 10,
      capacity: 80,
      group: 32,
    } as const;
    const bytes = { scale: 1, factor: 0, constant: 0 };
    const windows = (looseness = 1) =>
      knnByteFilterPasses({ ...rows, ...sizes, bytes, looseness }, kernelLimits(runner.device)).filter(
        ({ label }) => label === "knn.bytes",
      ).length;
    expect(windows(1.4)).toBe(windows());
    expect(windows(6)).toBeGreaterThan(windows());
    expect(windows(60)).toBeGreaterThan(windows(6));
  });

  it("takes no device for one with the shape that lists others", () => {
    const config = { componentType: "i8", resultComponentType: "i32", M: 16, N: 16, K: 32 };
    const listing = (...subgroupMatrixConfigs: object[]) => ({ subgroupMatrixConfigs }) as never;
    expect(listsShape(listing({ ...config, N: 8 }, config))).toBe(true);
    expect(listsShape(listing({ ...config, componentType: "u8" }, { ...config, N: 8 }))).toBe(false);
    expect(listsShape(listing())).toBe(true);
  });

  it("finds out a device that multiplies wrongly", async () => {
    const health = new Health(runner.device);
    expect(await computesRight(runner.device, health, [plainProducts("sum")])).toBe(true);
    expect(await computesRight(runner.device, health, [plainProducts("sum + select(0, 1, at == 77u)")])).toBe(
      false,
    );
  });
});

/** The self-test's products by plain loops, stored as an expression of `sum` and `at` has it. */
function plainProducts(stored: string): Pass {
  const body = `
    fn byteOf(word: u32, i: u32) -> i32 { return bitcast<i32>(word << (24u - 8u * i)) >> 24u; }
    @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) lane: u32) {
      for (var at = lane; at < params.rounds * 256u; at += 32u) {
        var sum = 0;
        for (var k = 0u; k < 32u; k++) {
          let a = left[at % 16u * 8u + k / 4u][k % 4u];
          let b = right[at / 16u % 16u * 8u + k / 4u][k % 4u];
          for (var i = 0u; i < 4u; i++) { sum += byteOf(a, i) * byteOf(b, i); }
        }
        output[at] = ${stored};
      }
    }`;
  return makePass(
    {
      label: "plain products",
      body,
      uniforms: [["rounds", "u32", 2]],
      bindings: [
        { name: "left", access: "read", type: "array<vec4u>" },
        { name: "right", access: "read", type: "array<vec4u>" },
        { name: "output", access: "read_write", type: "array<i32>" },
      ],
      groups: 1,
    },
    { workgroupsPerDimension: 1 },
  );
}

function metasOf(
  data: Float32Array,
  stride: number,
  bound: { productFactor: number; marginFactor: number; marginConstant: number } | undefined,
): Float32Array {
  const metas = new Float32Array((data.length / stride) * 4);
  for (let row = 0; row < metas.length / 4; row++) {
    let square = 0;
    for (let j = 0; j < stride; j++) square += data[row * stride + j] ** 2;
    metas[4 * row] = square;
    if (!bound) continue;
    metas[4 * row + 1] = bound.productFactor * Math.sqrt(square) * (1 + 2 ** -20);
    metas[4 * row + 2] = (bound.marginFactor * square + bound.marginConstant) * (1 + 2 ** -20);
  }
  return metas;
}

function wordsOf(data: Float32Array): Uint32Array<ArrayBuffer> {
  return new Uint32Array(data.slice().buffer);
}
