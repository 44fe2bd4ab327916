/**
 * k-NN of bytes in a `.u8bin`, larger than what the device may take, on a device that is open. It prints the
 * seconds of reading the file alone; of a search by one query, which is reading and uploading; of one of
 * rows that are on the device, for as many pairs, which is computing; and of whole searches. Their neighbours
 * go to a ground truth that bench/rivals/knn_u8bin.py checks in float64. Not a test.
 *
 *     python3 bench/rivals/knn_u8bin.py make TRAIN.u8bin 100000000 QUERIES.u8bin 10000
 *     node dist-bench/knn_u8bin.bench.js TRAIN.u8bin QUERIES.u8bin [--k 100] [--memory 8] [--runs 2]
 *       [--resident 8000000] [--out truth.ibin] [--chunks]
 *     python3 bench/rivals/knn_u8bin.py check TRAIN.u8bin QUERIES.u8bin truth.ibin 100
 *
 * `--memory` is in GiB, of the host and of the device. `--chunks` gives rows chunk by chunk, as other metrics
 * than the Euclidean one want them.
 */
import { open, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import {
  collectMatrix,
  Device,
  kneighborsStream,
  NearestNeighbors,
  openMatrix,
  writeGroundTruth,
} from "../dist/node.js";
import { fileSource } from "../dist/node/index.js";
import type { KnnChunk, Matrix } from "../dist/node.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    k: { type: "string", default: "100" },
    memory: { type: "string", default: "8" },
    runs: { type: "string", default: "2" },
    resident: { type: "string", default: "8000000" },
    out: { type: "string" },
    chunks: { type: "boolean", default: false },
  },
});
const [trainFile, queryFile] = positionals;
const bytes = Math.floor(Number(values.memory) * 2 ** 30);
const k = Number(values.k);
const metric = "sqeuclidean";
const device = await Device.create({ backend: "gpu", memory: bytes, deviceMemory: bytes });
console.log(device.info.name);
console.log(`reading alone       ${(await readAlone(trainFile)).toFixed(2)} s`);
const all = await collectMatrix(await openMatrix(await fileSource(queryFile)));
for (let run = 0; run < 2; run++) await search("reading, uploading", some(all, 1));
await resident(Number(values.resident));
let found: KnnChunk | undefined;
for (let run = 0; run < Number(values.runs); run++) found = await search("search", all);
if (values.out && found) await writeFile(values.out, writeGroundTruth(found));
device.dispose();

function some({ data, cols }: Matrix, rows: number): Matrix {
  return { data: data.slice(0, rows * cols), rows, cols };
}

async function search(name: string, queries: Matrix): Promise<KnnChunk | undefined> {
  const before = { ...device.counters };
  const began = performance.now();
  const train = await openMatrix(await fileSource(trainFile));
  let last = began;
  const onProgress = ({ done, total }: { done: number; total: number }) => {
    if (performance.now() - last < 10_000) return;
    last = performance.now();
    console.log(`  ${done} of ${total} after ${((last - began) / 1000).toFixed(1)} s`);
  };
  const options = { k, device, metric, queryRows: queries.rows, memory: bytes, onProgress } as const;
  const chunked = values.chunks ? { trainRows: 2 ** 21 } : {};
  let chunk: KnnChunk | undefined;
  for await (const each of kneighborsStream(train, queries, { ...options, ...chunked })) chunk = each;
  const seconds = (performance.now() - began) / 1000;
  const { uploadedBytes, work, peakBytes, dispatches } = device.counters;
  console.log(
    `${name.padEnd(19)} ${seconds.toFixed(2)} s: ${queries.rows} x ${train.rows ?? 0} x ${train.cols}, k = ${k}; uploaded ` +
      `${((uploadedBytes - before.uploadedBytes) / 1e9).toFixed(2)} GB, ${((work - before.work) / 1e9).toFixed(0)} G pairs, ` +
      `${dispatches - before.dispatches} dispatches, ${(peakBytes / 2 ** 20).toFixed(0)} MiB of the device, ` +
      `${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB of the host`,
  );
  return chunk;
}

/** Searches the first rows of the file as often as they are on the device, and scales the time up. */
async function resident(rows: number): Promise<void> {
  const file = await openMatrix(await fileSource(trainFile), { end: rows });
  const train = await collectMatrix(file);
  const whole = await openMatrix(await fileSource(trainFile));
  const model = await new NearestNeighbors({ nNeighbors: k, device, metric }).fit(train);
  const seconds = [];
  for (let run = 0; run < 3; run++) {
    const began = performance.now();
    await model.kneighbors(all);
    seconds.push((performance.now() - began) / 1000);
  }
  model.dispose();
  const least = Math.min(...seconds);
  console.log(
    `computing           ${((least * (whole.rows ?? 0)) / rows).toFixed(2)} s by ${rows} rows on the device ` +
      `(${seconds.map((each) => each.toFixed(3)).join(" ")} s)`,
  );
}

/** Reads all of a file, four pieces at a time. */
async function readAlone(path: string): Promise<number> {
  const file = await open(path);
  const { size } = await file.stat();
  const began = performance.now();
  const step = 2 ** 24;
  let at = 0;
  const reader = async () => {
    const piece = new Uint8Array(step);
    while (at < size) {
      const from = at;
      at += step;
      await file.read(piece, 0, step, from);
    }
  };
  await Promise.all([reader(), reader(), reader(), reader()]);
  await file.close();
  return (performance.now() - began) / 1000;
}
