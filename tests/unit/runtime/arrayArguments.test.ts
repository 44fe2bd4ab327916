/** Whether arrays of results share memory with others, also through other objects for the same memory. */
import { describe, expect, it } from "vitest";
import { overlap, resultArray } from "../../../src/runtime/arrayArguments.ts";

const PAGE = 65_536;

/** Two objects for one memory. */
const twins: Readonly<Record<string, () => readonly [ArrayBufferLike, ArrayBufferLike]>> = {
  "the same object": () => {
    const buffer = new ArrayBuffer(PAGE);
    return [buffer, buffer];
  },
  "a structured clone": () => {
    const buffer = new SharedArrayBuffer(PAGE);
    return [buffer, structuredClone(buffer)];
  },
  "a memory of WebAssembly that has grown": () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
    const before = memory.buffer;
    memory.grow(1);
    return [before, memory.buffer];
  },
};

describe.each(Object.entries(twins))("%s", (_, make) => {
  it.each([
    [0, 8, 0, 8, true],
    [0, 8, 28, 8, true],
    [0, 8, 32, 8, false],
    [32, 8, 0, 8, false],
    [32, 8, 0, 9, true],
    [0, 100, 40, 1, true],
    [40, 1, 0, 100, true],
    [0, 8, 4, 0, false],
  ])("from byte %i %i words, and from %i %i", (from, count, otherFrom, otherCount, shared) => {
    const [buffer, other] = make();
    const out = new Uint32Array(buffer, from, count).fill(0x12345678);
    const before = new Uint8Array(other).slice();
    expect(overlap(out, new Uint32Array(other, otherFrom, otherCount))).toBe(shared);
    expect(overlap(new Uint32Array(other, otherFrom, otherCount), out)).toBe(shared);
    expect(Buffer.compare(new Uint8Array(other), before)).toBe(0);
  });
});

it("arrays of equal bytes in memories of their own share nothing", () => {
  for (const byte of [0, 0xff, 0x55]) {
    const [a, b] = [0, 1].map(() => new Uint8Array(new SharedArrayBuffer(64)).fill(byte));
    expect(overlap(a, b)).toBe(false);
    expect(overlap(a, new Uint8Array(64).fill(byte))).toBe(false);
    expect([...a, ...b]).toEqual(new Array(128).fill(byte));
  }
});

it("a result in a clone of its input's memory is refused", () => {
  const buffer = new SharedArrayBuffer(64);
  const [input, out] = [new Float32Array(buffer, 0, 8), new Float32Array(structuredClone(buffer), 16, 8)];
  expect(() => resultArray(out, "f32", 8, input)).toThrow("out shares memory with input");
});
