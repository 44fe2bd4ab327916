/** Streams on either side give what matrices give, to the bit, whatever the chunks. */
import { describe, expect, it } from "vitest";
import { kneighbors, kneighborsStream, matrixStream, streamOf } from "../../../dist/node.js";
import type { KnnChunk, Matrix, MatrixStream, NumericArray, StreamOptions } from "../../../dist/node.js";
import { KnnIndex } from "../../../dist/ops/knn/knnIndex.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend } from "../helpers.ts";
import { inputs } from "../inputs.ts";

const seed = printedSeed();

async function collect(chunks: AsyncIterable<KnnChunk>): Promise<{ chunks: KnnChunk[] } & KnnChunk> {
  const all: KnnChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return {
    chunks: all,
    begin: 0,
    k: all[0].k,
    queries: all.reduce((sum, { queries }) => sum + queries, 0),
    indices: Uint32Array.from(all.flatMap(({ indices }) => [...indices])),
    distances: Float64Array.from(all.flatMap(({ distances }) => [...distances])),
  };
}

/** A stream that can be read once, in matrices of all sizes. */
function pipe(matrix: Matrix, name: string, random: Random): MatrixStream {
  async function* parts() {
    for (let begin = 0; begin < matrix.rows;) {
      const rows = Math.min(random.int(1, 9), matrix.rows - begin);
      const data = matrix.data.slice(begin * matrix.cols, (begin + rows) * matrix.cols);
      yield await Promise.resolve({ data, rows, cols: matrix.cols });
      begin += rows;
    }
  }
  return streamOf({ name, cols: matrix.cols, chunks: parts() });
}

const measures = [{}, { metric: "minkowski", p: 2.5 }, { metric: "cosine" }] as const;

describe("streams of rows", () => {
  onEachBackend((device) => {
    it.each(inputs.filter(({ name }) => /grid|all equal|1e-3|far row|zeros of both/.test(name)))(
      "give what brute force gives for $name",
      async ({ make }) => {
        const random = new Random(seed);
        const { train, queries } = make(random, 14) as { train: Matrix; queries: Matrix };
        for (const measure of measures) {
          const k = random.pick([1, 5, train.rows]);
          const options: StreamOptions = {
            ...measure,
            k,
            trainRows: random.int(1, 20),
            queryRows: random.int(1, 9),
            device: device(),
          };
          const found = await collect(
            kneighborsStream(matrixStream(train, "train"), pipe(queries, "queries", random), options),
          );
          expect(found.chunks.map(({ begin }) => begin)).toEqual(
            found.chunks.map((_, i) => i * (options.queryRows ?? 0)),
          );
          expectSame(found, bruteForce(train, queries, { ...measure, k }), k);
        }
      },
    );

    it("are not what their first chunk says, and all the same", async () => {
      const random = new Random(seed + 3);
      const data = Float32Array.from({ length: 500 * 20 }, () => random.uniform());
      const queries = { data: data.slice(0, 7 * 20), rows: 7, cols: 20 };
      const ask = (rows: Float32Array) =>
        collect(
          kneighborsStream(matrixStream({ data: rows, rows: 500, cols: 20 }, "train"), queries, {
            ...{ k: 4, trainRows: 100, tiles: { assumeFrom: 0 }, device: device() },
          }),
        );
      for (const far of [1e4, 1e30]) {
        const rows = data.map((x, at) => (at >= 300 * 20 && at < 320 * 20 ? x * far : x));
        expectSame(await ask(rows), bruteForce({ data: rows, rows: 500, cols: 20 }, queries, { k: 4 }), 4);
      }
      const bad = data.with(412 * 20 + 3, NaN);
      await expect(ask(bad)).rejects.toThrow("train row 412, column 3 is NaN");
    });

    it("are taken to be like their first chunk where they are of its type", async () => {
      const random = new Random(seed + 4);
      const rows = (data: NumericArray) => ({ data, rows: 400, cols: 20 });
      const single = Float32Array.from({ length: 8000 }, () => random.uniform());
      const options = { tiles: { assumeFrom: 0 } };
      const { assumed } = (await KnnIndex.create(device(), rows(single), options)).rows;
      expect(assumed !== undefined).toBe(device().info.kind === "gpu");
      if (!assumed) return;
      const like = async (data: NumericArray) =>
        (await KnnIndex.create(device(), rows(data), options, undefined, assumed)).rows.assumed?.range;
      expect(await like(single.map((x) => x * 9))).toBe(assumed.range);
      expect(await like(Float64Array.from(single))).not.toBe(assumed.range);
    });

    it("are read once where that is enough", async () => {
      const random = new Random(seed + 1);
      const { train, queries } = inputs[0].make(random, 3) as { train: Matrix; queries: Matrix };
      const found = await collect(
        kneighborsStream(pipe(train, "train", random), queries, { k: 3, trainRows: 7, device: device() }),
      );
      expectSame(found, bruteForce(train, queries, { k: 3 }), 3);
    });
  });

  it("are refused where indices cannot number their rows", async () => {
    const { chunks } = matrixStream({ data: new Float32Array(4), rows: 1, cols: 4 }, "train");
    const train = { name: "train", cols: 4, rows: 2 ** 32 - 1, once: false, chunks };
    const query = { data: new Float32Array(4), rows: 1, cols: 4 };
    await expect(collect(kneighborsStream(train, query, { k: 1, backend: "cpu" }))).rejects.toThrow(
      "train has more than 4294967294 rows, which indices cannot number",
    );
  });

  it("report progress that ends with all rows of train", async () => {
    const seen: { done: number; total: number }[] = [];
    const train = matrixStream({ data: new Float64Array(30), rows: 10, cols: 3 }, "train");
    await collect(
      kneighborsStream(
        train,
        { data: new Float64Array(3), rows: 1, cols: 3 },
        {
          k: 1,
          trainRows: 4,
          backend: "cpu",
          onProgress: (progress) => seen.push(progress),
        },
      ),
    );
    expect(seen.map(({ done, total }) => [done, total])).toEqual([
      [4, 10],
      [8, 10],
      [10, 10],
    ]);
  });

  it("of unknown length report no total before their end", async () => {
    const seen: [number, number][] = [];
    const rows = { data: new Float64Array(30), rows: 10, cols: 3 };
    const train = pipe(rows, "train", new Random(seed));
    const onProgress = ({ done, total }: { done: number; total: number }) => seen.push([done, total]);
    const query = { data: new Float64Array(3), rows: 1, cols: 3 };
    await collect(kneighborsStream(train, query, { k: 1, trainRows: 4, backend: "cpu", onProgress }));
    expect(seen).toEqual([
      [4, Infinity],
      [8, Infinity],
      [10, Infinity],
      [10, 10],
    ]);
  });

  it("name a bad row by its number in the stream", async () => {
    const withNaN = (row: number) => {
      const data = new Float64Array(30);
      data[row * 3 + 1] = NaN;
      return matrixStream({ data, rows: 10, cols: 3 }, "x");
    };
    const good = matrixStream({ data: new Float64Array(30), rows: 10, cols: 3 }, "x");
    const ask = (train: MatrixStream, queries: MatrixStream) =>
      collect(kneighborsStream(train, queries, { k: 1, trainRows: 4, queryRows: 3, backend: "cpu" }));
    await expect(ask(withNaN(9), good)).rejects.toThrow("train row 9, column 1 is NaN");
    await expect(ask(good, withNaN(7))).rejects.toThrow("queries row 7, column 1 is NaN");
  });

  it("stop when the signal says so", async () => {
    const stop = new AbortController();
    const train = matrixStream({ data: new Float64Array(30), rows: 10, cols: 3 }, "train");
    const chunks = kneighborsStream(
      train,
      { data: new Float64Array(6), rows: 2, cols: 3 },
      {
        k: 1,
        queryRows: 1,
        backend: "cpu",
        signal: stop.signal,
      },
    );
    await chunks.next();
    stop.abort(new Error("enough"));
    await expect(chunks.next()).rejects.toThrow("enough");
  });

  it("refuse what cannot be answered, saying why", async () => {
    const random = new Random(seed + 2);
    const { train, queries } = inputs[0].make(random, 3) as { train: Matrix; queries: Matrix };
    const ask = (from: MatrixStream | Matrix, options: StreamOptions) =>
      collect(kneighborsStream(from, queries, { backend: "cpu", ...options }));
    await expect(ask(pipe(train, "pipe", random), { queryRows: 2 })).rejects.toThrow(
      "pipe: can be read only once, but more than 2 queries need it again; save it to a file",
    );
    await expect(ask(train, { metric: "rapidminer:MahalanobisDistance" })).rejects.toThrow(
      /MahalanobisDistance needs all training rows at once, .*collectMatrix/,
    );
    await expect(ask(train, { precision: "float32" })).rejects.toThrow(
      "streams are searched only in float64",
    );
    await expect(ask(train, { k: 99 })).rejects.toThrow("k is 99, but train has only 53 rows");
    await expect(ask(pipe(train, "train", random), { k: 99 })).rejects.toThrow(
      "k is 99, but train has only 53 rows",
    );
    await expect(ask({ data: new Float64Array(8), rows: 2, cols: 4 }, {})).rejects.toThrow(
      "queries have 3 columns, but train has 4",
    );
  });
});

onEachBackend((device) => {
  const rows = { data: Float64Array.of(3, 0, 7, 0.2, 7, 5), rows: 3, cols: 2 };
  const kinds = ["nominal", "numeric"] as const;

  it("carries kinds and gaps of matrices, in chunks as whole", async () => {
    const train: Matrix = { ...rows, kinds };
    const queries: Matrix = { data: Float64Array.of(3, 1, 7, NaN), rows: 2, cols: 2, kinds, gaps: true };
    const options = { k: 3, metric: "mixed_euclidean", device: device() } as const;
    const whole = await kneighbors(train, queries, options);
    const source = { name: "rows", cols: 2, chunks: () => eachRow(train) };
    for (const from of [train, matrixStream(train, "train"), streamOf(source)]) {
      for await (const chunk of kneighborsStream(from, queries, { ...options, trainRows: 2 })) {
        expectSame(chunk, whole, 3);
      }
    }
  });

  async function* eachRow({ data, cols, ...rest }: Matrix) {
    for (let row = 0; row < rest.rows; row++)
      yield { ...rest, data: data.slice(row * cols, (row + 1) * cols), rows: 1, cols };
  }

  it.each([
    [
      "too little data",
      { data: Float64Array.of(1, 2, 3), rows: 2, cols: 2 },
      "has 3 values, but 2 rows x 2 columns",
    ],
    [
      "64-bit integers",
      { data: BigInt64Array.of(1n, 2n), rows: 1, cols: 2 },
      "gives chunks of BigInt64Array",
    ],
    ["no typed array", { data: [1, 2], rows: 1, cols: 2 }, "must be a typed array"],
    [
      "other kinds",
      { data: Float64Array.of(1, 2), rows: 1, cols: 2, kinds },
      "of the kinds numeric, numeric and of",
    ],
  ])("refuses a chunk with %s", async (_, chunk, message) => {
    async function* chunks() {
      yield { data: Float64Array.of(0, 0), rows: 1, cols: 2 };
      yield chunk as Matrix;
    }
    const stream = streamOf({ name: "made", cols: 2, chunks: chunks() });
    const search = kneighborsStream(stream, rows, { k: 1, device: device() });
    await expect(search.next()).rejects.toMatchObject({
      tag: "InvalidInput",
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([{ radius: 2 }, { excludeSelf: true }])("refuses %j by its name", async (more) => {
    const search = kneighborsStream(rows, rows, { k: 1, device: device(), ...more });
    await expect(search.next()).rejects.toThrow(Object.keys(more)[0]);
  });
});
