/**
 * compact, unique and runLength on a program's own buffers, which are full of garbage: as passes by every
 * variant, and as GpuPrimitives records them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompactParams } from "../../../dist/ops/compact/contract/compact.js";
import type { RunLengthParams } from "../../../dist/ops/compact/contract/runLength.js";
import type { UniqueParams } from "../../../dist/ops/compact/contract/unique.js";
import { GpuPrimitives, InvalidInputError } from "../../../dist/node.js";
import { compactPasses, unpack } from "../../../dist/ops/compact/gpu/compact.js";
import {
  defaultKernelLimits,
  type DeviceTraits,
  type KernelLimits,
  type Pass,
} from "../../../dist/runtime/gpu/passes/pass.js";
import { assumeTraits } from "../../../dist/runtime/gpu/traits.js";
import { runLengthPasses } from "../../../dist/ops/compact/gpu/runLength.js";
import { uniquePasses } from "../../../dist/ops/compact/gpu/unique.js";
import { keptIndices, naiveRuns } from "../../oracle/compact.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { bitsOf, padded, typeOf, type Elements } from "../arrays/elementInputs.ts";
import { scanVariants } from "../arrays/elements.ts";
import { runInputs } from "../runs.ts";
import { hasGpu, openSharedGpu } from "./gpu.ts";
import { PassRunner, POISON } from "./passRunner.ts";

const seed = printedSeed();
const tile = 4096;
/** On an adapter in software the tile that one waits for may be a thread that is not running. */
const PATIENCE = 2 ** 31;
const SCRATCH = 4096;

const waiting: DeviceTraits[] = scanVariants.map((traits) => ({ ...traits, patience: PATIENCE }));
const gaveUp: DeviceTraits = { ...waiting[0], patience: 0 };
const quick = waiting[1];

describe.skipIf(!hasGpu)("compact, unique and runLength as passes", () => {
  let runner: PassRunner;
  let close: () => void;
  beforeAll(async () => {
    await unpack();
    const backend = await openSharedGpu();
    runner = new PassRunner(backend.device);
    assumeTraits(backend.device, quick);
    close = () => backend.dispose();
  });
  afterAll(() => close());

  function limitsWith(more: Partial<KernelLimits>): KernelLimits {
    return { ...defaultKernelLimits, traits: quick, ...more };
  }

  /** The first words are as expected, and those after them still garbage. */
  function expectWords(words: Uint32Array, expected: readonly number[], capacity = Infinity): void {
    const written = expected.slice(0, capacity);
    expect([...words.subarray(0, written.length)]).toEqual(written);
    expect(words.subarray(written.length).every((word) => word === POISON)).toBe(true);
  }

  async function checkCompact(
    input: Elements,
    flags: Uint8Array,
    more: Partial<CompactParams>,
    limits: Partial<KernelLimits> = {},
  ): Promise<void> {
    const count = input.length;
    const wanted = { flags: "u8", values: true, indices: true, capacity: count, firstIndex: 0 } as const;
    const params: CompactParams = { count, ...wanted, ...more };
    const { values, indices, found } = await runPasses(compactPasses(params, limitsWith(limits)), {
      input: padded(input),
      flags: params.flags === "u8" ? bytesIn(flags) : padded(Uint32Array.from(flags, (flag) => flag << 24)),
      values: count,
      indices: count,
      found: 1,
      scratch: SCRATCH,
    });
    const kept = keptIndices(flags);
    expect([...found]).toEqual([kept.length]);
    if (count === 0) return;
    const bits = bitsOf(input);
    if (params.values) expectWords(values, kept.map((at) => bits[at]), params.capacity); // prettier-ignore
    const shifted = kept.map((at) => (at + params.firstIndex) >>> 0);
    if (params.indices) expectWords(indices, shifted, params.capacity);
  }

  /** Only what the passes bind. */
  function runPasses(passes: readonly Pass[], buffers: Parameters<PassRunner["run"]>[1]) {
    const bound = new Set(passes.flatMap(({ bindings }) => bindings.map(({ name }) => name)));
    return runner.run(
      passes,
      Object.fromEntries(Object.entries(buffers).filter(([name]) => bound.has(name))),
    );
  }

  function bytesIn(flags: Uint8Array): Uint32Array<ArrayBuffer> {
    // Flags past the last one are set, and must not count.
    const bytes = new Uint8Array(Math.max(4, Math.ceil(flags.length / 4) * 4)).fill(255);
    bytes.set(flags);
    return new Uint32Array(bytes.buffer);
  }

  function flagsFor(random: Random, count: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length: count }, () => random.pick([0, 1, 255]));
  }

  it.each([...waiting, gaveUp])("keep values and indices, by the variant %o", async (traits) => {
    for (const count of [0, 1, 2, 3, 5, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 3 * tile + 1]) {
      const random = new Random(seed + count);
      const input = Uint32Array.from({ length: count }, () => random.bits());
      const flags = count % 2 ? "u8" : "u32";
      await checkCompact(input, flagsFor(random, count), { flags }, { traits });
    }
  });

  it("keep everything, nothing, and what lies in one place", async () => {
    const random = new Random(seed + 7);
    const input = Uint32Array.from({ length: 4 * tile + 5 }, () => random.bits());
    const kinds = [() => 1, () => 0, (at: number) => (at % tile < tile / 2 + 1 ? 1 : 0)];
    for (const kind of kinds) {
      await checkCompact(
        input,
        Uint8Array.from(input, (_, at) => kind(at)),
        {},
      );
    }
  });

  it("keep only what is wanted, as far as there is room, and count all", async () => {
    const random = new Random(seed);
    const input = Float32Array.from({ length: tile + 9 }, () => random.normal());
    const flags = flagsFor(random, input.length);
    await checkCompact(input, flags, { indices: false });
    await checkCompact(input, flags, { values: false, firstIndex: 2 ** 32 - 5000 });
    await checkCompact(input, flags, { capacity: 1, flags: "u32" });
    await checkCompact(input, flags, { capacity: keptIndices(flags).length });
    await checkCompact(input, flags, { capacity: keptIndices(flags).length - 1 });
  });

  it("fold more workgroups than fit one dimension", async () => {
    const random = new Random(seed + 5);
    const input = Uint32Array.from({ length: 12 * tile }, () => random.bits());
    for (const traits of waiting.slice(0, 2)) {
      const limits = { traits, workgroupsPerDimension: 3 };
      await checkCompact(input, flagsFor(random, input.length), {}, limits);
    }
  });

  async function checkRuns(
    input: Elements,
    more: Partial<RunLengthParams>,
    limits: Partial<KernelLimits> = {},
  ) {
    const count = input.length;
    const base: UniqueParams = { type: typeOf(input), count, continued: false, capacity: Math.max(count, 1) };
    const params: RunLengthParams = { ...base, firstIndex: 0, ...more };
    const buffers = { input: padded(input), found: 1, scratch: SCRATCH, values: count };
    const { offsets, counts } = naiveRuns(input);
    if (params.continued) [offsets, counts].forEach((list) => list.shift());
    const bits = bitsOf(input);
    const elements = offsets.map((at) => bits[at]);
    const unique = await runPasses(uniquePasses(params, limitsWith(limits)), buffers);
    expect([...unique.found]).toEqual([offsets.length]);
    if (count > 0) expectWords(unique.values, elements, params.capacity);
    const runs = await runPasses(runLengthPasses(params, limitsWith(limits)), {
      ...buffers,
      counts: count,
      offsets: count,
    });
    expect([...runs.found]).toEqual([offsets.length]);
    if (count === 0) return;
    expectWords(runs.values, elements, params.capacity);
    expectWords(runs.counts, counts, params.capacity);
    const shifted = offsets.map((at) => at + params.firstIndex);
    expectWords(runs.offsets, shifted, params.capacity);
  }

  // Chained without subgroups takes long to compile in software.
  it.each([waiting[0], quick, waiting[waiting.length - 1], gaveUp])(
    "find runs, by the variant %o",
    async (traits) => {
      for (const count of [0, 1, 2, 3, 5, tile - 1, tile, tile + 1, 3 * tile + 1]) {
        await checkRuns(runInputs[10].make(new Random(seed + count), count), {}, { traits });
      }
    },
  );

  it.each(runInputs)("find runs of $name that go on, and where there is little room", async ({ make }) => {
    const input = make(new Random(seed), tile + 33);
    const runs = naiveRuns(input).offsets.length;
    await checkRuns(input, { continued: true, firstIndex: 77 });
    for (const capacity of new Set([1, 2, Math.max(1, runs - 1), runs])) await checkRuns(input, { capacity });
  });

  it("find runs with more workgroups than fit one dimension", async () => {
    const input = runInputs[10].make(new Random(seed), 12 * tile);
    await checkRuns(input, {}, { workgroupsPerDimension: 7 });
  });

  it("run on buffers of the caller, one after the other in one encoder", async () => {
    const primitives = await GpuPrimitives.create(runner.device);
    const input = Uint32Array.from({ length: 1001 }, (_, at) => Math.floor(at / 3));
    const flags = Uint32Array.from({ length: 1001 }, (_, at) => (at % 5 === 0 ? 1 : 0));
    const compact = await primitives.compact({ count: 1001, indices: true });
    const unique = await primitives.unique({ type: "u32", count: 1001 });
    const runLength = await primitives.runLength({ type: "u32", count: 1001 });
    expect(Object.keys(compact.bytes).sort()).toEqual([
      "flags",
      "found",
      "indices",
      "input",
      "scratch",
      "values",
    ]);
    const words = { values: 1001, indices: 1001, found: 1, once: 1001, runs: 1, counts: 1001, offsets: 1001 };
    const result = await runner.record(
      (encoder, { input, flags, values, indices, found, once, runs, counts, offsets }) => {
        compact.encode(encoder, { input, flags, values, indices, found });
        unique.encode(encoder, { input, values: once, found: runs });
        runLength.encode(encoder, { input, values: once, counts, offsets, found: runs });
      },
      { input: padded(input), flags: padded(flags), ...words },
    );
    const kept = keptIndices(flags);
    expectWords(result.values, kept.map((at) => input[at])); // prettier-ignore
    expectWords(result.indices, kept);
    expect([...result.found, ...result.runs]).toEqual([kept.length, 334]);
    const runs = naiveRuns(input);
    expectWords(result.once, runs.offsets.map((at) => input[at])); // prettier-ignore
    expectWords(result.counts, runs.counts);
    expectWords(result.offsets, runs.offsets);
    for (const operation of [compact, unique, runLength]) operation.dispose();
  });

  it("say that nothing was found among no elements", async () => {
    const primitives = await GpuPrimitives.create(runner.device);
    const operation = await primitives.compact({ count: 0 });
    const { found } = await runner.record(
      (encoder, { found, ...rest }) => operation.encode(encoder, { ...rest, found } as never),
      { found: 1 },
    );
    expect([...found]).toEqual([0]);
  });

  it("take buffers only for what is wanted, and name those that will not do", async () => {
    const primitives = await GpuPrimitives.create(runner.device);
    const indices = await primitives.compact({ count: 9, values: false, indices: true, flags: "u8" });
    const usage = GPUBufferUsage.STORAGE;
    const buffer = (size: number) => runner.device.createBuffer({ size, usage });
    const encode = (flags: GPUBuffer, target: GPUBuffer) => () =>
      indices.encode(runner.device.createCommandEncoder(), { flags, indices: target, found: buffer(4) });
    expect(encode(buffer(12), buffer(36))).not.toThrow();
    expect(encode(buffer(8), buffer(36))).toThrow(
      "compact, buffer flags: 8 bytes from offset 0 on; expected at least 12",
    );
    expect(encode(buffer(12), buffer(32))).toThrow("compact, buffer indices: 32 bytes from offset 0 on");
    const same = buffer(36);
    expect(encode(same, same)).toThrow("buffer indices: the same GPUBuffer as flags");
    const most = runner.device.limits.maxStorageBufferBindingSize;
    await expect(primitives.unique({ type: "u32", count: most / 4 + 1 })).rejects.toThrow(
      `this device binds at most ${most} at a time: ${most / 4} elements per call`,
    );
    for (const wrong of [
      { count: -1 },
      { capacity: 0 },
      { flags: "u16" },
      { values: false },
      { firstIndex: 0.5 },
    ]) {
      await expect(primitives.compact({ count: 4, ...wrong } as never)).rejects.toThrow(InvalidInputError);
    }
    await expect(primitives.runLength({ type: "f64" as never, count: 1 })).rejects.toThrow("unknown type");
  });
});
