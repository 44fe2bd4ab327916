/**
 * convolve() and correlate() on every backend against the naive oracle, and against SciPy and numpy: modes,
 * boundaries, masks of any length, rows and masks, whole numbers that overflow, out, pieces, errors.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { convolve, correlate, measureConvolve } from "../../../dist/node.js";
import type { ConvolveOptions, Explanation, Samples } from "../../../dist/node.js";
import { exactConvolve, naiveConvolve, type NaiveOptions } from "../../oracle/convolve.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { isAbsent, onEachBackend, oneIn, openBeside, openDevice } from "../helpers.ts";
import { firstWrong } from "./elements.ts";

const seed = printedSeed();
const modes = ["full", "same", "valid"] as const;
const boundaries = ["constant", "reflect", "symmetric", "edge", "wrap"] as const;

type TypeName = "f32" | "f64" | "i32";
const constructors = { f32: Float32Array, f64: Float64Array, i32: Int32Array };

function samplesOf(type: TypeName, count: number, random: Random): Samples {
  const samples = new constructors[type](count);
  return samples.map(() => (type === "i32" ? random.int(-999, 1000) : random.normal()));
}

/** What a result is compared with: the oracle within the bound that BOUND.md proves for sums of products. */
function wrongAt(
  actual: Samples,
  signal: Samples,
  mask: Samples,
  flip: boolean,
  options: NaiveOptions = {},
): string | undefined {
  const { values, magnitudes } = naiveConvolve(signal, mask, flip, options);
  if (actual instanceof Int32Array) return firstWrong(actual, values);
  const [unit, least] = actual instanceof Float32Array ? [2 ** -22, 2 ** -120] : [2 ** -51, 2 ** -1060];
  return firstWrong(actual, values, (at) => mask.length * unit * magnitudes[at] + least);
}

interface Cases<Case> {
  readonly cases: readonly Case[];
}
type Fixture = readonly ["convolve" | "correlate", string, number[], number[], number[]];
const fixture = (name: string) =>
  (
    JSON.parse(
      readFileSync(new URL(`../../fixtures/convolve-${name}.json`, import.meta.url), "utf8"),
    ) as Cases<Fixture>
  ).cases;
const operators = { convolve, correlate };

onEachBackend((device, backend) => {
  const types: readonly TypeName[] = backend === "gpu" ? ["f32", "i32"] : ["f32", "f64", "i32"];

  it("gives what SciPy gives, in every mode, with masks shorter and longer than the signal", async () => {
    for (const [operator, mode, signal, mask, expected] of fixture("modes")) {
      for (const type of types) {
        const options = { mode, device: device() } as ConvolveOptions;
        const result = await operators[operator](constructors[type].from(signal), mask, options);
        expect([...result], `${operator} ${mode} ${signal.length} ${mask.length} ${type}`).toEqual(expected);
      }
    }
  });

  it("gives what numpy gives of padded signals, with every boundary", async () => {
    for (const [operator, boundary, signal, mask, expected] of fixture("boundaries")) {
      for (const type of types) {
        const fill = boundary === "constant" ? 3 : 0;
        const options = { mode: "same", boundary, fill, device: device() } as ConvolveOptions;
        const result = await operators[operator](constructors[type].from(signal), mask, options);
        expect([...result], `${operator} ${boundary} ${signal.length} ${mask.length}`).toEqual(expected);
      }
    }
  });

  it("works the seed's example: 7 samples, 5 taps, zeros outside", async () => {
    const signal = Float32Array.of(1, 2, 3, 4, 5, 6, 7);
    const result = await correlate(signal, [3, 4, 5, 4, 3], { mode: "same", device: device() });
    expect([...result]).toEqual([22, 38, 57, 76, 95, 90, 74]);
  });

  it.each([1, 2, 3, 10, 63, 64, 65, 255, 256, 257, 5000])("adds up %i taps", async (taps) => {
    const random = new Random(seed + taps);
    const count = taps < 300 ? 7001 : 700;
    for (const type of backend === "gpu" ? oneIn(2, types, seed + taps) : types) {
      const [signal, mask] = [samplesOf(type, count, random), samplesOf(type, taps, random)];
      const technique =
        type === "f64" || taps > 300 ? "tiled" : random.pick(["plain", "uniform", "tiled"] as const);
      const full = await convolve(signal, mask, { technique, device: device() });
      expect(full.constructor).toBe(signal.constructor);
      expect(wrongAt(full, signal, mask, true), `${type} full ${technique}`).toBeUndefined();
      const options = { mode: "same", boundary: random.pick(boundaries) } as const;
      const same = await correlate(signal, mask, { ...options, technique, device: device() });
      expect(wrongAt(same, signal, mask, false, options), `${type} ${options.boundary}`).toBeUndefined();
    }
  });

  it.each([1, 65, 256, 2049, 5000, 9000])("multiplies spectra with %i taps", async (taps) => {
    const random = new Random(seed + taps);
    const [rows, count, masks] = [2, 4500, 2];
    const signal = samplesOf("f32", rows * count, random);
    const mask = samplesOf("f32", masks * taps, random);
    const options = { mode: "same", boundary: random.pick(boundaries) } as const;
    const shape = { rows, masks, technique: "fft", device: device() } as const;
    const result = await correlate(signal, mask, { ...options, ...shape, tuning: { span: 2200, piece: 1 } });
    for (const [row, m] of [
      [0, 1],
      [1, 0],
    ]) {
      const own = signal.subarray(row * count, (row + 1) * count);
      const weights = mask.subarray(m * taps, (m + 1) * taps);
      const { values } = naiveConvolve(own, weights, false, options);
      const part = result.subarray((row * masks + m) * count, (row * masks + m + 1) * count);
      const bound = 2 ** -14 * (1 + taps / 2 ** 17) * Math.hypot(...own) * Math.hypot(...weights);
      const close = Math.min(bound, 2e-5 * Math.sqrt(taps));
      expect(
        firstWrong(part, values, () => close),
        options.boundary,
      ).toBeUndefined();
    }
  });

  // Tiles have 4096 outputs up to 16 taps, 1280 up to 96 and 3072 above, windows of the CPU 8192.
  it.each([1, 2, 3, 4, 5, 1279, 1280, 1281, 3071, 3072, 3073, 4095, 4096, 4097, 6145, 8191, 8192, 8193])(
    "convolves %i samples",
    async (count) => {
      const random = new Random(seed + count);
      for (const type of types) {
        const [signal, mask] = [
          samplesOf(type, count, random),
          samplesOf(type, random.pick([1, 2, 5, 16, 17, 97]), random),
        ];
        for (const mode of modes) {
          const fill = mode === "valid" ? 0 : 2;
          const result = await correlate(signal, mask, { mode, fill, device: device() });
          expect(wrongAt(result, signal, mask, false, { mode, fill }), `${type} ${mode}`).toBeUndefined();
        }
      }
    },
  );

  it("convolves rows with several masks: [rows][masks][length]", async () => {
    const random = new Random(seed);
    for (const [rows, count, masks, taps] of [
      [3, 50, 2, 7],
      [5, 1, 3, 4],
      [2, 3101, 2, 66],
    ]) {
      for (const type of types) {
        const [signal, mask] = [samplesOf(type, rows * count, random), samplesOf(type, masks * taps, random)];
        const options = { mode: "same", boundary: random.pick(boundaries) } as const;
        const result = await convolve(signal, mask, { ...options, rows, masks, device: device() });
        expect(result.length).toBe(rows * masks * count);
        for (let row = 0; row < rows; row++) {
          for (let m = 0; m < masks; m++) {
            const begin = (row * masks + m) * count;
            const own = signal.subarray(row * count, (row + 1) * count);
            const weights = mask.subarray(m * taps, (m + 1) * taps);
            const part = result.subarray(begin, begin + count);
            expect(wrongAt(part, own, weights, true, options), `${type} ${row} ${m}`).toBeUndefined();
          }
        }
      }
    }
  });

  it("gives nothing where signal or mask is empty", async () => {
    for (const mode of modes) {
      expect(await convolve(new Float32Array(0), [1, 2], { mode, device: device() })).toHaveLength(0);
      expect(await correlate(Int32Array.of(1, 2), [], { mode, device: device() })).toHaveLength(0);
    }
  });

  const halves = [65_536, -65_536, 32_768, -32_768];

  it("finds sums of int32 that overflow, and only those", async () => {
    const random = new Random(seed);
    const most = 2 ** 31;
    const cases: [number[], number[]][] = [
      [
        [most - 1, 1],
        [1, 1],
      ],
      [
        [-most, 0],
        [1, 1],
      ],
      [
        [-most, -1],
        [1, 1],
      ],
      [[-most], [-1]],
      [
        [-most, -most],
        [-most, most - 1],
      ],
      [
        [most - 1, -most, most - 1],
        [1, 1],
      ],
      [
        [-most, -most, -most, -most],
        [-most, -most, -most, -most],
      ],
      [[65_536], [32_768]],
      [[65_536], [-32_768]],
      [
        [65_536, -1],
        [32_768, 65_536],
      ],
    ];
    for (let i = 0; i < 30; i++) {
      const [count, taps] = [random.int(1, 9), random.int(1, 6)];
      const draw = () => random.pick([...halves, 1, -1, 0, most - 1, -most, 46_341]);
      cases.push([Array.from({ length: count }, draw), Array.from({ length: taps }, draw)]);
    }
    for (const [signal, mask] of cases) {
      const exact = exactConvolve(signal, mask);
      const first = exact.findIndex((sum) => sum !== BigInt.asIntN(32, sum));
      const given = [Int32Array.from(signal), Int32Array.from(mask)] as const;
      for (const technique of ["tiled", "plain"] as const) {
        const name = `[${signal.join()}] with [${mask.join()}] ${technique}`;
        const wrapped = await convolve(...given, { overflow: "wrap", technique, device: device() });
        expect([...wrapped], name).toEqual(exact.map((sum) => Number(BigInt.asIntN(32, sum))));
        const checked = convolve(...given, { technique, device: device() });
        if (first < 0) expect([...(await checked)], name).toEqual(exact.map(Number));
        else await expect(checked, name).rejects.toThrow(`element ${first} of the result overflows int32`);
      }
    }
  });

  it("names the first sum that overflows, behind many taps, in any row, and in any piece", async () => {
    const [rows, count, taps] = [3, 400, 9000];
    const signal = new Int32Array(rows * count);
    const mask = new Int32Array(taps);
    const middle = (taps - 1) >> 1;
    mask.fill(1, middle, middle + 2);
    for (const at of [2 * count + 150, 2 * count + 51]) signal.fill(2 ** 30, at - 1, at + 1);
    const options = { rows, mode: "same", device: device() } as const;
    for (const tuning of [{}, { span: 64, piece: 2 }]) {
      const failed = convolve(signal, mask, { ...options, tuning });
      await expect(failed).rejects.toThrow(`element ${2 * count + 51} of the result overflows int32`);
    }
    const small = await convolve(signal.fill(2), mask.fill(3), options);
    const last = signal.subarray(2 * count);
    expect(wrongAt(small.subarray(2 * count), last, mask, true, options)).toBeUndefined();
  });

  it("goes through the device in pieces, with the samples around them", async () => {
    const random = new Random(seed);
    for (const type of types.filter((each) => each !== "f64")) {
      const [signal, mask] = [samplesOf(type, 2 * 1003, random), samplesOf(type, 2 * 75, random)];
      for (const [piece, span] of [
        [1, 64],
        [3, 100],
        [1, 5000],
        [2, 1003],
      ]) {
        const boundary = random.pick(boundaries);
        let told: Explanation | undefined;
        const onExplanation = (explanation: Explanation) => (told = explanation);
        const options = {
          mode: "same",
          boundary,
          rows: 2,
          masks: 2,
          technique: "tiled",
          device: device(),
        } as const;
        const result = await convolve(signal, mask, { ...options, tuning: { piece, span }, onExplanation });
        expect(result).toEqual(await convolve(signal, mask, options));
        for (const [row, m] of [
          [0, 1],
          [1, 0],
        ]) {
          const own = signal.subarray(row * 1003, (row + 1) * 1003);
          const weights = mask.subarray(m * 75, (m + 1) * 75);
          const part = result.subarray((row * 2 + m) * 1003, (row * 2 + m + 1) * 1003);
          expect(wrongAt(part, own, weights, true, options), `${boundary} ${span}`).toBeUndefined();
        }
        if (backend === "gpu")
          expect(told!.jobs).toBe(
            span > 1003 ? 2 : (2 * Math.ceil(Math.ceil(1003 / span) / piece)) / (span === 1003 ? 2 : 1),
          );
      }
    }
  });

  it("writes into out, and nothing past it, and leaves signal and mask alone", async () => {
    const [signal, mask] = [Float32Array.of(1, 2, 3), Float32Array.of(1, 2)];
    const memory = new Float32Array(8).fill(-1);
    const result = await convolve(signal, mask, { out: memory.subarray(1, 6), device: device() });
    expect(result.buffer).toBe(memory.buffer);
    expect([...result]).toEqual([1, 4, 7, 6]);
    expect([...memory]).toEqual([-1, 1, 4, 7, 6, -1, -1, -1]);
    expect([[...signal], [...mask]]).toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
  });

  it("is linear, and shifts with its signal", async () => {
    const random = new Random(seed);
    for (let i = 0; i < (backend === "gpu" ? 3 : 20); i++) {
      const [count, by, taps] = [random.int(1, 600), random.int(0, 50), random.int(1, 40)];
      const [a, b, mask] = [count, count, taps].map((length) => samplesOf("i32", length, random));
      const [s, t] = [random.int(-9, 10), random.int(-9, 10)];
      const mode = random.pick(modes);
      const of = async (signal: Samples, weights = mask, how: typeof mode = mode) => [
        ...(await convolve(signal, weights, { mode: how, device: device() })),
      ];
      const name = `${count} samples, ${taps} taps, ${mode}`;
      const [ofA, ofB] = [await of(a), await of(b)];
      const sums = ofA.map((x, at) => (s * x + t * ofB[at]) | 0);
      const both = a.map((x, at) => s * x + t * b[at]);
      expect(await of(both), name).toEqual(sums);
      const shifted = new Int32Array(count + by);
      shifted.set(a, by);
      const full = await of(a, mask, "full");
      expect(await of(shifted, mask, "full"), name).toEqual([...new Array<number>(by).fill(0), ...full]);
      expect(await of(mask, a, "full"), name).toEqual(full);
      // Sums of these whole numbers are below 2^24 for up to some taps, and then exact in float32.
      const few = mask.map((x) => x % 9);
      expect(await of(Float32Array.from(a), Float32Array.from(few)), name).toEqual(await of(a, few));
    }
  });

  it("stays within 2e-5 times the root of the taps of float64, for data of variance 1", async () => {
    const random = new Random(seed);
    for (const taps of [3, 64, 1000, 5000]) {
      const [signal, mask] = [samplesOf("f32", 3000, random), samplesOf("f32", taps, random)];
      const result = await convolve(signal, mask, { mode: "same", device: device() });
      const { values } = naiveConvolve(signal, mask, true, { mode: "same" });
      expect(firstWrong(result, values, () => 2e-5 * Math.sqrt(taps))).toBeUndefined();
    }
  });

  it("keeps NaN and infinities to the outputs that they are part of, by sums and by spectra", async () => {
    const random = new Random(seed);
    const signal = samplesOf("f32", 9000, random);
    signal[4020] = NaN;
    signal[4030] = Infinity;
    for (const technique of ["tiled", "fft"] as const) {
      const mask = samplesOf("f32", 70, random).map(Math.abs);
      const result = await correlate(signal, mask, { mode: "same", technique, device: device() });
      const { values } = naiveConvolve(signal, mask, false, { mode: "same" });
      const [finite, other] = [true, false].map((is) =>
        values.flatMap((x, at) => (Number.isFinite(x) === is ? at : [])),
      );
      expect(other).toHaveLength(80);
      expect(other.map((at) => [at, result[at]])).toEqual(other.map((at) => [at, values[at]]));
      expect(
        firstWrong(
          finite.map((at) => result[at]),
          finite.map((at) => values[at]),
          () => 2e-4,
        ),
      ).toBeUndefined();
    }
  });

  it("reports progress up to the end, and stops when aborted", async () => {
    const seen: number[] = [];
    const onProgress = ({ phase, done }: { phase: string; done: number }) => {
      expect(phase).toBe("convolve");
      seen.push(done);
    };
    await convolve(new Float32Array(100), [1, 2], { onProgress, device: device() });
    expect(seen.length).toBeGreaterThan(1);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(convolve(new Float32Array(100), [1, 2], { signal, device: device() })).rejects.toThrow(
      "enough",
    );
  });
});

it("convolves float64 on a CPU, and on a GPU only rounded", async () => {
  const signal = Float64Array.of(1 / 3, 2, 1e-9);
  await expect(convolve(signal, [1, 1], { backend: "gpu" })).rejects.toThrow(/precision: "float32"/);
  expect([...(await convolve(signal, [3]))]).toEqual([...signal].map((x) => 3 * x));
  const options = { backend: "gpu", precision: "float32" } as const;
  for (const [large, tap, fill, what] of [
    [-1e300, 1, 0, "a sample of the signal is -1e+300"],
    [1, 1e39, 0, "a tap of the mask is 1e+39"],
    [1, 1, 1e39, "fill is 1e+39"],
  ] as const) {
    const failed = convolve(Float64Array.of(Infinity, large), [tap], { ...options, fill });
    await expect(failed).rejects.toThrow(
      `${what}, which float32 cannot hold; leave out precision: "float32"`,
    );
  }
  const rounded = await convolve(signal, [3], options);
  expect(rounded).toBeInstanceOf(Float64Array);
  expect(firstWrong(rounded, [1, 6, 3e-9], (at) => [1e-6, 0, 1e-14][at])).toBeUndefined();
  expect(rounded[2]).toBe(Math.fround(rounded[2]));
});

it("takes spectra for long masks of floats alone, and says why", async () => {
  const device = await openDevice("gpu");
  const told: Explanation[] = [];
  const onExplanation = (explanation: Explanation) => void told.push(explanation);
  const mask = new Array<number>(200).fill(1);
  await convolve(new Float32Array(1500), mask, { device, onExplanation });
  await convolve(new Float32Array(300), mask.slice(0, 20), { device, onExplanation });
  await convolve(new Int32Array(1500), mask, { device, onExplanation });
  expect(told.map(({ technique }) => technique.split(",")[0])).toEqual(["fft", "tiled", "tiled"]);
  expect(told.map(({ dispatches }) => dispatches)).toEqual([3, 1, 1]);
  expect(told[0].why).toMatch(/200 taps are at least \d+/);
  const failed = convolve(new Int32Array(3), mask, { device, technique: "fft" });
  await expect(failed).rejects.toThrow(
    /technique is "fft", which works in float32; expected "auto", .* for i32/,
  );
  const long = convolve(new Float32Array(3), new Array<number>(2049).fill(1), {
    device,
    technique: "uniform",
  });
  await expect(long).rejects.toThrow(/technique is "uniform" with 2049 taps in all; expected at most 2048/);
  device.dispose();
});

it("takes spectra for long masks of floats on a CPU as well", async () => {
  const device = await openDevice("cpu");
  const random = new Random(seed);
  const told: Explanation[] = [];
  const onExplanation = (explanation: Explanation) => void told.push(explanation);
  const [signal, mask] = [samplesOf("f32", 6000, random), samplesOf("f32", 2 * 300, random)];
  const shape = { rows: 3, masks: 2, device, onExplanation } as const;
  await convolve(signal, mask, shape);
  await convolve(signal, mask.slice(0, 10), { ...shape, masks: 1 });
  await convolve(Float64Array.from(signal), mask, shape);
  expect(told.map(({ technique }) => technique.split(",")[0])).toEqual(["fft", "sums", "sums"]);
  device.dispose();
});

it("measures no technique that there is not", async () => {
  for (const backend of ["cpu", "gpu"] as const) {
    if (isAbsent(backend)) continue;
    const device = await openBeside(backend);
    const asked = { samples: 9, taps: 3, repeat: 1, techniques: ["best" as "plain"] };
    const expected = /unknown technique "best"; expected plain, uniform, tiled or fft/;
    await expect(measureConvolve(device, asked)).rejects.toThrow(expected);
    device.dispose();
  }
});

it("takes the CPU for few taps without being told", async () => {
  let told: Explanation | undefined;
  await convolve(new Float32Array(1000), [1, 2, 1], { onExplanation: (explanation) => (told = explanation) });
  expect(told!.backend).toBe("cpu");
});

it("refuses what means nothing, and says what would do", async () => {
  const device = await openDevice("cpu");
  const signal = Float32Array.of(1, 2, 3);
  const cases: [unknown, unknown, object, RegExp][] = [
    [[1, 2], [1], {}, /signal is of type Array; expected a Float32Array, a Float64Array or an Int32Array/],
    [signal, 3, {}, /mask is of type Number; expected an array of numbers/],
    [signal, [1, NaN], {}, /mask\[1\] is NaN; expected a number that is finite in float32/],
    [signal, [1e39], {}, /mask\[0\] is 1e\+39/],
    [
      Int32Array.of(1),
      [1.5],
      {},
      /mask\[0\] is 1\.5; expected a whole number of 32 bits, as the signal is i32/,
    ],
    [signal, [1], { mode: "middle" }, /unknown mode "middle"/],
    [signal, [1], { boundary: "fill" }, /unknown boundary "fill"; expected constant, reflect/],
    [signal, [1], { boundary: "wrap" }, /boundary is "wrap" with mode "full"; expected mode "same"/],
    [signal, [1], { mode: "valid", fill: 1 }, /fill is 1 with mode "valid"/],
    [signal, [1], { mode: "same", boundary: "edge", fill: 1 }, /fill is 1 with the boundary "edge"/],
    [signal, [1], { fill: Infinity }, /fill is Infinity/],
    [signal, [1], { rows: 2 }, /rows is 2, but signal has 3 elements/],
    [signal, [1, 2, 3], { masks: 2 }, /masks is 2, but mask has 3 elements/],
    [signal, [1], { technique: "best" }, /unknown technique "best"/],
    [signal, [1], { overflow: "clip" }, /unknown overflow "clip"/],
    [signal, [1], { precision: "half" }, /unknown precision "half"/],
    [signal, [1], { padding: 1 }, /^convolve has no option "padding"; expected some of mode, boundary/],
    [
      signal,
      [1],
      { out: new Float32Array(2) },
      /out is a Float32Array of 2 elements; expected .* at least 3/,
    ],
    [signal, [1], { out: new Float64Array(3) }, /expected a Float32Array of at least 3/],
    [signal, [1], { out: signal }, /out shares memory with signal/],
    [Int32Array.of(1), new Int32Array(2 ** 18).fill(2 ** 31 - 1), {}, /less than 2\^48/],
  ];
  for (const [samples, mask, options, pattern] of cases) {
    const failed = convolve(samples as Float32Array, mask as number[], { ...options, device });
    await expect(failed).rejects.toThrow(pattern);
  }
  device.dispose();
});
