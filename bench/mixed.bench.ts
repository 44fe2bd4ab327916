/**
 * k-NN on tables with nominal columns and gaps, beside tables of numbers of the same width, and RapidMiner's
 * operator to the letter: fit and predict through the estimator, from a table in memory to predictions. Not a
 * test.
 *
 *     node dist-bench/mixed.bench.js [--parts gaps,turns,seed,flights] [--backends gpu,cpu] [--rows 1000000]
 *       [--queries 10000] [--k 5] [--runs 3] [--cases "numbers;mixed;..."] [--flights flights-3m.parquet]
 *
 * `first` is the first prediction of a model, which uploads its rows; `next` the median of those after it.
 * `kernels` is what a GPU computed in one of them. Backends that predict otherwise are an error. `turns`
 * takes `next` of all cases in turns, so that all see the same clock.
 */
import { parseArgs } from "node:util";
import { Device, KNeighborsClassifier, KNeighborsRegressor, Table, readTable } from "../dist/node.js";
import { fileSource } from "../dist/node/index.js";

const parts = { gaps, turns, seed, flights } as const;

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "gaps,seed" },
    backends: { type: "string", default: "gpu" },
    rows: { type: "string", default: "1000000" },
    queries: { type: "string", default: "10000" },
    k: { type: "string", default: "5" },
    runs: { type: "string", default: "3" },
    cases: { type: "string", default: "" },
    flights: { type: "string", default: "node_modules/vega-datasets/data/flights-3m.parquet" },
  },
});
const [rowCount, queryCount, k, runs] = [values.rows, values.queries, values.k, values.runs].map(Number);

interface Shape {
  readonly numeric: number;
  readonly nominal: number;
  /** Share of missing cells. */
  readonly missing: number;
  readonly compat?: "rapidminer";
}

const shapes: Readonly<Record<string, Shape>> = {
  numbers: { numeric: 20, nominal: 0, missing: 0 },
  "numbers with gaps": { numeric: 20, nominal: 0, missing: 0.05 },
  mixed: { numeric: 12, nominal: 8, missing: 0 },
  "mixed with gaps": { numeric: 12, nominal: 8, missing: 0.05 },
  "mixed with gaps, compat": { numeric: 12, nominal: 8, missing: 0.05, compat: "rapidminer" },
};

/** The seed's own figures for 100,000 x 100,000 rows of 50 columns, in seconds. */
const GTX_480 = 20.65;
const RAPIDMINER = 3533;

const CLASSES = ["low", "middle", "high"];

const WARM_MS = 1500;

/** Uniform in [0, 1). */
function generator(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) * 2 ** -24;
  };
}

/** Numbers in [0, 1), nominal columns of 3 to 10 values, and a label that follows from some of them. */
function tableOf(rows: number, { numeric, nominal, missing }: Shape, seed: number): Table {
  const random = generator(seed);
  const columns: Record<string, (number | string | null)[]> = {};
  for (let j = 0; j < numeric; j++)
    columns[`n${j}`] = Array.from({ length: rows }, () => (random() < missing ? null : random()));
  for (let j = 0; j < nominal; j++) {
    const values = Array.from({ length: 3 + j }, (_, code) => `v${code}`);
    columns[`c${j}`] = Array.from({ length: rows }, () =>
      random() < missing ? null : values[Math.floor(random() * values.length)],
    );
  }
  columns.label = Array.from({ length: rows }, (_, row) => {
    const sum = Number(columns.n0[row] ?? 0.5) + Number(columns.n1[row] ?? 0.5);
    return CLASSES[Math.min(2, Math.floor(sum * 1.5))];
  });
  return Table.fromColumns(columns);
}

async function seconds<T>(work: () => Promise<T>): Promise<[number, T]> {
  const began = performance.now();
  const result = await work();
  return [(performance.now() - began) / 1000, result];
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1];

for (const name of values.parts.split(",") as (keyof typeof parts)[]) {
  console.log(`\n## ${name}`);
  await parts[name]();
}
process.exit(0);

interface Times {
  readonly fit: number;
  readonly first: number;
  readonly next: number;
  readonly kernels: number;
}

/** What gaps and nominal columns cost, and compat; the first case is what the others are compared with. */
async function gaps(): Promise<void> {
  const chosen = values.cases === "" ? Object.keys(shapes) : values.cases.split(";");
  const predicted = new Map<string, string>();
  for (const backend of values.backends.split(",") as ("gpu" | "cpu")[]) {
    const device = await Device.create({ backend });
    const profiled = backend === "gpu" ? await Device.create({ backend, profile: true }) : undefined;
    const times = new Map<string, Times>();
    for (const name of chosen) {
      const shape = shapes[name];
      const [train, queries] = [tableOf(rowCount, shape, 1234567), tableOf(queryCount, shape, 7654321)];
      const { labels, ...measured } = await measure(device, shape, train, queries);
      times.set(name, {
        ...measured,
        kernels: profiled ? await profile(profiled, shape, train, queries) : 0,
      });
      const all = labels.join();
      if ((predicted.get(name) ?? all) !== all) throw new Error(`${name}: the ${backend} predicts otherwise`);
      predicted.set(name, all);
    }
    report(times);
    device.dispose();
    profiled?.dispose();
  }
}

/** What gaps and compat cost a model that is fitted and uploaded. */
async function turns(): Promise<void> {
  const chosen = values.cases === "" ? Object.keys(shapes) : values.cases.split(";");
  for (const backend of values.backends.split(",") as ("gpu" | "cpu")[]) {
    const device = await Device.create({ backend });
    const cases: { name: string; predict: () => Promise<unknown>; times: number[] }[] = [];
    for (const name of chosen) {
      const model = await modelOf(device, shapes[name]).fit(
        tableOf(rowCount, shapes[name], 1234567),
        "label",
      );
      const queries = tableOf(queryCount, shapes[name], 7654321);
      cases.push({ name, predict: () => model.predict(queries), times: [] });
    }
    await warm(async () => {
      for (const { predict } of cases) await predict();
    });
    for (let run = 0; run < runs; run++)
      for (const { predict, times } of cases) times.push((await seconds(predict))[0]);
    for (const { name, times } of cases) {
      const shares = cases.map((of) => (median(times) / median(of.times)).toFixed(2)).join("  ");
      console.log(
        `${name.padEnd(26)} next ${median(times).toFixed(4)}  of the cases in their order ${shares}`,
      );
    }
    device.dispose();
  }
}

/** A GPU that was idle takes a second to reach its clock. */
async function warm(work: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + (values.backends.includes("gpu") ? WARM_MS : 0);
  while (performance.now() < end) await work();
}

function modelOf(device: Device, { compat }: Shape): KNeighborsClassifier {
  return new KNeighborsClassifier({
    nNeighbors: k,
    weights: compat ? "distance" : "uniform",
    compat,
    device,
  });
}

/** Seconds of all kernels of one prediction; measuring them takes time of its own. */
async function profile(device: Device, shape: Shape, train: Table, queries: Table): Promise<number> {
  const model = await modelOf(device, shape).fit(train, "label");
  await warm(() => model.classify(queries));
  const { stages = [] } = (await model.classify(queries)).neighbors.explanation;
  model.dispose();
  for (const { name, dispatches, seconds: time } of stages)
    console.log(`    ${name.padEnd(14)} ${(time * 1000).toFixed(2)} ms in ${dispatches}`);
  return stages.reduce((sum, stage) => sum + stage.seconds, 0);
}

async function measure(device: Device, shape: Shape, train: Table, queries: Table) {
  const model = modelOf(device, shape);
  const [fit] = await seconds(() => model.fit(train, "label"));
  const [first, { labels }] = await seconds(() => model.classify(queries));
  await warm(() => model.classify(queries));
  const next: number[] = [];
  let explanation;
  for (let run = 0; run < runs; run++) {
    const [time, { neighbors }] = await seconds(() => model.classify(queries));
    next.push(time);
    explanation = neighbors.explanation;
  }
  model.dispose();
  const { refinedPairs = 0, repeatedQueries = 0, exhaustiveQueries = 0, jobs = 0, heaps } = explanation ?? {};
  const replayed = heaps ? `, heaps ${heaps.gpu} on the GPU and ${heaps.host} on the host` : "";
  console.log(
    `${explanation?.technique}; ${jobs} jobs, ${refinedPairs} pairs in float64, ${repeatedQueries} repeated, ${exhaustiveQueries} exhaustive${replayed}`,
  );
  return { fit, first, next: median(next), labels };
}

function report(times: ReadonlyMap<string, Times>): void {
  const [base] = times.values();
  for (const [name, { fit, first, next, kernels }] of times) {
    const share = (time: number, of: number) => `${time.toFixed(3)} (${(time / of).toFixed(2)})`;
    console.log(
      `${name.padEnd(26)} fit ${share(fit, base.fit)}  first ${share(first, base.first)}  ` +
        `fit + first ${share(fit + first, base.fit + base.first)}  next ${share(next, base.next)}  kernels ${share(kernels, base.kernels)}`,
    );
  }
}

async function seed(): Promise<void> {
  for (const backend of values.backends.split(",") as ("gpu" | "cpu")[]) {
    const device = await Device.create({ backend });
    for (const shape of [
      { numeric: 50, nominal: 0, missing: 0 },
      { numeric: 40, nominal: 10, missing: 0.05 },
    ]) {
      const [train, queries] = [tableOf(100_000, shape, 1234567), tableOf(100_000, shape, 7654321)];
      const times: number[] = [];
      for (let run = 0; run < (backend === "gpu" ? runs : 1); run++) {
        const metric = "rapidminer:MixedEuclideanDistance";
        const model = new KNeighborsClassifier({ nNeighbors: k, metric, device });
        const [time] = await seconds(async () => (await model.fit(train, "label")).predict(queries));
        times.push(time);
        model.dispose();
      }
      const time = median(times);
      console.log(
        `${backend}, ${shape.numeric} numeric, ${shape.nominal} nominal, ${100 * shape.missing} % missing: ${time.toFixed(3)} s, ` +
          `1/${(GTX_480 / time).toFixed(0)} of the GTX 480, 1/${(RAPIDMINER / time).toFixed(0)} of RapidMiner`,
      );
    }
    device.dispose();
  }
}

/** Three million flights from a file to predicted delays. */
async function flights(): Promise<void> {
  const [read, table] = await seconds(async () => readTable(await fileSource(values.flights)));
  console.log(
    `read ${table.rows} rows of ${table.columns.map(({ name }) => name).join(", ")}: ${read.toFixed(2)} s`,
  );
  const rows = Uint32Array.from({ length: table.rows }, (_, row) => row);
  const queries = table.take(rows.filter((row) => row % 3000 === 0));
  const train = table.take(rows.filter((row) => row % 3000 !== 0));
  for (const backend of values.backends.split(",") as ("gpu" | "cpu")[]) {
    const model = new KNeighborsRegressor({ nNeighbors: k, backend });
    const [fit] = await seconds(() => model.fit(train, "delay"));
    const [time, { predictions, neighbors }] = await seconds(() => model.regress(queries));
    model.dispose();
    const { technique, references, exhaustiveQueries } = neighbors.explanation;
    const sum = predictions.reduce((all, each) => all + each, 0);
    console.log(
      `${backend}: fit ${fit.toFixed(2)} s, ${queries.rows} predictions ${time.toFixed(2)} s, mean ${sum / queries.rows}`,
    );
    console.log(`    ${technique}; ${references}; ${exhaustiveQueries} exhaustive`);
  }
}
