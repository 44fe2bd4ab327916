/**
 * scan() on every backend against the naive oracle, and its contract: types, NaN, zeros, out, pieces, errors,
 * abort.
 */
import { beforeEach, expect, it } from "vitest";
import { scan } from "../../../dist/node.js";
import { printedSeed, Random } from "../../oracle/random.ts";
import { naiveScan, type Elements } from "../../oracle/scan.ts";
import { assume, elementsOf, firstWrong, inputKinds, scanVariants, typeNames } from "./elements.ts";
import { onEachBackend, oneIn, openBeside, openDevice } from "../helpers.ts";

const seed = printedSeed();
const tile = 4096;
const group = tile * 256;
const ops = ["sum", "min", "max"] as const;

/** What contracts promise of sums of floats; nothing is left open of anything else. */
function wrongAt(actual: Elements, input: Elements, op: (typeof ops)[number], exclusive: boolean) {
  const { values, magnitudes } = naiveScan(input, op, exclusive);
  if (op !== "sum" || !(input instanceof Float32Array)) return firstWrong(actual, values);
  const bound = (at: number) => (128 + at / 2 ** 20) * 2 ** -23 * magnitudes[at];
  return firstWrong(actual, values, (at) => bound(at) || Number.MIN_VALUE);
}

onEachBackend((device, backend) => {
  /** The variant that software is quickest at. */
  const quick = scanVariants[1];
  beforeEach(() => assume(device(), quick));

  it.each([0, 1, 2, 3, 5, 255, tile - 1, tile, tile + 1, 9973, 70_001])(
    "scans %i elements of every type, with every operation",
    async (count) => {
      const random = new Random(seed + count);
      for (const type of typeNames) {
        for (const op of ops) {
          const both = [false, true];
          const turn = seed + count + typeNames.indexOf(type) + ops.indexOf(op);
          for (const exclusive of backend === "gpu" && count > 1 ? oneIn(2, both, turn) : both) {
            const input = elementsOf(type, "random", count, random);
            assume(device(), scanVariants[exclusive ? 1 : 0]);
            const actual = await scan(input, { op, exclusive, device: device() });
            expect(actual.constructor).toBe(input.constructor);
            expect(wrongAt(actual, input, op, exclusive), `${type} ${op} ${exclusive}`).toBeUndefined();
          }
        }
      }
    },
  );

  it("scans hard inputs", async () => {
    const random = new Random(seed);
    for (const kind of inputKinds) {
      for (const type of typeNames) {
        for (const op of ops) {
          if (op === "sum" && kind === "hard" && type === "f32") continue;
          const input = elementsOf(type, kind, tile + 1, random);
          assume(device(), scanVariants[op === "min" ? 1 : 0]);
          const actual = await scan(input, { op, device: device() });
          expect(wrongAt(actual, input, op, false), `${kind} ${type} ${op}`).toBeUndefined();
        }
      }
    }
  });

  const variants = backend === "cpu" ? [quick] : scanVariants;

  it.each(variants)("scans over more than a group of tiles, by the variant %o", async (variant) => {
    const random = new Random(seed);
    assume(device(), variant);
    for (const [type, op] of variant.subgroups
      ? ([
          ["f32", "min"],
          ["f32", "sum"],
        ] as const)
      : ([["f32", "sum"]] as const)) {
      const input = elementsOf(type, "random", group + 7, random);
      const actual = await scan(input, { op, device: device() });
      expect(wrongAt(actual, input, op, false), `${type} ${op}`).toBeUndefined();
      const before = await scan(input, { op, exclusive: true, device: device() });
      expect(wrongAt(before, input, op, true), `${type} ${op} exclusive`).toBeUndefined();
    }
  });

  it("puts -0 before +0, skips NaN, and gives NaN where there was nothing else", async () => {
    const input = new Float32Array([NaN, 0, -0, NaN, 0, -Infinity, Infinity]);
    const least = [NaN, 0, -0, -0, -0, -Infinity, -Infinity];
    expect([...(await scan(input, { op: "min", device: device() }))]).toEqual(least);
    expect([...(await scan(input, { op: "max", device: device() }))]).toEqual([NaN, 0, 0, 0, 0, 0, Infinity]);
    const before = await scan(input, { op: "max", exclusive: true, device: device() });
    expect([...before]).toEqual([NaN, NaN, 0, 0, 0, 0, 0]);
  });

  it("gives one NaN up to the first number, whatever NaN there were, and none from there on", async () => {
    const input = new Float32Array(tile + 5);
    const words = new Uint32Array(input.buffer);
    words.forEach((_, at) => (words[at] = at % 3 === 0 ? 0x7f800001 : 0xffc00001));
    input.set([-3, -7, 2], tile + 1);
    for (const [op, last] of [
      ["min", [-3, -7, -7, -7]],
      ["max", [-3, -3, 2, 2]],
    ] as const) {
      const result = await scan(input, { op, device: device() });
      expect(new Set(new Uint32Array(result.buffer, 0, tile + 1))).toEqual(new Set([0x7fc00000]));
      expect([...result.subarray(tile + 1)]).toEqual(last);
    }
  });

  it("carries NaN and infinities through sums of floats", async () => {
    const input = new Float32Array([1, Infinity, 2, -Infinity, 3]);
    expect([...(await scan(input, { device: device() }))]).toEqual([1, Infinity, Infinity, NaN, NaN]);
  });

  it("starts exclusive scans with what changes nothing", async () => {
    const first = async (input: Elements, op: "sum" | "min" | "max") =>
      (await scan(input, { op, exclusive: true, device: device() }))[0];
    expect(await first(new Uint32Array([5]), "sum")).toBe(0);
    expect(await first(new Uint32Array([5]), "min")).toBe(2 ** 32 - 1);
    expect(await first(new Uint32Array([5]), "max")).toBe(0);
    expect(await first(new Int32Array([5]), "min")).toBe(2 ** 31 - 1);
    expect(await first(new Int32Array([5]), "max")).toBe(-(2 ** 31));
    expect(await first(new Float32Array([5]), "min")).toBeNaN();
  });

  it("wraps sums of whole numbers", async () => {
    const input = new Int32Array([2 ** 31 - 1, 1, -1]);
    expect([...(await scan(input, { device: device() }))]).toEqual([2 ** 31 - 1, -(2 ** 31), 2 ** 31 - 1]);
  });

  it("writes into out, and nothing past it, and leaves input alone", async () => {
    const input = new Float32Array([1, 2, 3, 4, 5]);
    const memory = new Float32Array(9).fill(-1);
    const result = await scan(input, { out: memory.subarray(1, 7), device: device() });
    expect(result.buffer).toBe(memory.buffer);
    expect([...result]).toEqual([1, 3, 6, 10, 15]);
    expect([...memory]).toEqual([-1, 1, 3, 6, 10, 15, -1, -1, -1]);
    expect([...input]).toEqual([1, 2, 3, 4, 5]);
  });

  it("reports progress up to the end, and none for nothing", async () => {
    const seen: number[] = [];
    const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number }) => {
      expect([phase, total]).toEqual(["scan", 100]);
      seen.push(done);
    };
    await scan(new Uint32Array(100), { onProgress, device: device() });
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(100);
  });

  it("says what is wrong with its arguments", async () => {
    const options = { device: device() };
    const bad = (input: unknown, more: object) => scan(input as Uint32Array, { ...options, ...more });
    await expect(bad([1, 2], {})).rejects.toThrow("input is of type Array; expected a Uint32Array");
    await expect(bad(new Uint32Array(1), { op: "mul" })).rejects.toThrow(
      'unknown op "mul"; expected sum, min or max',
    );
    await expect(bad(new Uint32Array(2), { out: new Uint32Array(1) })).rejects.toThrow("at least 2");
    await expect(bad(new Uint32Array(2), { out: new Int32Array(2) })).rejects.toThrow("out is a Int32Array");
    const memory = new Uint32Array(4);
    await expect(bad(memory.subarray(0, 3), { out: memory.subarray(1) })).rejects.toThrow("shares memory");
  });

  it("stops when aborted before it starts", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(scan(new Uint32Array(10), { signal, device: device() })).rejects.toThrow("enough");
  });

  it("gives the same bits however the array is cut", async () => {
    const input = elementsOf("f32", "random", 2 * group + 4097, new Random(seed));
    const whole = await scan(input, { device: device() });
    const pieces = await scan(input, { tuning: { piece: 1 }, device: device() });
    expect(firstWrong(pieces, whole)).toBeUndefined();
    expect(wrongAt(pieces, input, "sum", false)).toBeUndefined();
    const exclusive = await scan(input, {
      op: "max",
      exclusive: true,
      tuning: { piece: 1 },
      device: device(),
    });
    expect(wrongAt(exclusive, input, "max", true)).toBeUndefined();
  });

  if (backend === "gpu") {
    it("scans an array larger than the memory it may use", async () => {
      const small = await openBeside("gpu", { deviceMemory: 3 * 4 * group });
      assume(small, quick);
      const input = elementsOf("i32", "random", 3 * group + 5, new Random(seed));
      expect(wrongAt(await scan(input, { device: small }), input, "sum", false)).toBeUndefined();
      expect(small.counters.peakBytes).toBeLessThanOrEqual(3 * 4 * group);
      expect(small.counters.uploadedBytes).toBe(input.byteLength);
      small.dispose();
    });

    it("has the same bits chained and in blocks, and when a chained scan gives up", async () => {
      const input = elementsOf("f32", "random", group + 3 * tile + 1, new Random(seed));
      for (const subgroups of new Set(scanVariants.map(({ subgroups }) => subgroups))) {
        const by = async (traits: { forwardProgress: boolean; patience?: number }) => {
          assume(device(), { ...traits, subgroups });
          return scan(input, { device: device() });
        };
        const chained = await by({ forwardProgress: true });
        const blocks = await by({ forwardProgress: false });
        const before = device().counters.dispatches;
        const gaveUp = await by({ forwardProgress: true, patience: 0 });
        expect(device().counters.dispatches - before).toBe(3);
        expect(firstWrong(chained, blocks)).toBeUndefined();
        expect(firstWrong(gaveUp, blocks)).toBeUndefined();
        expect(wrongAt(chained, input, "sum", false)).toBeUndefined();
      }
    });

    it("never waits on an adapter in software by default", async () => {
      const fresh = await openDevice("gpu");
      await scan(new Uint32Array(tile), { device: fresh });
      expect(fresh.counters.dispatches).toBe(4);
      assume(fresh, { forwardProgress: true, subgroups: false });
      await scan(new Uint32Array(tile), { device: fresh });
      expect(fresh.counters.dispatches).toBe(4 + 3);
      fresh.dispose();
    });
  } else {
    it("stops when aborted on the way", async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error("enough")), 5);
      const input = new Float32Array(2 ** 26);
      await expect(scan(input, { signal: stop.signal, device: device() })).rejects.toThrow("enough");
    });
  }
});
