/** convolveStream() gives what convolve() gives of the whole signal, however it is cut into chunks. */
import { expect, it } from "vitest";
import { convolve, convolveStream, correlate } from "../../../dist/node.js";
import type { ConvolveStreamOptions, Samples } from "../../../dist/node.js";
import { printedSeed, Random } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";

const seed = printedSeed();

/** Cuts a signal into chunks, some of them empty. */
function cut(signal: Int32Array, random: Random, most: number): Int32Array[] {
  const chunks = [];
  for (let at = 0; at < signal.length;) {
    const end = Math.min(signal.length, at + random.int(0, most + 1));
    chunks.push(signal.subarray(at, end));
    at = end;
  }
  return chunks;
}

async function collect(chunks: Iterable<Samples>, mask: number[], options: ConvolveStreamOptions) {
  const result: number[] = [];
  for await (const chunk of convolveStream(chunks, mask, options)) {
    expect(chunk.length).toBeGreaterThan(0);
    result.push(...chunk);
  }
  return result;
}

onEachBackend((device, backend) => {
  it("gives what the whole signal gives, in every mode, with every boundary but wrap", async () => {
    const random = new Random(seed);
    for (const count of backend === "gpu" ? [5, 7, 60] : [1, 2, 5, 6, 7, 40, 300]) {
      const signal = new Int32Array(count).map(() => random.int(-99, 100));
      for (const taps of [1, 2, 6, 7]) {
        const mask = Array.from({ length: taps }, () => random.int(-9, 10));
        const boundary = random.pick(["constant", "reflect", "symmetric", "edge"] as const);
        for (const shape of [
          { mode: "full", fill: 3 },
          { mode: "same", boundary },
          { mode: "valid" },
        ] as const) {
          const isCorrelation = random.pick([true, false]);
          const whole = isCorrelation ? correlate : convolve;
          const options = { ...shape, device: device() };
          const expected = await whole(signal, mask, options);
          const chunks = cut(signal, random, random.pick(backend === "gpu" ? [9, 100] : [1, 5, 100]));
          const result = await collect(chunks, mask, { ...options, correlate: isCorrelation });
          expect(result, JSON.stringify({ count, taps, ...shape })).toEqual([...expected]);
        }
      }
    }
  });

  it("answers chunks as they come, and holds back no more than the taps", async () => {
    let asked = 0;
    function* chunks() {
      for (; asked < 100; asked++) yield new Float32Array(10).fill(1);
    }
    const stream = convolveStream(chunks(), [1, 1, 1], { device: device() });
    await stream.next();
    const { value } = await stream.next();
    expect(asked).toBeLessThan(3);
    expect([...(value as Float32Array)]).toEqual(new Array(10).fill(3));
    await stream.return(undefined);
  });

  it("counts elements over all chunks where a sum overflows", async () => {
    const chunks = [Int32Array.of(1, 2, 3), Int32Array.of(4, 2 ** 30, 5)];
    const failed = collect(chunks, [1, 2], { device: device() });
    await expect(failed).rejects.toThrow(/element 5 of the result overflows int32/);
  });
});

it("takes taps of a float64 stream that float32 cannot hold", async () => {
  expect(await collect([Float64Array.of(2)], [1e39], { backend: "cpu" })).toEqual([2e39]);
  await expect(collect([Float32Array.of(2)], [1e39], { backend: "cpu" })).rejects.toThrow(
    /mask\[0\] is 1e\+39/,
  );
});

it("gives nothing of nothing", async () => {
  expect(await collect([], [1, 2], {})).toEqual([]);
  expect(await collect([new Float32Array(0)], [1, 2], {})).toEqual([]);
  expect(await collect([Float32Array.of(1)], [], {})).toEqual([]);
});

it("refuses what cannot stream, and says why", async () => {
  const chunks = [Float32Array.of(1, 2), Int32Array.of(3)];
  const cases: [object, RegExp][] = [
    [{ boundary: "wrap", mode: "same" }, /"wrap", but the first output then needs the last samples/],
    [{ rows: 2 }, /^convolveStream has no option "rows"; expected some of correlate, mode/],
    [{ mode: "middle" }, /unknown mode "middle"/],
    [{ boundary: "edge" }, /boundary is "edge" with mode "full"/],
    [{}, /a chunk is a Int32Array, but the one before it a Float32Array/],
  ];
  for (const [options, pattern] of cases)
    await expect(collect(chunks, [1, 1], options)).rejects.toThrow(pattern);
  const aborted = { signal: AbortSignal.abort(new Error("enough")) };
  await expect(collect(chunks, [1, 1], aborted)).rejects.toThrow("enough");
});
