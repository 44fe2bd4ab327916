/** Streams on either side give what plain loops over matrices give, whatever the chunks. */
import { describe, expect, it } from "vitest";
import {
  distanceHistogramStream,
  matrixStream,
  streamOf,
  type DistanceCounts,
  type DistanceHistogramChunk,
  type DistanceHistogramStreamOptions,
  type Matrix,
  type MatrixStream,
} from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import { distancesOf, expectCounts } from "./expected.ts";

const seed = printedSeed();

/** Puts chunks together as one result. */
async function collect(chunks: AsyncIterable<DistanceHistogramChunk>): Promise<DistanceCounts> {
  const all: DistanceHistogramChunk[] = [];
  let queries = 0;
  for await (const chunk of chunks) {
    expect(chunk.begin).toBe(queries);
    queries += chunk.queries;
    all.push(chunk);
  }
  const joined = (name: "min" | "max" | "counts" | "below" | "above" | "nan" | "constant") =>
    all.flatMap((chunk) => [...chunk[name]]);
  return {
    ...{ queries, bins: all[0]?.bins ?? 0, counts: Uint32Array.from(joined("counts")) },
    ...{ min: Float64Array.from(joined("min")), max: Float64Array.from(joined("max")) },
    below: Uint32Array.from(joined("below")),
    above: Uint32Array.from(joined("above")),
    nan: Uint32Array.from(joined("nan")),
    constant: Uint8Array.from(joined("constant")),
    edges(query) {
      const chunk = all.findLast(({ begin }) => begin <= query)!;
      return chunk.edges(query - chunk.begin);
    },
  };
}

/** A stream that can be read once and does not know its length. */
function pipe(rows: Matrix, name: string): MatrixStream {
  return streamOf({
    name,
    cols: rows.cols,
    chunks: (async function* () {
      yield await Promise.resolve(rows);
    })(),
  });
}

const measures = [{}, { metric: "minkowski", p: 3 }, { metric: "inner_product" }] as const;
const ranges = [
  { bins: 7 },
  { bins: 40, range: "all" },
  { bins: 9, range: [2, 8.5] },
  { edges: [-1, 3, 3.25, 9] },
] as const;

describe("streams of rows counted by bins", () => {
  onEachBackend((device) => {
    const random = new Random(seed);
    const value = () => random.int(-40, 40) / 8;
    const [train, queries] = [matrix(61, 4, value), matrix(11, 4, value)] as [Matrix, Matrix];
    const streamed = (options: DistanceHistogramStreamOptions) =>
      collect(
        distanceHistogramStream(matrixStream(train, "train"), matrixStream(queries, "queries"), {
          ...options,
          device: device(),
        }),
      );

    it.each(ranges)("give what brute force gives: %o", async (bins) => {
      for (const measure of measures) {
        const options = { ...measure, ...bins, trainRows: random.int(1, 70), queryRows: random.int(1, 12) };
        expectCounts(await streamed(options), distancesOf(train, queries, measure), options);
      }
    });

    it("are counted on a GPU, with bins of each query's own in two readings", async () => {
      const { info } = device();
      const dispatches: number[] = [];
      const single = (rows: number) => {
        const { data } = matrix(rows, 19, () => random.uniform());
        return { data: Float32Array.from(data as Float64Array), rows, cols: 19 };
      };
      const [many, few, own] = [single(301), single(21), single(130)];
      for (const bins of [...ranges, { bins: 50, range: "all", excludeSelf: true }] as const) {
        const before = device().counters.dispatches;
        const [train, asked] = "excludeSelf" in bins ? [own, own] : [many, few];
        const options = { ...bins, trainRows: 120, queryRows: own === asked ? 70 : 200, device: device() };
        const counted = await collect(distanceHistogramStream(train, asked, options));
        expectCounts(counted, distancesOf(train, asked), options);
        dispatches.push(device().counters.dispatches - before);
      }
      const [queries, all, given] = dispatches;
      if (info.kind !== "gpu") return;
      expect(given).toBeGreaterThan(10);
      // Ranges alone take fewer dispatches than one reading that counts.
      expect(Math.min(queries, all)).toBeGreaterThan(given);
    });

    it("leave out rows themselves across chunks", async () => {
      const all = distancesOf(train, train);
      for (const range of ["query", "all"] as const) {
        const options = { bins: 6, range, excludeSelf: true, trainRows: 9, queryRows: 25, device: device() };
        expectCounts(await collect(distanceHistogramStream(train, train, options)), all, options);
      }
      const fewer = distanceHistogramStream(train, queries, { bins: 2, excludeSelf: true, device: device() });
      await expect(collect(fewer)).rejects.toThrow("11 queries and 61 rows");
      const [long, short] = [pipe(train, "train"), pipe(queries, "queries")];
      const unknown = distanceHistogramStream(long, short, { bins: 2, excludeSelf: true, device: device() });
      await expect(collect(unknown)).rejects.toThrow("11 queries and 61 rows");
    });

    it("are read once where that is enough, and refused by name where it is not", async () => {
      const all = distancesOf(train, queries);
      const count = (options: Omit<DistanceHistogramStreamOptions, "device">) =>
        collect(
          distanceHistogramStream(pipe(train, "train.pipe"), pipe(queries, "queries.pipe"), {
            ...options,
            device: device(),
          }),
        );
      const whole = { bins: 5, range: "all" } as const;
      expectCounts(await count(whole), all, whole);
      const given = { bins: 5, range: [0, 9], trainRows: 7 } as const;
      expectCounts(await count(given), all, given);
      await expect(count({ bins: 5, trainRows: 7 })).rejects.toThrow(/train\.pipe.*can be read only once/s);
      await expect(count({ ...given, queryRows: 2 })).rejects.toThrow(
        /train\.pipe.*raise trainRows, queryRows/s,
      );
      const asked = count({ bins: 5, range: "all", queryRows: 2 });
      await expect(asked).rejects.toThrow(/queries\.pipe.*can be read only once/s);
    });
  });

  it("name a bad cell by its row in the stream, and refuse what chunks cannot do", async () => {
    const rows = { data: Float64Array.of(0, 1, 2, NaN), rows: 4, cols: 1 };
    const bad = collect(
      distanceHistogramStream(
        rows,
        { ...rows, rows: 1, data: rows.data.slice(0, 1) },
        { bins: 2, trainRows: 2, backend: "cpu" },
      ),
    );
    await expect(bad).rejects.toThrow("train row 3, column 0 is NaN");
    const query = { data: Float64Array.of(1), rows: 1, cols: 1 };
    const refused = (options: object, train: MatrixStream | Matrix = query) =>
      collect(distanceHistogramStream(train, query, options as DistanceHistogramStreamOptions)).then(
        String,
        (error: unknown) => String(error),
      );
    expect(await refused({ bins: 2, metric: "precomputed" })).toContain("collectMatrix");
    expect(await refused({ bins: 2, out: new Uint32Array(2) })).toContain('no option "out"');
    expect(await refused({ bins: 65_536, queryRows: 70_000 })).toContain("give queryRows up to 65535");
    expect(await refused({ bins: 2 }, { data: new Float64Array(6), rows: 2, cols: 3 })).toContain(
      "queries have 1 column, but train has 3",
    );
    const none = streamOf({ name: "nothing", cols: 1, chunks: () => [] as never });
    expect(await refused({ bins: 2, backend: "cpu" }, none)).toMatch(/nothing.*has no rows/s);
    expect(await refused({ bins: 2, backend: "gpu", gpu: 99 })).toMatch(/Unavailable|99/);
  });

  it("report progress of each reading, and close what they were reading when they are left", async () => {
    const seen: string[] = [];
    const train = matrix(10, 2, () => 1.5) as Matrix;
    const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number }) =>
      seen.push(`${phase}: ${done} of ${total}`);
    const options = { bins: 2, trainRows: 5, queryRows: 8, backend: "cpu", onProgress } as const;
    for await (const { begin } of distanceHistogramStream(train, train, options)) {
      expect(begin).toBe(0);
      break;
    }
    expect(seen).toEqual([
      "ranges from query 0: 5 of 10",
      "ranges from query 0: 10 of 10",
      "counts from query 0: 5 of 10",
      "counts from query 0: 10 of 10",
    ]);
  });
});
