/**
 * Rates and memory of the readers of matrix files beside numpy, on the same files in the same run: each
 * reading is a process of its own, so that its peak memory is its own, and ours alternate with numpy's. Each
 * cell gives the stream of chunks, the whole as one matrix, and numpy. Files lie in the page cache. Not a
 * test.
 *
 *     node dist-bench/files_binary.bench.js FOLDER [compare FILE ...]
 *
 * It runs python3 with numpy; PYTHON names another one.
 */
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { collectMatrix, openBvecs, openFvecs, openIdx, openIvecs, openNpy } from "../dist/node.js";
import { fileSource } from "../dist/node/index.js";
import type { ByteSource, MatrixStream } from "../dist/node.js";

const RUNS = 5;
const PYTHON = process.env.PYTHON ?? "python3";
const RIVAL = "bench/rivals/files_binary.py";

type Open = (source: ByteSource) => Promise<MatrixStream>;
/** Rows of 128, as files_binary.py writes them. */
const files: readonly (readonly [name: string, open: Open])[] = [
  ["f4.npy", openNpy],
  ["f4_big.npy", openNpy],
  ["f4_fortran.npy", openNpy],
  ["f4_fortran_sliced.npy", (source) => openNpy(source, { memory: 2 ** 26 })],
  ["f2.npy", openNpy],
  ["i8.npy", openNpy],
  ["u1.npy", openNpy],
  ["f4.fvecs", openFvecs],
  ["i4.ivecs", openIvecs],
  ["u1.bvecs", openBvecs],
  ["u1.idx", openIdx],
  ["f4.npy.gz", openNpy],
];

/** What one process prints. */
interface Reading {
  readonly seconds: number;
  /** Of the processor, all threads: what a busy machine leaves comparable. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

const [folder, mode = "compare", ...names] = process.argv.slice(2);
if (folder === undefined) throw new Error("name a folder for the files");
if (mode === "compare") compare(names);
else console.log(JSON.stringify(await read(mode, names[0])));

async function read(how: string, name: string): Promise<Reading> {
  const open = files.find(([each]) => each === name)?.[1];
  if (open === undefined) throw new Error(`no file ${name}`);
  const source = await fileSource(join(folder, fileOf(name)));
  const start = performance.now();
  const cpu = process.cpuUsage();
  const stream = await open(source);
  let sum = 0;
  if (how === "whole") sum = (await collectMatrix(stream)).data[0];
  else for await (const { data } of stream.chunks()) sum += data[0];
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (Number.isNaN(sum)) throw new Error("the file holds something else");
  return { seconds, cpuSeconds: (user + system) / 1e6, peakBytes: process.resourceUsage().maxRSS * 1024 };
}

/** @param wanted of the files; none for all */
function compare(wanted: readonly string[]): void {
  if (!existsSync(join(folder, "f4.npy"))) execFileSync(PYTHON, [RIVAL, folder, "write"]);
  const version = execFileSync(PYTHON, ["-c", "import numpy; print(numpy.__version__)"], {
    encoding: "utf8",
  });
  console.log(`Node ${process.version}, numpy ${version}`);
  console.log("| file | MB | MB/s of processor time | MB/s, best | peak MB |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const [each] of files) {
    if (wanted.length > 0 && !wanted.includes(each)) continue;
    const path = join(folder, fileOf(each));
    const readings: Reading[][] = [[], [], []];
    for (let run = 0; run <= RUNS; run++) {
      const rival = reading(PYTHON, [RIVAL, folder, fileOf(each)]);
      const round = [ours(each, "stream"), ours(each, "whole"), rival];
      // The first round warms the page cache.
      if (run > 0) readings.forEach((all, at) => all.push(round[at]));
    }
    const megabytes = statSync(path.replace(".gz", "")).size / 1e6;
    const cells = [
      (all: Reading[]) => megabytes / median(all.map(({ cpuSeconds }) => cpuSeconds)),
      (all: Reading[]) => megabytes / Math.min(...all.map(({ seconds }) => seconds)),
      (all: Reading[]) => median(all.map(({ peakBytes }) => peakBytes)) / 1e6,
    ].map((figure) => readings.map((all) => figure(all).toFixed(0)).join(", "));
    console.log(`| ${[each, megabytes.toFixed(0), ...cells].join(" | ")} |`);
  }
}

/** The same file is read in several ways. */
function fileOf(each: string): string {
  return each.replace("_sliced", "");
}

function ours(each: string, how: string): Reading {
  return reading(process.execPath, [fileURLToPath(import.meta.url), folder, how, each]);
}

function reading(command: string, args: readonly string[]): Reading {
  return JSON.parse(execFileSync(command, args, { encoding: "utf8" })) as Reading;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
