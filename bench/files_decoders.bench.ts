/**
 * What reads Parquet and JSON lines here beside what hyparquet and JSON.parse bring: processor time and
 * resident memory, a process for each. Not a test, and nothing of damaged files, which
 * tests/unit/io/mutate.ts makes.
 *
 *     node dist-bench/files_decoders.bench.js [--runs 5]
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parquetRead } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { bytesSource, openTable, textSource, type ByteSource } from "../dist/node.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: "string", default: "5" } },
});
const LINES = 200_000;
const flights = new URL("../node_modules/vega-datasets/data/flights-3m.parquet", import.meta.url);

/** What one process prints: of its third reading, since the first compile. */
interface Reading {
  readonly seconds: number;
  readonly mebibytes: number;
}

const readers: Readonly<Record<string, () => () => Promise<void> | void>> = {
  "flights-3m.parquet, nearfield, in chunks": () => {
    const bytes = new Uint8Array(readFileSync(flights));
    return () => drain(bytesSource(bytes, "flights-3m.parquet"));
  },
  "flights-3m.parquet, hyparquet, onChunk": () => hyparquet("onChunk"),
  "flights-3m.parquet, hyparquet, onPage": () => hyparquet("onPage"),
  "JSON lines, nearfield, in chunks (reads twice)": () => {
    const text = lines().join("\n");
    return () => drain(textSource(text, "x.jsonl"));
  },
  "JSON lines, JSON.parse of each, cells dropped": () => {
    const all = lines();
    return () => {
      let cells = 0;
      for (const line of all)
        for (const cell of Object.values(JSON.parse(line) as object)) if (cell !== null) cells++;
      if (cells === 0) throw new Error("no cells");
    };
  },
};

const [reader] = positionals;
if (reader !== undefined) console.log(JSON.stringify(await reading(readers[reader]())));
else table(Number(values.runs));

function table(runs: number): void {
  const readings = new Map(Object.keys(readers).map((name) => [name, [] as Reading[]]));
  for (let run = 0; run < runs; run++)
    for (const [name, all] of readings) {
      const text = execFileSync(process.execPath, [fileURLToPath(import.meta.url), name], {
        encoding: "utf8",
      });
      all.push(JSON.parse(text) as Reading);
    }
  console.log("| reader | s of processor time | MiB resident at most |\n| --- | --: | --: |");
  for (const [name, all] of readings) {
    const median = (of: (reading: Reading) => number) => all.map(of).sort((a, b) => a - b)[all.length >> 1];
    console.log(
      `| ${name} | ${median(({ seconds }) => seconds).toFixed(2)} | ${median(({ mebibytes }) => mebibytes).toFixed(0)} |`,
    );
  }
}

async function reading(read: () => Promise<void> | void): Promise<Reading> {
  await read();
  await read();
  const before = process.cpuUsage();
  await read();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, mebibytes: process.resourceUsage().maxRSS / 1024 };
}

async function drain(source: ByteSource): Promise<void> {
  for await (const { rows } of (await openTable(source)).chunks()) if (rows === 0) throw new Error("no rows");
}

function hyparquet(callback: "onChunk" | "onPage"): () => Promise<void> {
  const bytes = new Uint8Array(readFileSync(flights));
  const file = {
    byteLength: bytes.length,
    slice: (begin: number, end?: number) => bytes.slice(begin, end).buffer,
  };
  return () => parquetRead({ file, compressors, [callback]: () => undefined });
}

function lines(): string[] {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return Array.from({ length: LINES }, (_, id) => {
    const y = next() < 0.05 ? null : Number((next() * 1000 - 500).toFixed(3));
    const city = `Sankt ${Math.floor(next() * 1000)}, Bezirk ${Math.floor(next() * 4)}`;
    return JSON.stringify({ id, x: next(), y, count: Math.floor(next() * 1e6), city });
  });
}
