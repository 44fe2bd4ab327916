/**
 * Readers of tables: the resident memory of a stream over a large CSV file, and rates beside DuckDB and
 * PapaParse alone. The peers are installed elsewhere. Not a test.
 *
 *     npm install --prefix PEERS @duckdb/node-api papaparse
 *     node dist-bench/files_tables.bench.js make FOLDER [--megabytes 1000]
 *     node dist-bench/files_tables.bench.js memory FILE
 *     node dist-bench/files_tables.bench.js rates FOLDER --peers PEERS [--runs 3]
 */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openTable, writeTable, type ByteSource, type TableStream } from "../dist/node.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    megabytes: { type: "string", default: "1000" },
    peers: { type: "string" },
    runs: { type: "string", default: "3" },
  },
});
const readers = [
  "nearfield, in chunks",
  "PapaParse 5, rows dropped",
  "DuckDB, 1 thread",
  "DuckDB, 2 threads",
];

const [mode, path = ".", reader = ""] = positionals;
if (mode === "make") await make(path, 1e6 * Number(values.megabytes));
else if (mode === "memory") await memory(path);
else if (mode === "rates" && values.peers !== undefined) rates(path, values.peers, Number(values.runs));
else if (mode === "read" && values.peers !== undefined)
  console.log(JSON.stringify(await reading(path, reader, values.peers)));
else throw new Error("expected make FOLDER, memory FILE or rates FOLDER --peers PEERS");

/**
 * Measurements, whole numbers, two columns of text, one cell in twenty missing: table.csv, and the same as
 * JSON lines and Parquet.
 */
async function make(folder: string, bytes: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "table.csv");
  const out = openSync(file, "w");
  let state = 1;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  let written = writeSync(out, "id,x,y,z,count,city,colour\n");
  for (let row = 0; written < bytes;) {
    let text = "";
    for (let end = row + 5000; row < end; row++) {
      const y = next() < 0.05 ? "" : (next() * 1000 - 500).toFixed(3);
      const city = `"Sankt ${Math.floor(next() * 1000)}, Bezirk ${Math.floor(next() * 4)}"`;
      text += `${row},${next()},${y},${(next() * 100).toFixed(1)},${Math.floor(next() * 1e6)},${city},${["red", "green", "blue"][Math.floor(next() * 3)]}\n`;
    }
    written += writeSync(out, text);
  }
  closeSync(out);
  if (bytes > 2e8) return;
  for (const format of ["jsonl", "parquet"] as const) {
    const target = openSync(join(folder, `table.${format}`), "w");
    for await (const piece of writeTable(format, await openTable(fileSource(file)))) {
      if (typeof piece === "string") writeSync(target, piece);
      else writeSync(target, piece);
    }
    closeSync(target);
  }
}

async function memory(file: string): Promise<void> {
  const start = performance.now();
  const stream = await openTable(fileSource(file));
  const rows = await drain(stream);
  const seconds = (performance.now() - start) / 1000;
  const { maxRSS, userCPUTime } = process.resourceUsage();
  const megabytes = statSync(file).size / 1e6;
  console.log(
    `${megabytes.toFixed(0)} MB, ${rows} rows: ${(maxRSS / 1024).toFixed(0)} MiB resident at most, ${seconds.toFixed(1)} s, ` +
      `${(userCPUTime / 1e6).toFixed(1)} s of processor time, ${(megabytes / seconds).toFixed(0)} MB/s`,
  );
}

interface Papa {
  parse(text: string, options: object): void;
}
interface Duck {
  readonly DuckDBInstance: {
    create(
      path: string,
      options: object,
    ): Promise<{ connect(): Promise<{ run(sql: string): Promise<unknown> }> }>;
  };
}

/** What one process prints. */
interface Reading {
  readonly seconds: number;
  /** Of the processor, all threads. */
  readonly processor: number;
}

/** Readers alternate, each in a process of its own, so that none works on the heap of another. */
function rates(folder: string, peers: string, runs: number): void {
  const jobs = ["csv", "jsonl", "parquet"].flatMap((format) =>
    readers
      .filter((reader) => format === "csv" || !reader.startsWith("PapaParse"))
      .map((reader) => ({ file: join(folder, `table.${format}`), reader, readings: [] as Reading[] })),
  );
  for (let run = 0; run < runs; run++) {
    for (const { file, reader, readings } of jobs) {
      const args = [fileURLToPath(import.meta.url), "read", file, reader, "--peers", peers];
      readings.push(JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Reading);
    }
  }
  console.log(
    "| file | MB | reader | MB/s | MB per second of processor time |\n| --- | --: | --- | --: | --: |",
  );
  for (const { file, reader, readings } of jobs) {
    const megabytes = statSync(file).size / 1e6;
    const rate = (all: readonly number[]) => (megabytes / median(all)).toFixed(1);
    const clock = rate(readings.map(({ seconds }) => seconds));
    const processor = rate(readings.map((reading) => reading.processor));
    console.log(`| ${basename(file)} | ${megabytes.toFixed(1)} | ${reader} | ${clock} | ${processor} |`);
  }
}

/**
 * The second reading of a process, since the first compiles. Everything ends as columns in memory, but
 * PapaParse's rows.
 */
async function reading(file: string, reader: string, peers: string): Promise<Reading> {
  const read = await readerOf(reader, peers);
  await read(file);
  const start = performance.now();
  const before = process.cpuUsage();
  await read(file);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - start) / 1000, processor: (user + system) / 1e6 };
}

async function readerOf(reader: string, peers: string): Promise<(file: string) => Promise<unknown>> {
  const require = createRequire(join(resolve(peers), "package.json"));
  if (reader.startsWith("nearfield")) return async (file) => drain(await openTable(fileSource(file)));
  if (reader.startsWith("PapaParse")) {
    const papa = require("papaparse") as Papa;
    return async (file) => papa.parse(readFileSync(file, "utf8"), { header: false, step: () => undefined });
  }
  const { DuckDBInstance } = require("@duckdb/node-api") as Duck;
  const threads = reader.includes("1") ? "1" : "2";
  const connection = await (await DuckDBInstance.create(":memory:", { threads })).connect();
  return (file) => connection.run(`CREATE OR REPLACE TEMP TABLE t AS SELECT * FROM '${file}'`);
}

function median(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[all.length >> 1];
}

async function drain(stream: TableStream): Promise<number> {
  let rows = 0;
  for await (const chunk of stream.chunks()) rows += chunk.rows;
  return rows;
}

function fileSource(file: string): ByteSource {
  const { size } = statSync(file);
  return {
    name: file,
    byteLength: size,
    stream: () => createReadStream(file, { highWaterMark: 1 << 18 }),
    slice: (begin, end) => {
      const bytes = new Uint8Array(end - begin);
      const handle = openSync(file, "r");
      const length = readSync(handle, bytes, 0, bytes.length, begin);
      closeSync(handle);
      return Promise.resolve(bytes.subarray(0, length));
    },
  };
}
