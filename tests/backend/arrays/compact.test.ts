/**
 * compact() and flatnonzero() on every backend against the naive oracle: any element, bit or place that
 * differs fails. Fresh inputs each run; the printed seed repeats them.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { compact, flatnonzero, type FlagArray } from "../../../dist/node.js";
import { keptIndices } from "../../oracle/compact.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { bitsOf, elementInputs, type Elements } from "./elementInputs.ts";
import { assume, firstWrong, scanVariants } from "./elements.ts";
import { onEachBackend, openBeside } from "../helpers.ts";

const seed = printedSeed();
const tile = 4096;

/** Completes "with ... flags". */
const flagKinds: Readonly<Record<string, (random: Random, at: number) => number>> = {
  no: () => 0,
  only: () => 1,
  alternating: (_, at) => at % 2,
  random: (random) => random.pick([0, 0, 1, 2, 128, 255]),
  few: (random) => (random.int(0, 97) === 0 ? 1 : 0),
  "nearly only": (random) => (random.int(0, 97) === 0 ? 0 : 9),
};

function bytesOf(kind: string, count: number, random: Random): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: count }, (_, at) => flagKinds[kind](random, at));
}

/** The same flags as words, of which some are not 0 only in their upper bytes. */
function wordsOf(flags: Uint8Array): Uint32Array<ArrayBuffer> {
  return Uint32Array.from(flags, (flag, at) => (flag === 0 ? 0 : flag * 2 ** (8 * (at % 4))));
}

function wrongAt(found: Elements, input: Elements, flags: FlagArray): string | undefined {
  const bits = bitsOf(input);
  return firstWrong(
    bitsOf(found),
    keptIndices(flags).map((at) => bits[at]),
  );
}

onEachBackend((device, backend) => {
  /** The variant that software is quickest at. */
  const quick = scanVariants[1];
  beforeEach(() => assume(device(), quick));

  it.each([0, 1, 2, 3, 4, 5, 15, 16, 17, 31, tile - 1, tile, tile + 1, 9973, 70_001])(
    "keeps what flags of every kind say of %i elements",
    async (count) => {
      const random = new Random(seed + count);
      for (const [at, kind] of Object.keys(flagKinds).entries()) {
        const input = elementInputs[at].make(random, count);
        const bytes = bytesOf(kind, count, random);
        assume(device(), scanVariants[at % 2]);
        for (const flags of [bytes, wordsOf(bytes)]) {
          const kept = await compact(input, flags, { device: device() });
          expect(kept.constructor).toBe(input.constructor);
          expect(wrongAt(kept, input, flags), `${kind} ${flags.constructor.name}`).toBeUndefined();
        }
        const indices = await flatnonzero(at % 2 ? bytes : wordsOf(bytes), { device: device() });
        expect(firstWrong(indices, keptIndices(bytes)), kind).toBeUndefined();
      }
    },
  );

  it.each(elementInputs)("keeps every bit of $name", async ({ make, name }) => {
    const random = new Random(seed + name.length);
    const input = make(random, tile + 7);
    const flags = bytesOf("random", input.length, random);
    expect(wrongAt(await compact(input, flags, { device: device() }), input, flags)).toBeUndefined();
  });

  const variants = backend === "cpu" ? [quick] : scanVariants.slice(0, 2);

  it.each(variants)("keeps the same every time, by the variant %o", async (variant) => {
    assume(device(), variant);
    const random = new Random(seed);
    const input = Uint32Array.from({ length: 70_001 }, () => random.bits());
    const flags = bytesOf("random", input.length, random);
    for (let run = 0; run < 4; run++) {
      const kept = await compact(input, flags, { device: device() });
      expect(wrongAt(kept, input, flags), `run ${run}`).toBeUndefined();
    }
  });

  it("keeps of 2^20 + 7 elements, which is more than a group of tiles", async () => {
    const random = new Random(seed);
    const input = Uint32Array.from({ length: 2 ** 20 + 7 }, () => random.bits());
    const flags = bytesOf("random", input.length, random);
    const kept = await compact(input, flags, { device: device() });
    expect(wrongAt(kept, input, flags)).toBeUndefined();
    assume(device(), scanVariants[0]);
    const indices = await flatnonzero(flags, { device: device() });
    expect(firstWrong(indices, keptIndices(flags))).toBeUndefined();
  });

  it("keeps the same however the array is cut", async () => {
    const random = new Random(seed + 1);
    const input = Int32Array.from({ length: 5 * tile + 3 }, () => random.bits());
    const bytes = bytesOf("random", input.length, random);
    for (const flags of [bytes, wordsOf(bytes)]) {
      for (const piece of [1, 2 * tile]) {
        const options = { tuning: { piece }, device: device() };
        expect(wrongAt(await compact(input, flags, options), input, flags)).toBeUndefined();
        expect(firstWrong(await flatnonzero(flags, options), keptIndices(flags))).toBeUndefined();
      }
    }
  });

  it("reads and writes parts of arrays, and nothing else", async () => {
    const memory = new Float32Array(40).fill(NaN);
    const input = memory
      .subarray(3, 10)
      .fill(0)
      .map((_, at) => at / 2);
    memory.set(input, 3);
    const flags = Uint8Array.of(9, 9, 9, 0, 1, 0, 1, 1, 0, 1, 9).subarray(3, 10);
    const out = new Float32Array(20).fill(-1);
    const given = { device: device(), out: out.subarray(5, 12) };
    const kept = await compact(memory.subarray(3, 10), flags, given);
    expect(kept.buffer).toBe(out.buffer);
    expect([...kept]).toEqual([0.5, 1.5, 2, 3]);
    expect([...out.subarray(0, 12)]).toEqual([-1, -1, -1, -1, -1, 0.5, 1.5, 2, 3, -1, -1, -1]);
    expect([...flags]).toEqual([0, 1, 0, 1, 1, 0, 1]);
    expect([...memory.subarray(3, 10)]).toEqual([...input]);
  });

  it("takes an out that has room for what is kept only, and says how much more it needed", async () => {
    const random = new Random(seed + 2);
    const input = Uint32Array.from({ length: 3 * tile }, () => random.bits());
    const flags = bytesOf("few", input.length, random);
    const count = keptIndices(flags).length;
    const memory = new Uint32Array(count + 1).fill(7);
    const options = { tuning: { piece: tile }, device: device() };
    const kept = await compact(input, flags, { ...options, out: memory.subarray(0, count) });
    expect(wrongAt(kept, input, flags)).toBeUndefined();
    expect(memory[count]).toBe(7);
    memory.fill(7);
    const small = compact(input, flags, { ...options, out: memory.subarray(0, count - 1) });
    await expect(small).rejects.toThrow(
      `out has ${count - 1} elements, but there are ${count} elements to keep; expected room for all`,
    );
    expect([...memory.subarray(count - 1)]).toEqual([7, 7]);
    const indices = flatnonzero(flags, { ...options, out: new Uint32Array(1) });
    await expect(indices).rejects.toThrow(`out has 1 element, but there are ${count} elements to keep`);
  });

  it("makes new arrays of their own, no larger than the result", async () => {
    const input = Uint32Array.from({ length: 100 }, (_, at) => at);
    const kept = await compact(input, new Uint8Array(100).fill(1, 40, 42), { device: device() });
    expect([...kept]).toEqual([40, 41]);
    expect(kept.buffer.byteLength).toBe(8);
    const all = await compact(input, new Uint8Array(100).fill(1), { device: device() });
    expect(all.buffer).not.toBe(input.buffer);
  });

  it("reports progress up to the end, and stops when aborted before it starts", async () => {
    const seen: number[] = [];
    const onProgress = ({ done }: { done: number }) => void seen.push(done);
    const flags = new Uint8Array(100);
    await flatnonzero(flags, { onProgress, device: device() });
    expect([seen[0], seen.at(-1)]).toEqual([0, 100]);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(flatnonzero(flags, { signal, device: device() })).rejects.toThrow("enough");
  });

  if (backend === "gpu") {
    it("compacts an array larger than the memory it may use", async () => {
      const small = await openBeside("gpu", { deviceMemory: 2 ** 18 });
      assume(small, quick);
      const random = new Random(seed + 3);
      const input = Uint32Array.from({ length: 100_001 }, () => random.bits());
      const flags = bytesOf("random", input.length, random);
      const kept = await compact(input, flags, { device: small });
      expect(wrongAt(kept, input, flags)).toBeUndefined();
      expect(small.counters.peakBytes).toBeLessThanOrEqual(2 ** 18);
      expect(small.counters.uploadedBytes).toBe(4 * input.length + 4 * Math.ceil(input.length / 4));
      expect(small.counters.dispatches).toBeGreaterThan(4);
      small.dispose();
    });
  }
});

describe("arguments that mean nothing are errors that name them", () => {
  const input = Uint32Array.of(1, 2, 3, 4);
  const flags = Uint8Array.of(1, 0, 1, 0);
  const memory = new ArrayBuffer(64);
  it.each([
    [[1, 2], flags, {}, "input is of type Array; expected a Uint32Array"],
    [input, [true, false, true, false], {}, "flags is of type Array; expected a Uint8Array or a Uint32Array"],
    [input, flags.subarray(1), {}, "input has 4 elements and flags has 3; expected a flag for each"],
    [input, flags, { out: new Int32Array(4) }, "out is a Int32Array of 4 elements; expected a Uint32Array"],
    [new Uint32Array(memory, 0, 4), flags, { out: new Uint32Array(memory, 12, 4) }, "memory with input"],
    [input, new Uint8Array(memory, 0, 4), { out: new Uint32Array(memory, 0, 4) }, "memory with flags"],
  ])("%o, %o, %o", async (values, given, more, message) => {
    const options = { backend: "cpu", ...more } as never;
    await expect(compact(values as never, given as never, options)).rejects.toThrow(message);
  });
});
