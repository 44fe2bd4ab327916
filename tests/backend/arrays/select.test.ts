/**
 * Selection on every backend against sorting all of a row: any difference of a column or of a bit of a value
 * fails. Fresh inputs each run; the printed seed repeats them.
 */
import { describe, expect, it } from "vitest";
import { select } from "../../../dist/node.js";
import type { SelectOptions } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { sortAndTake } from "../../oracle/select.ts";
import { bitsOf, elementInputs, type Elements } from "./elementInputs.ts";
import { onEachBackend, openBeside, openDevice } from "../helpers.ts";

const seed = printedSeed();

function expectAnswer(
  found: { readonly values: ArrayLike<number>; readonly indices: Uint32Array },
  input: Elements,
  { rows = 1, k, largest = false }: SelectOptions,
): void {
  const { indices } = sortAndTake(input, rows, k, largest);
  expect([...found.indices]).toEqual(indices);
  const cols = input.length / rows;
  const bits = bitsOf(input);
  const expected = indices.map((column, at) => bits[Math.floor(at / k) * cols + column]);
  expect([...bitsOf(found.values as Elements)]).toEqual(expected);
}

describe("selection takes what sorting puts first", () => {
  onEachBackend((device) => {
    const check = async (input: Elements, options: SelectOptions) => {
      expectAnswer(await select(input, { ...options, device: device() }), input, options);
    };

    it.each(elementInputs)("for $name", async ({ name, make }) => {
      const random = new Random(seed + name.length);
      const input = make(random, 4 * 1201);
      for (const largest of [false, true]) {
        await check(input, { k: 40, rows: 4, largest });
        await check(input, { k: 1201, rows: 4, largest });
        await check(input, { k: 1, largest });
      }
    });

    it.each([1, 2, 3, 4, 5, 63, 255, 256, 257, 511, 513, 1023, 1025, 4097])(
      "for rows of %i columns",
      async (cols) => {
        const random = new Random(seed + cols);
        const input = Int32Array.from({ length: 3 * cols }, () => random.int(-cols, cols));
        for (const k of new Set([1, Math.ceil(cols / 3), cols])) await check(input, { k, rows: 3 });
      },
    );

    it.each([511, 512, 513, 1023, 1024, 1025, 1919, 1921, 2048, 2049, 5003])("for k = %i", async (k) => {
      const random = new Random(seed + k);
      await check(
        Float32Array.from({ length: 5003 }, () => random.normal()),
        { k, largest: k % 2 === 0 },
      );
    });

    it("for 2^20 + 7 columns", async () => {
      const random = new Random(seed);
      const input = Float32Array.from({ length: 2 ** 20 + 7 }, () => random.uniform());
      await check(input, { k: 10 });
      await check(input, { k: 3000, largest: true });
    });

    it("with NaN last in both directions and -0 before +0", async () => {
      const input = Float32Array.of(NaN, 0, -0, 1, -NaN, -0, 0);
      const smallest = await select(input, { k: 7, device: device() });
      expect([...smallest.indices]).toEqual([2, 5, 1, 6, 3, 0, 4]);
      const largest = await select(input, { k: 7, largest: true, device: device() });
      expect([...largest.indices]).toEqual([3, 1, 6, 2, 5, 0, 4]);
    });

    it("into out, which is returned, and leaves the input as it was", async () => {
      const input = Uint32Array.of(7, 5, 6);
      const out = { values: new Uint32Array(3).fill(9), indices: new Uint32Array(2) };
      const { values, indices } = await select(input, { k: 2, out, device: device() });
      expect([values.buffer, indices.buffer]).toEqual([out.values.buffer, out.indices.buffer]);
      expect([[...out.values], [...out.indices]]).toEqual([
        [5, 6, 9],
        [1, 2],
      ]);
      expect([...input]).toEqual([7, 5, 6]);
    });

    it("from no rows: nothing", async () => {
      const { values, indices } = await select(new Float32Array(0), { k: 3, rows: 0, device: device() });
      expect([values.length, indices.length]).toEqual([0, 0]);
    });
  });
});

describe("pieces and spans change nothing", () => {
  onEachBackend((_, backend) => {
    it("for a tiny budget and every cut", async () => {
      const random = new Random(seed + 9);
      const input = Float32Array.from({ length: 5 * 997 }, () => random.int(0, 99));
      for (const memory of [2 ** 15, 2 ** 20]) {
        const device = await openBeside(backend, { memory, deviceMemory: memory });
        try {
          for (const span of [100, 332, 997]) {
            for (const k of [3, 150]) {
              const tuning = { span, piece: span === 100 ? 3 : undefined };
              const found = await select(input, { k, rows: 5, tuning, device });
              expectAnswer(found, input, { k, rows: 5 });
            }
          }
        } finally {
          device.dispose();
        }
      }
    });
  });

  it("for rows longer than the CPU's blocks of 2^21 columns", async () => {
    const random = new Random(seed + 10);
    const input = Uint32Array.from({ length: 2 ** 21 + 1000 }, () => random.int(0, 500_000));
    const device = await openDevice("cpu");
    expectAnswer(await select(input, { k: 50, device }), input, { k: 50 });
    device.dispose();
  });
});

describe("arguments that mean nothing are errors that name them", () => {
  const input = Float32Array.of(1, 2, 3, 4);
  it.each([
    [{ k: 0 }, /k is 0/],
    [{ k: 1.5 }, /k is 1.5/],
    [{ k: 5 }, /k is 5.*4 columns/],
    [{ k: 3, rows: 2 }, /k is 3.*2 columns/],
    [{ k: 1, rows: 3 }, /rows is 3.*4 elements/],
    [
      { k: 2, out: { values: new Float32Array(1), indices: new Uint32Array(2) } },
      /out.*1 element;.*at least 2/,
    ],
    [{ k: 1, out: { values: new Uint32Array(1), indices: new Uint32Array(1) } }, /Uint32Array.*Float32Array/],
  ] as const)("%o", async (options, message) => {
    await expect(select(input, { backend: "cpu", ...options } as never)).rejects.toThrow(message);
  });

  it("values and indices that share memory", async () => {
    const memory = new ArrayBuffer(8);
    const out = { values: new Float32Array(memory), indices: new Uint32Array(memory) };
    await expect(select(input, { k: 2, out, backend: "cpu" })).rejects.toThrow(/share memory/);
  });

  it("k of an array without elements", async () => {
    await expect(select(new Float32Array(0), { k: 1, backend: "cpu" })).rejects.toThrow(/k is 1.*0 columns/);
  });
});
