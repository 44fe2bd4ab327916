// One timed run of usearch's exactSearch, which takes queries in blocks, with all cores.
//
//     node knn_usearch.mjs PEERS_FOLDER TRAIN.npy QUERIES.npy K
//
// It prints seconds of the clock and of all processors.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

const [folder, trainFile, queriesFile, k] = process.argv.slice(2);
const { exactSearch, MetricKind } = createRequire(join(folder, "package.json"))("usearch");

function load(file) {
  const bytes = readFileSync(file);
  const begin = 10 + bytes.readUInt16LE(8);
  const [rows, cols] = /\((\d+), (\d+)\)/
    .exec(bytes.toString("latin1", 0, begin))
    .slice(1)
    .map(Number);
  return {
    data: new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length)),
    rows,
    cols,
  };
}

const train = load(trainFile);
const queries = load(queriesFile);
const used = process.cpuUsage();
const start = performance.now();
exactSearch(train.data, queries.data, train.cols, Number(k), MetricKind.L2sq, availableParallelism());
const { user, system } = process.cpuUsage(used);
console.log((performance.now() - start) / 1000, (user + system) / 1e6);
