/**
 * knn.order on the GPU alone: the order of float32 points, and the distances that it makes of them, however
 * small or large, against those of the host, bit for bit.
 */
import { describe, expect, it } from "vitest";
import { knnOrderKernel } from "../../../dist/ops/knn/gpu/order/order.js";
import { kernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { printedSeed, Random } from "../../oracle/random.ts";
import { hasGpu, onSharedGpu } from "./gpu.ts";
import { PassRunner } from "./passRunner.ts";

const random = new Random(printedSeed());
/** Float32 values of all magnitudes by their bits, and those at the ends. */
const POINTS = Float32Array.from([
  ...[0, -0, -1e-30, -5, 2 ** -149, 3 * 2 ** -149, 2 ** -127, 2 ** -126, 1 - 2 ** -24, 1, 2, 3, Infinity],
  ...new Float32Array(Uint32Array.from({ length: 300 }, () => random.uniform() * 0xff000000).buffer).filter(
    (x) => !Number.isNaN(x),
  ),
]);

describe.skipIf(!hasGpu)("knn.order of float32 points", () => {
  let runner: PassRunner;
  onSharedGpu(({ device }) => void (runner = new PassRunner(device)));

  it.each([
    [0, false],
    [0, true],
    [-799, true],
    [800, false],
    [800, true],
  ])(
    "makes the order and the distances that the host makes (rankExponent %d, root %s)",
    async (exponent, root) => {
      const k = POINTS.length - 2;
      const capacity = POINTS.length + 3;
      // Three lists in two calls: of all points, of k of them, and one that overflowed.
      const counts = [POINTS.length, k, capacity + 1];
      const rows = Uint32Array.from(POINTS, (_, at) => (at * 7919) % POINTS.length);
      const candidates = new Uint32Array(3 * capacity);
      const points = new Float32Array(2 * 3 * capacity);
      for (let list = 0; list < 3; list++) {
        candidates.set(rows, list * capacity);
        POINTS.forEach((x, at) => points.set([x, 77], 2 * (list * capacity + at)));
      }
      const params = { capacity, k, root, rankExponent: exponent };
      const limits = kernelLimits(runner.device);
      const passes = [
        { queryBegin: 0, queryRows: 1 },
        { queryBegin: 1, queryRows: 2 },
      ].flatMap((queries) => knnOrderKernel.passes({ ...params, ...queries }, limits));
      const got = await runner.run(passes, {
        heads: Uint32Array.from(counts.flatMap((count) => [count, 0])),
        candidates,
        keys: new Uint32Array(points.buffer),
        nearRows: 3 * k,
        nearDistances: 6 * k,
      });
      const distanceOf = (x: number) => {
        const rank = Math.max(x, 0) * 2 ** exponent;
        return root ? Math.sqrt(rank) : rank;
      };
      const { buffer, byteOffset } = got["nearDistances"];
      const distances = new Float64Array(buffer, byteOffset, 3 * k);
      for (let list = 0; list < 2; list++) {
        const expected = [...POINTS.subarray(0, counts[list])]
          .map((x, at) => [x, rows[at]])
          .sort(([a, i], [b, j]) => (a === b ? i - j : a - b))
          .slice(0, k);
        const places = [list * k, (list + 1) * k];
        expect([...distances.subarray(...places)]).toEqual(expected.map(([x]) => distanceOf(x)));
        expect([...got["nearRows"].subarray(...places)]).toEqual(expected.map(([, row]) => row));
      }
      expect([got["nearRows"][2 * k], got["nearDistances"][4 * k]]).toEqual([0xffffffff, capacity + 1]);
    },
  );
});
