/**
 * Readers of tables: the resident memory of a stream over a large CSV file, and rates beside DuckDB and PapaParse alone. The
 * peers are installed elsewhere. Not a test.
 *
 *     npm install --prefix PEERS @duckdb/node-api papaparse
 *     node dist-bench/files_tables.bench.js make FOLDER [--megabytes 1000]
 *     node dist-bench/files_tables.bench.js memory FILE
 *     node dist-bench/files_tables.bench.js rates FOLDER --peers PEERS [--runs 3]
 */
import { closeSync, createReadStream, openSync, readFileSync, readSync, statSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
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
const [mode, path = "."] = positionals;
if (mode === "make") await make(path, 1e6 * Number(values.megabytes));
else if (mode === "memory") await memory(path);
else if (mode === "rates" && values.peers !== undefined) await rates(path, values.peers, Number(values.runs));
else throw new Error("expected make FOLDER, memory FILE or rates FOLDER --peers PEERS");

/** Measurements, whole numbers, two columns of text, one cell in twenty missing: table.csv, and the same as JSON lines and Parquet. */
async function make(folder: string, bytes: number): Promise<void> {
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

/** Everything ends as columns in memory, but PapaParse's rows, which are dropped one by one. */
async function rates(folder: string, peers: string, runs: number): Promise<void> {
  const require = createRequire(join(resolve(peers), "package.json"));
  const papa = require("papaparse") as Papa;
  const duck = require("@duckdb/node-api") as Duck;
  const connection = async (threads: number) =>
    (await duck.DuckDBInstance.create(":memory:", { threads: String(threads) })).connect();
  const [one, two] = [await connection(1), await connection(2)];
  const readers: [string, string, (file: string) => Promise<unknown>][] = [];
  for (const format of ["csv", "jsonl", "parquet"]) {
    const name = `table.${format}`;
    const create = (file: string) => `CREATE OR REPLACE TEMP TABLE t AS SELECT * FROM '${file}'`;
    readers.push([name, "nearfield, in chunks", async (file) => drain(await openTable(fileSource(file)))]);
    if (format === "csv") {
      readers.push([
        name,
        "PapaParse 5, rows dropped",
        async (file) => papa.parse(readFileSync(file, "utf8"), { header: false, step: () => undefined }),
      ]);
    }
    readers.push([name, "DuckDB, 1 thread", (file) => one.run(create(file))]);
    readers.push([name, "DuckDB, 2 threads", (file) => two.run(create(file))]);
  }
  const seconds = new Map<string, number[]>();
  const processor = new Map<string, number[]>();
  for (let run = 0; run < runs; run++) {
    for (const [name, reader, read] of readers) {
      const key = `${name} | ${reader}`;
      const start = performance.now();
      const cpu = process.cpuUsage();
      await read(join(folder, name));
      const { user, system } = process.cpuUsage(cpu);
      processor.set(key, [...(processor.get(key) ?? []), (user + system) / 1e6]);
      seconds.set(key, [...(seconds.get(key) ?? []), (performance.now() - start) / 1000]);
    }
  }
  console.log(
    "| file | MB | reader | MB/s | MB per second of processor time |\n| --- | --: | --- | --: | --: |",
  );
  for (const [key, times] of seconds) {
    const [name, reader] = key.split(" | ");
    const megabytes = statSync(join(folder, name)).size / 1e6;
    const rate = (all: readonly number[]) => (megabytes / median(all)).toFixed(1);
    console.log(
      `| ${name} | ${megabytes.toFixed(1)} | ${reader} | ${rate(times)} | ${rate(processor.get(key) ?? [])} |`,
    );
  }
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
