/**
 * k-NN on a GPU from arrays and files of the host, on a device that is open: fit, upload, search and result,
 * each run from the start. The rate of uploading, certified searches beside float32 ones, rows larger than
 * the device's memory from an array and from a file, and a sample checked in float64. Rows in device memory
 * are knn.bench.ts. Not a test.
 *
 *     node dist-bench/knn_host.bench.js [--parts upload,host,check,streamed,file] [--queries 10000]
 *       [--references 1000000] [--columns 128] [--k 10,100,1000] [--large 10000000] [--path /tmp/large.npy]
 *       [--cap 60] [--runs 3] [--warm 0] [--host-sorts]
 *
 * `host` does `--warm` searches first: a device whose searches took a second together has its rate of bytes
 * measured. With `--host-sorts` the host sorts what the device evaluated.
 *
 * A part that has taken `--cap` seconds starts no further row and says so. `file` wants a process of its own,
 * since it prints the peak of its resident memory; it writes the file first where there is none, in a process
 * of its own too (`make`).
 */
import { open } from "node:fs/promises";
import { parseArgs } from "node:util";
import {
  Device,
  NearestNeighbors,
  explanationText,
  kneighbors,
  kneighborsStream,
  openNpy,
  writeNpy,
} from "../dist/node.js";
import { fileSource } from "../dist/node/index.js";
import type { KnnResult } from "../dist/node.js";

const parts = { upload, host, check, streamed, make, file } as const;

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "upload,host,check,streamed" },
    queries: { type: "string", default: "10000" },
    references: { type: "string", default: "1000000" },
    columns: { type: "string", default: "128" },
    k: { type: "string", default: "10,100,1000" },
    large: { type: "string", default: "10000000" },
    memory: { type: "string", default: String(2 ** 30) },
    path: { type: "string", default: "/tmp/large.npy" },
    cap: { type: "string", default: "60" },
    runs: { type: "string", default: "3" },
    warm: { type: "string", default: "0" },
    "host-sorts": { type: "boolean", default: false },
    sample: { type: "string", default: "200" },
    explain: { type: "boolean", default: false },
  },
});
const [queryRows, references, cols, large] = [
  values.queries,
  values.references,
  values.columns,
  values.large,
].map(Number);
const ks = values.k.split(",").map(Number);

interface HostRows {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

/** Uniform in [0, 1), 24 bits each. */
function randomRows(rows: number, seed: number): HostRows {
  const data = new Float32Array(rows * cols);
  let state = seed | 1;
  for (let at = 0; at < data.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    data[at] = (state >>> 8) * 2 ** -24;
  }
  return { data, rows, cols };
}

const seeds = { train: 12345, queries: 67891 };

/** @returns whether there is time for another row */
type InTime = () => boolean;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1];
const listed = (times: readonly number[]) => `${times.map((each) => each.toFixed(3)).join(" ")} s`;

for (const name of values.parts.split(",") as (keyof typeof parts)[]) {
  console.log(`\n## ${name}`);
  const end = performance.now() + Number(values.cap) * 1000;
  await parts[name](() => performance.now() < end || (console.log("(cut short by --cap)"), false));
}
process.exit(0);

/** Raw rows into one buffer of the device, as searches upload them. */
async function upload(): Promise<void> {
  const device = await Device.create({ backend: "gpu" });
  const train = randomRows(references, seeds.train);
  const bytes = train.data.byteLength;
  const session = await device.backend.open([{ name: "rows", bytes }]);
  const source = {
    rows: references,
    rowBytes: () => cols * 4,
    fill: (_: string, rows: { begin: number; end: number } | Uint32Array, target: Uint8Array) => {
      if (!("begin" in rows)) return;
      const out = new Float32Array(target.buffer, target.byteOffset, target.byteLength / 4);
      out.set(train.data.subarray(rows.begin * cols, rows.end * cols));
    },
  };
  const rows = { begin: 0, end: references };
  const segment = {
    label: "upload",
    buffers: [],
    steps: [{ kind: "upload", to: "rows", source: "rows", part: "raw", rows } as const],
  };
  const times: number[] = [];
  for (let run = 0; run < 5; run++) times.push(await seconds(() => session.run(segment, { rows: source })));
  const rate = (each: number) => (bytes / each / 1e9).toFixed(1);
  console.log(`${bytes} bytes: ${listed(times)}, ${rate(median(times.slice(1)))} GB/s`);
  session.dispose();
  device.dispose();
}

/** Fit, upload and search, or only search; typed array in, typed array out. */
async function host(inTime: InTime): Promise<void> {
  const device = await Device.create({ backend: "gpu" });
  const [train, asked] = [randomRows(references, seeds.train), randomRows(queryRows, seeds.queries)];
  const tiles = values["host-sorts"] ? { orders: false } : {};
  const first = await new NearestNeighbors({ nNeighbors: ks[0], device }).fit(train);
  for (let run = 0; run < Number(values.warm); run++) await first.kneighbors(asked);
  first.dispose();
  for (const k of ks) {
    const took = { float32: [] as number[], float64: [] as number[] };
    const resident: number[] = [];
    let result: KnnResult | undefined;
    for (let run = 0; run < 1 + Number(values.runs); run++) {
      for (const precision of ["float32", "float64"] as const) {
        if (!inTime()) return device.dispose();
        const began = performance.now();
        const model = await new NearestNeighbors({ nNeighbors: k, precision, device, tiles }).fit(train);
        const fitted = performance.now();
        result = await model.kneighbors(asked);
        const ended = performance.now();
        if (run > 0 && precision === "float64") resident.push(await seconds(() => model.kneighbors(asked)));
        model.dispose();
        if (run > 0) took[precision].push((ended - began) / 1000);
        else
          console.log(
            `  first ${precision}: fit ${(fitted - began).toFixed(0)} ms, search ${(ended - fitted).toFixed(0)} ms`,
          );
      }
    }
    for (const [precision, times] of Object.entries(took))
      console.log(`k = ${k}, ${precision}: ${listed(times)}`);
    console.log(`k = ${k}, certified once more, resident: ${listed(resident)}`);
    console.log(`    certified takes ${(median(took.float64) / median(took.float32)).toFixed(2)} of float32`);
    if (values.explain && result) console.log(explanationText(result.explanation));
  }
  device.dispose();
}

/** Every neighbour of some queries by brute force in float64; certified ones must be equal. */
async function check(): Promise<void> {
  const [train, all] = [randomRows(references, seeds.train), randomRows(queryRows, seeds.queries)];
  const count = Math.min(Number(values.sample), queryRows);
  const [k] = ks;
  const found = await kneighbors(train, all, { k, backend: "gpu" });
  let wrong = 0;
  for (let i = 0; i < count; i++) {
    const query = Math.floor((i * queryRows) / count);
    const expected = nearest(train, all.data.subarray(query * cols, (query + 1) * cols), k);
    expected.forEach(({ row, distance }, rank) => {
      const at = query * k + rank;
      if (found.indices[at] !== row || found.distances[at] !== distance) wrong++;
    });
  }
  console.log(`${count} queries, k = ${k}: ${wrong} of ${count * k} neighbours differ from float64`);
  if (wrong > 0) process.exitCode = 1;
}

/** By (distance, row): the contract written out. */
function nearest(
  { data, rows }: HostRows,
  query: Float32Array,
  k: number,
): { row: number; distance: number }[] {
  const kept: { row: number; distance: number }[] = [];
  for (let row = 0, at = 0; row < rows; row++) {
    let sum = 0;
    for (let j = 0; j < cols; j++, at++) {
      const difference = data[at] - query[j];
      sum += difference * difference;
    }
    const distance = Math.sqrt(sum);
    if (kept.length === k && distance >= kept[k - 1].distance) continue;
    let place = kept.length;
    while (place > 0 && distance < kept[place - 1].distance) place--;
    kept.splice(place, 0, { row, distance });
    if (kept.length > k) kept.pop();
  }
  return kept;
}

/**
 * All of `--large` rows in host memory, and a device that may use `--memory` bytes; beside it one that may
 * use all it has.
 */
async function streamed(inTime: InTime): Promise<void> {
  const [train, asked] = [randomRows(large, seeds.train), randomRows(queryRows, seeds.queries)];
  const answers: KnnResult[] = [];
  for (const [name, deviceMemory] of [
    [`${values.memory} bytes`, Number(values.memory)],
    ["in core", 2 * train.data.byteLength + 2 ** 30],
  ] as const) {
    const device = await Device.create({ backend: "gpu", deviceMemory: Math.round(deviceMemory) });
    for (let run = 0; run < Number(values.runs); run++) {
      if (!inTime()) return device.dispose();
      const began = performance.now();
      const result = await kneighbors(train, asked, { k: ks[0], device });
      console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(3)} s`);
      if (run > 0) continue;
      answers.push(result);
      console.log(explanationText(result.explanation));
    }
    device.dispose();
  }
  const [a, b] = answers;
  const same = a.indices.every((row, at) => row === b.indices[at] && a.distances[at] === b.distances[at]);
  console.log(same ? "both give the same bits" : "THE ANSWERS DIFFER");
  if (!same) process.exitCode = 1;
}

/** The rows of `streamed` as an .npy file. */
async function make(): Promise<void> {
  const file = await open(values.path, "w");
  const train = randomRows(large, seeds.train);
  for await (const piece of writeNpy(train)) {
    for (let at = 0; at < piece.length;)
      at += (await file.write(piece, at, Math.min(piece.length - at, 2 ** 28))).bytesWritten;
  }
  await file.close();
}

/** The same rows from a file, of which only chunks are in memory. */
async function file(inTime: InTime): Promise<void> {
  const asked = randomRows(queryRows, seeds.queries);
  const device = await Device.create({ backend: "gpu", deviceMemory: Number(values.memory) });
  // As on the command line; not a Blob, since those of Node 20 end at 4 GiB.
  const source = await fileSource(values.path);
  for (let run = 0; run < Number(values.runs); run++) {
    if (!inTime()) break;
    const began = performance.now();
    const train = await openNpy(source);
    let found = 0;
    for await (const { indices } of kneighborsStream(train, asked, { k: ks[0], device }))
      found += indices.length;
    const took = (performance.now() - began) / 1000;
    const peak = process.resourceUsage().maxRSS / 1024;
    console.log(`${found / ks[0]} queries: ${took.toFixed(3)} s, at most ${peak.toFixed(0)} MiB resident`);
  }
  device.dispose();
}
