/** The variant that a sort takes on a device, its tiles, and the digits that keys are cut into. */
import { expect, it } from "vitest";
import { sortKernel } from "../../../src/ops/sort/gpu.ts";
import { sortStream } from "../../../src/ops/sort/plan.ts";
import { cutDigits, keyWords, type KeyType } from "../../../src/ops/sort/contract.ts";
import {
  fits,
  leastTile,
  sortPolicy,
  tileOf,
  variantOf,
  type SortDevice,
} from "../../../src/ops/sort/policy.ts";

const types: readonly KeyType[] = ["u32", "f64"];

/** Devices from the least that WebGPU allows to those of today. */
const devices: SortDevice[] = [256, 1024].flatMap((workgroupThreads) =>
  [16_384, 32_768, 49_152].flatMap((workgroupBytes) =>
    [undefined, 4, 8, 16, 32, 64, 128].flatMap((subgroupSize) =>
      [false, true].map((subgroups) => {
        const traits = { forwardProgress: true, subgroups };
        return { workgroupThreads, workgroupBytes, subgroupSize, traits };
      }),
    ),
  ),
);

it("fits every device there may be, in tiles no smaller than plans suppose", () => {
  for (const type of types) {
    for (const device of [{}, ...devices]) {
      const variant = variantOf(type, device);
      expect(fits(variant, keyWords(type), device), JSON.stringify(device)).toBe(true);
      expect(tileOf(variant)).toBeGreaterThanOrEqual(leastTile(type));
    }
    const tiles = devices.map((device) => tileOf(variantOf(type, device)));
    expect(Math.min(...tiles)).toBe(leastTile(type));
  }
});

it("needs no more bytes on any device than plans suppose", () => {
  for (const type of types) {
    for (const values of ["none", "given", "indices"] as const) {
      const common = { type, values, descending: false, beginBit: 0, endBit: 32 };
      const offsets = Uint32Array.of(0, 50, 99_000, 100_001);
      for (const params of [
        { ...common, count: 100_001, rows: 3, offsets },
        { ...common, count: 7681, rows: 1 },
      ]) {
        const { buffers } = sortStream(params).segment(0, params.count, undefined);
        const planned = new Map(buffers.map(({ name, bytes }) => [name, bytes]));
        for (const device of devices) {
          const needed = Object.entries(
            sortKernel.bytes(params, { workgroupsPerDimension: 65_535, ...device }),
          );
          const missing = needed.filter(([name, bytes]) => bytes > (planned.get(name) ?? 0));
          expect(missing, JSON.stringify(device)).toEqual([]);
        }
      }
    }
  }
});

it("votes in subgroups of 16 and 32 lanes that follow each other, in the largest tile that fits", () => {
  for (const device of devices) {
    const { subgroups, lanes } = variantOf("u32", device);
    const mayVote = device.traits!.subgroups && [16, 32].includes(device.subgroupSize!);
    expect([subgroups, lanes]).toEqual(mayVote ? [true, device.subgroupSize] : [false, 32]);
  }
  const traits = { forwardProgress: true, subgroups: true };
  const h200 = { traits, subgroupSize: 32, workgroupThreads: 1024, workgroupBytes: 49_152 };
  expect(variantOf("u32", h200)).toMatchObject({ threads: 512, items: 20 });
  expect(variantOf("i64", h200)).toMatchObject({ threads: 512, items: 10 });
  expect(variantOf("u32", { ...h200, workgroupThreads: 256 })).toMatchObject({ threads: 256, items: 12 });
  expect(variantOf("u32", { ...h200, workgroupBytes: 16_384 })).toMatchObject({ threads: 256, items: 12 });
});

it("waits only where a self-test saw that it may, and as long as that says", () => {
  expect(variantOf("u32", {})).toMatchObject({ isChained: false, patience: sortPolicy.patience });
  const traits = { forwardProgress: true, subgroups: false, patience: 0 };
  expect(variantOf("u32", { traits })).toMatchObject({ isChained: true, patience: 0 });
});

it("cuts bits into digits of about the same width, none of them across words", () => {
  for (const [begin, end, most] of [
    [0, 32, 8],
    [0, 64, 8],
    [0, 64, 11],
    [5, 5, 8],
    [27, 61, 8],
    [31, 33, 8],
    [40, 41, 11],
  ]) {
    const digits = cutDigits(begin, end, most);
    let at = begin;
    for (const { word, shift, bits } of digits) {
      expect(32 * word + shift).toBe(at);
      expect(bits).toBeGreaterThan(0);
      expect(bits).toBeLessThanOrEqual(most);
      expect(shift + bits).toBeLessThanOrEqual(32);
      at += bits;
    }
    expect(at).toBe(end);
    const halves = [Math.max(0, Math.min(end, 32) - begin), Math.max(0, end - Math.max(begin, 32))];
    const fewest = halves.reduce((sum, bits) => sum + Math.ceil(bits / most), 0);
    expect(digits.length).toBe(fewest);
  }
});
