/**
 * This module draws calls of the operators on arrays, of distances counted by bins and of point clouds, makes
 * them, and says where they differ from plain loops. All values that are added up are small whole numbers, so
 * that sums of floats are exact, whatever their order.
 */
import {
  PointCloud,
  argsort,
  chamferDistance,
  convolve,
  correlate,
  distanceHistogram,
  hausdorffDistance,
  histogram,
  sort,
  sortPairs,
} from "../../../dist/node.js";
import type { Device, DistanceHistogramOptions, HistogramOptions } from "../../../dist/node.js";
import { naiveChamfer, naiveHausdorff } from "../../oracle/cloud.ts";
import { naiveConvolve } from "../../oracle/convolve.ts";
import { binned, edgesBetween, finiteRange } from "../../oracle/distances.ts";
import { countBins, evenEdges, numbersRange } from "../../oracle/histogram.ts";
import { bruteForce } from "../../oracle/knn.ts";
import type { Random } from "../../oracle/random.ts";
import { naiveOrder } from "../../oracle/sort.ts";
import { elementInputs } from "../arrays/elementInputs.ts";
import { bytesOf, constructors, keyKinds, keysOf, keyTypes, pick } from "../arrays/keyInputs.ts";
import { clouds, inputOf } from "../clouds.ts";
import { firstDifference } from "../helpers.ts";
import type { BackendName } from "../helpers.ts";

/** A call, and where its answer differs from the oracle's; undefined where it does not. */
export interface Drawn {
  /** The call in words, for the report. */
  readonly what: string;
  check(): Promise<string | undefined>;
}

type Draw = (random: Random, device: Device, backend: BackendName) => Drawn;

export const draws: Readonly<Record<string, Draw>> = {
  sort: drawSort,
  convolve: drawConvolve,
  histogram: drawHistogram,
  distanceHistogram: drawDistances,
  PointCloud: drawCloud,
};

type List = ArrayLike<number | bigint>;

function differs(name: string, found: List | undefined, expected: List): string | undefined {
  if (found?.length !== expected.length) return `${name}: ${found?.length} instead of ${expected.length}`;
  for (let at = 0; at < expected.length; at++)
    if (!Object.is(found[at], expected[at]))
      return `${name}[${at}] is ${found[at]} instead of ${expected[at]}`;
  return undefined;
}

function drawSort(random: Random, device: Device): Drawn {
  const [type, kind] = [random.pick(keyTypes), random.pick(keyKinds)];
  const rows = random.pick([1, 1, 1, 2, 7]);
  const keys = keysOf(
    type,
    kind,
    rows * random.pick([0, 1, random.int(2, 40), random.int(40, 2500)]),
    random,
  );
  const width = keys.BYTES_PER_ELEMENT * 8;
  const beginBit = random.int(0, width);
  const bits = random.uniform() < 0.3 ? ([beginBit, random.int(beginBit, width + 1)] as const) : undefined;
  const descending = random.pick([true, false]);
  const isRagged = rows > 1 && random.pick([true, false]);
  const cuts = Array.from({ length: rows - 1 }, (_, row) =>
    isRagged ? random.int(0, keys.length + 1) : ((row + 1) * keys.length) / rows,
  );
  const offsets = Uint32Array.from([0, ...cuts.sort((a, b) => a - b), keys.length]);
  const piece = random.uniform() < 0.3 ? random.int(1, 700) : undefined;
  const options = {
    device,
    descending,
    ...(rows === 1 ? {} : isRagged ? { offsets } : { rows }),
    ...(bits && { beginBit: bits[0], endBit: bits[1] }),
    ...(piece !== undefined && rows === 1 && { tuning: { piece } }),
  };
  return {
    what: `${keys.length} ${kind} ${type}, ${JSON.stringify({ ...options, device: "", offsets: [...offsets] })}`,
    async check() {
      const places = naiveOrder(keys, { descending, offsets, ...(bits && { bits }) });
      const sameBits = (name: string, found: ArrayBufferView, expected: ArrayBufferView) =>
        Buffer.compare(bytesOf(found), bytesOf(expected)) === 0 ? undefined : `${name} differ`;
      const before = keys.slice();
      const sorted = await sort(keys, options);
      const indices = await argsort(keys, options);
      const values = Float64Array.from({ length: keys.length }, (_, at) => at / 4);
      const pairs = await sortPairs(keys, values, options);
      const starts = offsets.subarray(0, rows);
      const begin = (at: number) => starts.findLast((start) => start <= at)!;
      return (
        sameBits("sorted keys", sorted, pick(keys, places)) ??
        sameBits("keys of pairs", pairs.keys, pick(keys, places)) ??
        sameBits("values of pairs", pairs.values, pick(values, places)) ??
        differs(
          "indices",
          indices,
          places.map((place, at) => place - begin(at)),
        ) ??
        sameBits("the caller's keys", keys, before)
      );
    },
  };
}

const boundaries = ["constant", "reflect", "symmetric", "edge", "wrap"] as const;

function drawConvolve(random: Random, device: Device, backend: BackendName): Drawn {
  const of = random.pick(backend === "gpu" ? (["f32", "i32"] as const) : (["f32", "f64", "i32"] as const));
  const list = (length: number) => Array.from({ length }, () => random.int(-9, 10));
  const [rows, masks] = [random.pick([1, 1, 3]), random.pick([1, 1, 2])];
  const taps = random.pick([1, 2, 3, random.int(4, 30), random.int(30, 400)]);
  const samples = random.pick([1, 2, random.int(3, 60), random.int(60, 2000)]);
  const signal = constructors[of].from(list(rows * samples));
  const mask = list(masks * taps);
  const mode = random.pick(["full", "same", "valid"] as const);
  const outside = mode === "same" ? { boundary: random.pick(boundaries) } : {};
  const isConstant = (outside.boundary ?? "constant") === "constant";
  const fill =
    isConstant && mode !== "valid" && random.pick([true, false]) ? { fill: random.int(-3, 4) } : {};
  const technique = of === "f64" ? "tiled" : random.pick(["plain", "uniform", "tiled"] as const);
  const options = { rows, masks, mode, ...outside, ...fill, technique, device } as const;
  const call = random.pick([convolve, correlate]);
  return {
    what: `${call.name} of ${of}, ${rows} x ${samples}, ${taps} taps: ${JSON.stringify({ ...options, device: "" })}`,
    async check() {
      const expected: number[] = [];
      for (let row = 0; row < rows; row++) {
        for (let own = 0; own < masks; own++) {
          const part = mask.slice(own * taps, (own + 1) * taps);
          const samplesOf = signal.subarray(row * samples, (row + 1) * samples);
          expected.push(...naiveConvolve(samplesOf, part, call === convolve, options).values);
        }
      }
      const found = await call(signal, mask, options);
      return differs(
        "sums",
        Array.from(found, (sum) => sum + 0),
        expected.map((sum) => sum + 0),
      );
    },
  };
}

function drawHistogram(random: Random, device: Device): Drawn {
  const input = random.pick(elementInputs);
  const rows = random.pick([1, 1, 2, 5]);
  const cols = random.pick([1, random.int(2, 50), random.int(50, 3000)]);
  const elements = input.make(random, rows * cols);
  const bins = random.pick([1, 2, random.int(3, 70), random.int(70, 1500)]);
  const numbers = [random.normal(), random.normal(), random.int(-5, 40)].sort((a, b) => a - b);
  const isInfinite = elements.some((element) => Math.abs(element) === Infinity);
  const form = random.int(isInfinite ? 1 : 0, 3);
  const given = Float64Array.from(
    { length: bins + 1 },
    (_, at) => at / 4 + random.int(0, 2) / 8 - random.int(0, 1),
  );
  const ask: HistogramOptions =
    form === 0 ? { bins } : form === 1 ? { bins, range: [numbers[0], numbers[2]] } : { edges: given };
  const piece = random.uniform() < 0.3 && rows === 1 ? { tuning: { piece: random.int(1, 900) } } : {};
  return {
    what: `${rows} x ${cols} ${input.name}: ${JSON.stringify({ ...ask, ...piece })}`,
    async check() {
      const edgesOf = (row: number) =>
        ask.edges
          ? [...given]
          : evenEdges(...(ask.range ?? numbersRange(elements.subarray(row * cols, (row + 1) * cols))), bins);
      const expected = countBins(elements, rows, bins, edgesOf);
      const found = await histogram(elements, { ...ask, ...piece, rows, device });
      const outside = Array.from({ length: rows }, (_, row) => [
        found.below[row],
        found.above[row],
        found.nan[row],
      ]);
      return (
        differs("counts", found.counts, expected.counts) ??
        differs("values outside", outside.flat(), expected.outside)
      );
    },
  };
}

const metrics = ["euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine", "inner_product"] as const;

function drawDistances(random: Random, device: Device): Drawn {
  const cols = random.int(1, 7);
  const by = random.pick([1, 1e-3, 1e6]);
  const offset = random.pick([0, 0, 1e7]);
  const matrix = (rows: number) => ({
    data: Float64Array.from({ length: rows * cols }, () => offset + by * random.int(-20, 21)),
    rows,
    cols,
  });
  const train = matrix(random.int(2, 150));
  const excludeSelf = random.uniform() < 0.3;
  const queries = excludeSelf ? train : matrix(random.int(1, 12));
  const metric = random.pick(metrics);
  const bins = random.pick([1, 2, random.int(3, 90)]);
  const form = random.int(0, 4);
  const end = Math.abs(random.normal()) * 30 * by;
  const steps = Array.from({ length: bins + 1 }, () => random.int(1, 9) * by);
  const edges = Float64Array.from(steps, (_, at) => steps.slice(0, at + 1).reduce((a, b) => a + b, -9 * by));
  const range = form === 0 ? "query" : form === 1 ? "all" : ([0, end] as const);
  const ask: DistanceHistogramOptions = form === 3 ? { edges } : { bins, range };
  const fewest = random.pick([0, Infinity]);
  return {
    what: `${train.rows} x ${cols} at ${offset}, ${metric}, ${JSON.stringify({ ...ask, excludeSelf, fewest })}`,
    async check() {
      const all = bruteForce(train, queries, { metric, k: train.rows });
      const kept = Array.from({ length: queries.rows }, (_, query) => {
        const at = query * train.rows;
        const own = Array.from(all.distances.subarray(at, at + train.rows));
        return excludeSelf ? own.filter((_, rank) => all.indices[at + rank] !== query) : own;
      });
      const whole = finiteRange(kept.flat());
      const options = { metric, ...ask, excludeSelf, device, tuning: { fewest } };
      const found = await distanceHistogram(train, queries, options);
      for (const [query, own] of kept.entries()) {
        const of = range === "query" ? finiteRange(own) : range === "all" ? whole : range;
        const expected = binned(own, form === 3 ? [...edges] : edgesBetween(of[0], of[1], bins));
        const { counts, below, above, nan } = expected;
        const wrong =
          differs(
            `counts of query ${query}`,
            found.counts.subarray(query * bins, (query + 1) * bins),
            counts,
          ) ??
          differs(
            "values outside",
            [found.below[query], found.above[query], found.nan[query]],
            [below, above, nan],
          );
        if (wrong !== undefined) return wrong;
      }
      return undefined;
    },
  };
}

function drawCloud(random: Random, device: Device): Drawn {
  const name = random.pick(Object.keys(clouds));
  const { train, queries } = inputOf(
    name,
    random.int(2, 300),
    random.int(1, 4),
    random,
    random.pick([true, false]),
  );
  const k = random.int(1, Math.min(train.rows, 20) + 1);
  const all = bruteForce(train, queries, { k: train.rows });
  const radius = random.pick([0, Infinity, all.distances[random.int(0, all.distances.length)]]);
  const tiles = { tree: random.pick([true, false]) };
  return {
    what: `${train.rows} points of ${train.cols} columns that are ${name}, k = ${k}, radius = ${radius}, tree: ${tiles.tree}`,
    async check() {
      using cloud = await PointCloud.create(train, { device, tiles });
      const found = await cloud.nearest(queries, { k });
      const within = await cloud.radiusNeighbors(queries, { radius });
      const ranks = Array.from(all.distances.keys()).filter((at) => all.distances[at] <= radius);
      const options = { device };
      return (
        firstDifference(found, bruteForce(train, queries, { k }), k) ??
        differs(
          "rows within the radius",
          within.indices,
          ranks.map((at) => all.indices[at]),
        ) ??
        differs(
          "distances within it",
          within.distances,
          ranks.map((at) => all.distances[at]),
        ) ??
        differs(
          "Chamfer",
          Object.values(await chamferDistance(train, queries, options)),
          Object.values(naiveChamfer(train, queries, false)),
        ) ??
        differs(
          "Hausdorff",
          Object.values(await hausdorffDistance(train, queries, options)),
          Object.values(naiveHausdorff(train, queries)),
        )
      );
    },
  };
}
