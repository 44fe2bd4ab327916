/**
 * That sums of float32 can only be cut where their association says; that all cuts give the same bits is
 * tests/backend/cpu/.
 */
import { expect, it } from "vitest";
import type { ArrayWasm } from "../../../src/runtime/cpu/arrayWasm.ts";
import { scanTotals, scanWrite } from "../../../src/ops/scan/cpu.ts";
import { assertChunk } from "../../../src/runtime/cpu/sums.ts";

const place = { buffer: new ArrayBuffer(400_000), byteOffset: 0 };
const task = {
  params: { type: "f32", op: "sum", exclusive: false, count: 100_000, initial: 0 },
  input: place,
  output: place,
  end: 100_000,
  before: 0,
} as const;

it("a part of a scan that begins within a chunk is refused", () => {
  const unused = {} as ArrayWasm<never>;
  expect(() => scanWrite.work({ ...task, begin: 1024 }, unused)).toThrow(
    "a part of a sum begins at 1024, within a chunk",
  );
  expect(() => scanTotals.work({ ...task, begin: 65_535 }, unused)).toThrow("begins at 65535");
});

it("parts may begin where chunks of 65,536 elements do", () => {
  for (const begin of [0, 65_536, 1_048_576]) assertChunk(begin);
  for (const begin of [1, 32_768, 65_537]) expect(() => assertChunk(begin)).toThrow("within a chunk");
});
