/**
 * How much longer a certified search takes on data made to mislead float32 than on normal data: 1,000
 * queries, 100,000 rows, 64 columns, k = 10. Not a test of results: tests/backend/knn/knn.test.ts is.
 *
 *     node dist-bench/adversarial.bench.js [--backend cpu] [--rows 100000] [--queries 1000] [--limit 60]
 *
 * A set that takes longer than `limit` seconds is given up and shown as such.
 */
import { parseArgs } from "node:util";
import { Device, kneighbors } from "../dist/node.js";

const { values: options } = parseArgs({
  options: {
    backend: { type: "string", default: "cpu" },
    rows: { type: "string", default: "100000" },
    queries: { type: "string", default: "1000" },
    limit: { type: "string", default: "60" },
  },
});
const [rows, queries] = [Number(options.rows), Number(options.queries)];
const COLS = 64;
const K = 10;

type Value = (row: number, column: number) => number;

let state = 2463534242;
function uniform(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}
function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
const table = Float64Array.from({ length: 100 * COLS }, normal);

const sets: Record<string, Value> = {
  normal,
  "all equal": (_, column) => column,
  "1e6 + 1e-3 noise": () => 1e6 + 1e-3 * normal(),
  denormals: () => Math.round(normal() * 1000) * 2 ** -1074,
  "duplicates by the thousand": (row, column) => table[(row % 100) * COLS + column],
  "one far row": (row) => (row === 77 ? 1e20 : normal()),
  "several far clusters": (row) => (row % 7) * 1e6 + normal(),
  "24 orders between columns": (_, column) => normal() * 10 ** ((24 * column) / (COLS - 1) - 12),
};

const device = await Device.create({ backend: options.backend as "cpu" | "gpu" });
console.log(`${queries} x ${rows} x ${COLS}, k = ${K}, on ${device.info.name}`);
let usual = NaN;
for (const [name, value] of Object.entries(sets)) {
  const make = (count: number) => ({
    data: Float64Array.from({ length: count * COLS }, (_, at) => value(Math.floor(at / COLS), at % COLS)),
    rows: count,
    cols: COLS,
  });
  const [train, asked] = [make(rows), make(queries)];
  const start = performance.now();
  try {
    const signal = AbortSignal.timeout(Number(options.limit) * 1000);
    const { explanation: e } = await kneighbors(train, asked, { k: K, device, signal });
    const seconds = (performance.now() - start) / 1000;
    if (Number.isNaN(usual)) usual = seconds;
    const pairs = `${e.refinedPairs} pairs in float64`;
    const queries = `${e.repeatedQueries} queries again, ${e.exhaustiveQueries} wholly in float64`;
    console.log(
      `${name.padEnd(28)} ${seconds.toFixed(2)} s, ${(seconds / usual).toFixed(1)} x; ${pairs}; ${queries}`,
    );
  } catch {
    console.log(
      `${name.padEnd(28)} given up after ${options.limit} s, ${(Number(options.limit) / usual).toFixed(0)} x and more`,
    );
  }
}
device.dispose();
