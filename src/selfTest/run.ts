/**
 * This module tests one backend: it runs seeded work through the library's own operators, compares every bit
 * with naive.ts, and takes the time. A difference or an error becomes the result of its check; only an
 * interruption ends the tests.
 */
import type { Device } from "../runtime/device.ts";
import { grouped } from "../runtime/explain.ts";
import { inspectDevice } from "../runtime/inspect.ts";
import {
  naiveMinima,
  naiveNeighbors,
  naivePrefixSums,
  seededFloats,
  seededRows,
  seededWords,
  type NaiveAnswer,
} from "./naive.ts";
import type {
  SelfTestCheck,
  SelfTestOperators,
  SelfTestOptions,
  SelfTestRates,
  SelfTestReport,
} from "./report.ts";

export interface Sizes {
  readonly queries: number;
  readonly rows: number;
  readonly cols: number;
  readonly k: number;
  readonly elements: number;
  /** So many bytes are sent to the device and back. */
  readonly bytes: number;
}

/** Work of these sizes takes some tenths of a second each. */
const sizesOf = {
  gpu: { queries: 2048, rows: 50_000, cols: 64, k: 10, elements: 2 ** 23, bytes: 2 ** 26 },
  cpu: { queries: 512, rows: 20_000, cols: 64, k: 10, elements: 2 ** 22, bytes: 2 ** 25 },
  software: { queries: 32, rows: 2000, cols: 64, k: 10, elements: 2 ** 16, bytes: 2 ** 22 },
} as const satisfies Record<string, Sizes>;

/** So many queries are also answered naively. */
const SAMPLE = 16;
const REDUCED_ROWS = 64;
const SEED = 6;

/** Runs the checks of one backend. */
export async function runSelfTest(
  device: Device,
  operators: SelfTestOperators,
  { signal, onCheck }: SelfTestOptions = {},
  sizes: Sizes = sizesOf[device.info.software ? "software" : device.info.kind],
): Promise<SelfTestReport> {
  const checks: SelfTestCheck[] = [];
  let traits: SelfTestReport["traits"] = null;
  const run = async (
    name: SelfTestCheck["name"],
    job: string,
    work: () => Promise<Outcome>,
  ): Promise<void> => {
    signal?.throwIfAborted();
    onCheck?.(name);
    checks.push({ name, job, ...(await outcomeOf(work, signal)) });
  };

  const { queries, rows, cols, k, elements, bytes } = sizes;
  await run("transfer", `${bytes / 2 ** 20} MiB up and back`, async () => {
    const found = await inspectDevice(device, bytes);
    traits = found.traits ?? null;
    const { uploadBytesPerSecond, readBackBytesPerSecond, firstWrongWord } = found.transfer;
    return {
      difference: firstWrongWord === undefined ? null : `word ${firstWrongWord} came back changed`,
      rates: { uploadBytes: uploadBytesPerSecond, readBackBytes: readBackBytesPerSecond },
    };
  });
  await run("k-NN", `${grouped(queries)} x ${grouped(rows)} x ${cols}, k = ${k}`, () =>
    checkKnn(device, signal, operators, sizes),
  );
  await run("scan", `${grouped(elements)} u32`, async () => {
    const input = seededWords(elements, SEED);
    const { value, seconds } = await timed(() => operators.scan(input, { device, signal }));
    return {
      difference: firstDifference(value, naivePrefixSums(input), "element"),
      rates: { bytes: (8 * elements) / seconds },
    };
  });
  await run("reduce", `${grouped(elements)} f32, min`, async () => {
    const input = seededFloats(elements, SEED);
    const options = { op: "min", rows: REDUCED_ROWS, device, signal } as const;
    const { value, seconds } = await timed(() => operators.reduce(input, options));
    return {
      difference: firstDifference(value, naiveMinima(input, REDUCED_ROWS), "row"),
      rates: { bytes: (4 * elements) / seconds },
    };
  });
  return { status: checks.every(({ status }) => status === "ok") ? "ok" : "failed", traits, checks };
}

interface Outcome {
  readonly difference: string | null;
  readonly rates: SelfTestRates;
}

/** Returns the outcome of a check; a wrong answer has no rate. */
async function outcomeOf(
  work: () => Promise<Outcome>,
  signal: AbortSignal | undefined,
): Promise<Omit<SelfTestCheck, "name" | "job">> {
  try {
    const { difference, rates } = await work();
    return difference === null
      ? { status: "ok", difference, rates }
      : { status: "failed", difference, rates: {} };
  } catch (error) {
    signal?.throwIfAborted();
    return { status: "failed", difference: String(error), rates: {} };
  }
}

async function checkKnn(
  device: Device,
  signal: AbortSignal | undefined,
  operators: SelfTestOperators,
  sizes: Sizes,
): Promise<Outcome> {
  const { cols, k } = sizes;
  const train = seededRows(sizes.rows, cols, SEED);
  const queries = seededRows(sizes.queries, cols, SEED + 1);
  const { value, seconds } = await timed(() => operators.kneighbors(train, queries, { k, device, signal }));
  const pairs = (sizes.queries * sizes.rows) / seconds;
  const step = Math.max(1, Math.floor(sizes.queries / SAMPLE));
  for (let query = 0; query < sizes.queries; query += step) {
    const difference = neighborDifference(value, query, naiveNeighbors(train, queries, query, k));
    if (difference !== null) return { difference, rates: {} };
  }
  return { difference: null, rates: { pairs, flops: 2 * cols * pairs } };
}

/** Compares indices and distances in every bit. */
function neighborDifference(
  { indices, distances }: { readonly indices: Uint32Array; readonly distances: Float64Array },
  query: number,
  expected: NaiveAnswer,
): string | null {
  const k = expected.indices.length;
  const rank = expected.indices.findIndex((index, at) => {
    const found = query * k + at;
    return indices[found] !== index || !Object.is(distances[found], expected.distances[at]);
  });
  if (rank < 0) return null;
  const at = query * k + rank;
  return (
    `query ${query}, rank ${rank}: row ${indices[at]} at distance ${distances[at]}, but a float64 loop gives row ` +
    `${expected.indices[rank]} at ${expected.distances[rank]}`
  );
}

function firstDifference(
  found: Uint32Array | Float32Array,
  expected: Uint32Array | Float32Array,
  unit: string,
): string | null {
  const at = expected.findIndex((value, i) => !Object.is(value, found[i]));
  return at < 0 ? null : `${unit} ${at} is ${found[at]}, but a plain loop gives ${expected[at]}`;
}

/** Times the second run, since the first one compiles and allocates. */
async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  await work();
  const start = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - start) / 1000 };
}
