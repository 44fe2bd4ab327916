/**
 * This module makes the call of a fuzzed case on a device, and gives its answer as lists. What it must answer
 * is in expected.ts.
 */
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  NearestNeighbors,
  Table,
  collectMatrix,
  encode,
  kneighbors,
  kneighborsGraph,
  kneighborsStream,
  loadModel,
  matrixStream,
  radiusNeighbors,
  saveModel,
  streamOf,
} from "../../../dist/node.js";
import type { Device, KnnResult, Matrix, MatrixLike, MatrixStream } from "../../../dist/node.js";
import { Random } from "../../oracle/random.ts";
import { isTable } from "./cases.ts";
import type { FuzzCase } from "./cases.ts";
import type { Lists } from "./expected.ts";
import { bring } from "./sources.ts";
import type { Rows } from "./sources.ts";

/** @param signal is given to the search, and to the loading of a model */
export async function answerOf(
  fuzzed: FuzzCase,
  device: Device,
  folder: string,
  signal?: AbortSignal,
): Promise<Lists> {
  const each = { ...fuzzed, signal };
  const random = new Random(each.form);
  const names = each.kinds.map((_, j) => `column ${j}`);
  const train = await bring(random, each, "train", names, folder);
  const queries = await bring(random, each, "queries", shuffled(random, names), folder);
  if (each.call === "NearestNeighbors") return searched(random, each, train, queries, device);
  if (each.call === "KNeighborsClassifier" || each.call === "KNeighborsRegressor")
    return predicted(random, each, train, queries, device);
  const [trainMatrix, queryMatrix] = asMatrices(each, train, queries, names);
  if (each.call === "kneighborsStream") return streamed(random, each, trainMatrix, queryMatrix, device);
  return oneShot(random, each, await collected(trainMatrix), await collected(queryMatrix), device);
}

type Asked = FuzzCase & { readonly signal: AbortSignal | undefined };

function shuffled(random: Random, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, key: random.bits() }))
    .sort((a, b) => a.key - b.key)
    .map(({ name }) => name);
}

function asMatrices(each: FuzzCase, train: Rows, queries: Rows, names: readonly string[]) {
  if (!(train instanceof Table) || !(queries instanceof Table)) return [train, queries] as const;
  const { metric, missing } = each.measure;
  const options = { ...(metric ? { metric } : {}), ...(missing ? { missing } : {}) };
  return [encode(train, names, options), encode(queries, names, { ...options, train })] as const;
}

async function collected(rows: Rows): Promise<MatrixLike> {
  if (rows instanceof Table) throw new Error("a table is encoded first");
  return "chunks" in rows ? collectMatrix(rows) : rows;
}

function optionsOf({ measure, tiles }: FuzzCase, device: Device) {
  return { ...measure, tiles, device };
}

function searchOptionsOf(random: Random, each: Asked) {
  const { radius, excludeSelf, train, k, compat, queries, signal } = each;
  const length = queries.length * (compat ? Math.min(k, train.length) : k) + random.int(0, 3);
  const out = { indices: new Uint32Array(length), distances: new Float64Array(length) };
  return {
    signal,
    ...(radius === undefined ? {} : { radius }),
    ...(excludeSelf === undefined ? {} : { excludeSelf }),
    ...(random.uniform() < 0.2 ? { out } : {}),
  };
}

function listsOf({ indices, distances, queries, k, counts }: KnnResult): Lists {
  const length = queries * k;
  return {
    indices: indices.subarray(0, length),
    distances: distances.subarray(0, length),
    ...(counts ? { counts } : {}),
  };
}

async function oneShot(
  random: Random,
  each: Asked,
  train: MatrixLike,
  queries: MatrixLike,
  device: Device,
): Promise<Lists> {
  const { k, call, radius = 0, signal } = each;
  const options = optionsOf(each, device);
  const search = searchOptionsOf(random, each);
  if (call === "radiusNeighbors") {
    const { offsets, indices, distances } = await radiusNeighbors(train, queries, {
      ...options,
      radius,
      signal,
    });
    return { offsets, indices, distances };
  }
  if (call === "kneighborsGraph") return listsOf(await kneighborsGraph(train, { ...options, ...search, k }));
  return listsOf(await kneighbors(train, queries, { ...options, ...search, k }));
}

async function streamed(
  random: Random,
  each: Asked,
  train: Rows,
  queries: Rows,
  device: Device,
): Promise<Lists> {
  const { k } = each;
  const sometimes = <T extends object>(options: T) => (random.uniform() < 0.6 ? options : {});
  const options = {
    ...optionsOf(each, device),
    k,
    signal: each.signal,
    ...sometimes({ trainRows: random.int(1, each.train.length + 2) }),
    ...sometimes({ queryRows: random.int(1, each.queries.length + 2) }),
  };
  const indices: number[] = [];
  const distances: number[] = [];
  for await (const chunk of kneighborsStream(stream(random, train), stream(random, queries), options)) {
    if (chunk.begin * k !== indices.length) throw new Error(`a chunk begins at query ${chunk.begin}`);
    indices.push(...chunk.indices);
    distances.push(...chunk.distances);
  }
  return { indices, distances };
}

/** Returns a matrix as it is or as a stream, of which some chunks are larger than others. */
function stream(random: Random, rows: Rows): Matrix | MatrixStream {
  if (rows instanceof Table || Array.isArray(rows)) throw new Error("tables and nested rows do not stream");
  if ("chunks" in rows) return rows;
  const matrix = rows as Matrix;
  const form = random.int(0, 3);
  if (form === 0) return matrix;
  if (form === 1) return matrixStream(matrix, "rows");
  const seed = random.bits();
  const chunks = async function* () {
    const sizes = new Random(seed);
    for (let begin = 0, end = 0; begin < matrix.rows; begin = end) {
      end = Math.min(matrix.rows, begin + sizes.int(1, 40));
      const data = matrix.data.slice(begin * matrix.cols, end * matrix.cols);
      await Promise.resolve();
      yield { ...matrix, data, rows: end - begin };
    }
  };
  return streamOf({ name: "rows", cols: matrix.cols, chunks, ...(seed % 2 ? { rows: matrix.rows } : {}) });
}

async function searched(
  random: Random,
  each: Asked,
  train: Rows,
  queries: Rows,
  device: Device,
): Promise<Lists> {
  const { compat, k } = each;
  const options = {
    ...optionsOf(each, device),
    nNeighbors: k,
    ...featuresOf(each),
    ...(compat && { compat }),
  };
  const model = await new NearestNeighbors(options).fit(await inMemory(train));
  try {
    return listsOf(await model.kneighbors(await inMemory(queries), searchOptionsOf(random, each)));
  } finally {
    model.dispose();
  }
}

async function inMemory(rows: Rows): Promise<MatrixLike | Table> {
  return rows instanceof Table ? rows : collected(rows);
}

/** Says which columns of a table are compared: all but one, which is no feature. */
function featuresOf(each: FuzzCase) {
  return isTable(each) ? { roles: { id: "id" } } : {};
}

async function predicted(
  random: Random,
  each: Asked,
  train: Rows,
  queries: Rows,
  device: Device,
): Promise<Lists> {
  const { compat, k, weights, labels = [], call, saved } = each;
  const options = {
    ...optionsOf(each, device),
    ...(saved ? { tiles: undefined } : {}),
    nNeighbors: k,
    ...featuresOf(each),
    ...(compat && { compat }),
    ...(weights && { weights }),
  };
  const search = searchOptionsOf(random, each);
  const from = await inMemory(train);
  const label = isTable(each) && from instanceof Table && from.has("label") ? "label" : undefined;
  const asked = await inMemory(queries);
  if (call === "KNeighborsRegressor") {
    const model = await new KNeighborsRegressor(options).fit(from, label ?? labels.map(Number));
    const { used, dispose } = await reloaded(model, each, device);
    try {
      const { predictions, neighbors } = await used.regress(asked, search);
      return { ...listsOf(neighbors), predictions };
    } finally {
      dispose();
    }
  }
  const model = await new KNeighborsClassifier(options).fit(from, label ?? labels);
  const { used, dispose } = await reloaded(model, each, device);
  try {
    const found = await used.classify(asked, search);
    const { probabilities } = found;
    return { ...listsOf(found.neighbors), classes: used.classes, labels: found.labels, probabilities };
  } finally {
    dispose();
  }
}

async function reloaded<T extends KNeighborsClassifier | KNeighborsRegressor>(
  model: T,
  { saved, signal }: Asked,
  device: Device,
): Promise<{ used: T; dispose(): void }> {
  if (saved !== true) return { used: model, dispose: () => model.dispose() };
  const { pipeline } = await loadModel(saveModel(model), { device, ...(signal && { signal }) });
  model.dispose();
  return { used: pipeline.model as T, dispose: () => pipeline.dispose() };
}
