/**
 * This module makes fuzzed cases as plain data: which call is made, on which rows, brought in which form,
 * with which options. The same seed and number give the same case. It makes no calls (calls.ts), and does not
 * know what they must answer (expected.ts).
 */
import type { MetricOptions } from "../../../dist/node.js";
import type { TileCaps } from "../../../src/ops/knn/plan/tile.ts";
import type { Cell, Kind } from "../../oracle/measures.ts";
import { comparedWith } from "../../oracle/neighbors.ts";
import { Random } from "../../oracle/random.ts";
import type { BackendName } from "../helpers.ts";
import { isNeverNegative, measureNames, measureOf } from "./measures.ts";
import { hostileRows, integerTypes } from "./values.ts";
import type { TypeName } from "./values.ts";

export const callNames = [
  "kneighbors",
  "kneighborsGraph",
  "radiusNeighbors",
  "kneighborsStream",
  "NearestNeighbors",
  "KNeighborsClassifier",
  "KNeighborsRegressor",
] as const;
export type CallName = (typeof callNames)[number];

/** The places of a matrix: in memory, in bytes of a file, or in a file on disk. */
const matrixSources = ["matrix", "matrix", "nested", "rows", "shared", "npy", "vecs", "disk"] as const;
const tableSources = ["table", "csv", "jsonl", "parquet"] as const;
export type SourceName = (typeof matrixSources | typeof tableSources)[number];

export interface FuzzCase {
  readonly call: CallName;
  readonly source: SourceName;
  readonly kinds: Kind[];
  /** null is missing. */
  readonly train: Cell[][];
  readonly queries: Cell[][];
  readonly type: TypeName;
  /** The matrix itself says that cells may be missing. */
  readonly gaps: boolean;
  readonly k: number;
  readonly measure: MetricOptions;
  readonly tiles: TileCaps;
  readonly radius?: number;
  readonly excludeSelf?: boolean;
  readonly compat?: "rapidminer";
  readonly weights?: "uniform" | "distance";
  readonly labels?: (string | number)[];
  /** The estimator is saved and loaded before it predicts. */
  readonly saved?: boolean;
  /** The seed of what changes no answer: chunks, the order of columns, results written into given arrays. */
  readonly form: number;
}

export function isTable({ source }: Pick<FuzzCase, "source">): boolean {
  return (tableSources as readonly string[]).includes(source);
}

/** @param backend whose cases: those of the other have other numbers */
export function fuzzCase(seed: number, backend: BackendName, number: number): FuzzCase {
  const random = new Random(seed + 2 * number + Number(backend === "gpu"));
  const call = random.pick(callNames);
  const onlyShares = random.uniform() < 0.04;
  const kinds = kindsOf(random, onlyShares);
  const numeric = kinds.every((kind) => kind === "numeric");
  const source = sourceOf(random, call, numeric);
  const table = isTable({ source });
  const type = typeOf(random, source, call, numeric && !onlyShares);
  const share = random.uniform() < 0.25 ? random.pick([0.02, 0.2, 0.6]) : 0;
  const canMiss = type.startsWith("Float") && source !== "vecs";
  const missing = canMiss && share > 0;
  const canLeaveOut = call !== "kneighborsStream" && call !== "radiusNeighbors";
  const isSelf = call === "kneighborsGraph" || (canLeaveOut && random.uniform() < 0.05);
  const rows = sizeOf(random, kinds.length, isSelf);
  // A table knows a column's kind by a value, and a stream of no rows has no kinds.
  const isEmpty = random.uniform() < 0.02 && call !== "kneighborsStream";
  const queries = isSelf ? 1 : isEmpty ? 0 : random.int(1, 10);
  const shape = { rows, queries, kinds, type, gaps: missing ? share : 0, onlyShares };
  const pair = hostileRows(random, shape);
  // A table knows a column's kind by a value.
  const train = pair.train.map((row, i) =>
    table && i === 0 ? row.map((cell, j) => (kinds[j] === "numeric" ? cell : (cell ?? 0))) : row,
  );
  const gaps = random.uniform() < 0.3;
  const saysSo = table || (gaps && ["matrix", "shared"].includes(source));
  const needsPolicy = missing && (!saysSo || random.uniform() < 0.5);
  const made = measureOf(random, kinds, { onlyShares, needsPolicy, among: namesOf(seed, backend, number) });
  const measure = random.uniform() < 0.02 ? { ...made, missing: undefined } : made;
  const k = kOf(random, rows, isSelf);
  const each: FuzzCase = {
    call,
    source,
    kinds: table ? kinds.map((kind) => (kind === "binominal" ? "nominal" : kind)) : kinds,
    train,
    queries: isSelf ? train : pair.queries,
    type,
    gaps: saysSo,
    k,
    measure,
    tiles: tilesOf(random, backend, rows, isSelf ? rows : queries),
    form: random.bits(),
    ...(isSelf ? { excludeSelf: true } : {}),
  };
  const votes = call === "KNeighborsClassifier" || call === "KNeighborsRegressor";
  if (votes || call === "NearestNeighbors") Object.assign(each, estimatorOptions(random, each));
  const isBounded =
    call === "radiusNeighbors" || (!votes && call !== "kneighborsStream" && random.uniform() < 0.2);
  return isBounded && each.compat === undefined ? { ...each, radius: radiusOf(random, each) } : each;
}

/**
 * Chooses the measures of a case. A GPU in software takes a second for each shader, so that a few measures at
 * a time are tried on it.
 */
function namesOf(seed: number, backend: BackendName, number: number): readonly string[] | undefined {
  if (backend === "cpu") return undefined;
  const random = new Random(seed + Math.floor(number / GPU_ROUND));
  return Array.from({ length: GPU_MEASURES }, () => random.pick(measureNames));
}

const GPU_ROUND = 250;
const GPU_MEASURES = 12;

function kindsOf(random: Random, onlyShares: boolean): Kind[] {
  const cols = random.pick([1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 33, 65]);
  const all = (kind: Kind) => new Array<Kind>(cols).fill(kind);
  if (onlyShares) return all("numeric");
  const draw = random.uniform();
  if (draw < 0.75) return all("numeric");
  if (draw < 0.8) return all("binominal");
  if (draw < 0.88) return all("nominal").map(() => random.pick(["nominal", "binominal"]));
  return all("numeric").map(() => random.pick(["numeric", "numeric", "nominal", "binominal"]));
}

function sourceOf(random: Random, call: CallName, numeric: boolean): SourceName {
  if (random.uniform() < 0.3) return random.pick(tableSources);
  const source = numeric ? random.pick(matrixSources) : random.pick(["matrix", "shared"] as const);
  return call === "kneighborsStream" && (source === "nested" || source === "rows") ? "matrix" : source;
}

function typeOf(random: Random, source: SourceName, call: CallName, numeric: boolean): TypeName {
  if (source === "vecs")
    return numeric ? random.pick(["Float32Array", "Uint8Array", "Int8Array", "Int32Array"]) : "Float32Array";
  if (!numeric || !["matrix", "rows", "shared", "npy", "disk"].includes(source)) return "Float64Array";
  if (random.uniform() < 0.75) return random.pick(["Float64Array", "Float32Array"]);
  const types = integerTypes.filter(
    (name) => !/Big|Clamped/.test(name) || (source === "matrix" && call !== "kneighborsStream"),
  );
  return random.pick(types);
}

/** Returns a number of rows: few where there are many columns, as the oracle takes a while for each pair. */
function sizeOf(random: Random, cols: number, isSelf: boolean): number {
  const draw = random.uniform();
  if (draw < 0.02) return 0;
  if (draw < 0.06) return 1;
  if (draw < 0.3) return random.int(2, 12);
  if (draw < 0.8 || cols > 20 || isSelf) return random.int(8, isSelf ? 50 : 70);
  return draw < 0.98 ? random.int(60, 260) : random.int(400, 1200);
}

function kOf(random: Random, rows: number, isSelf: boolean): number {
  const most = isSelf ? rows - 1 : rows;
  const draw = random.uniform();
  if (draw < 0.02) return most + 1;
  if (draw < 0.12) return Math.max(1, most);
  return random.int(1, Math.max(1, Math.min(most, draw < 0.7 ? 6 : most)) + 1);
}

/** Returns caps that cut rows into a few tiles and chunks, and leave some rows over. */
function tilesOf(random: Random, backend: BackendName, rows: number, queries: number): TileCaps {
  if (random.uniform() < 0.25) return {};
  const part = (all: number) => Math.max(1, Math.ceil(all / random.uniform(1, 5)));
  const sometimes = <T extends object>(caps: T) => (random.uniform() < 0.4 ? caps : {});
  return {
    ...sometimes({ queries: part(queries) }),
    ...sometimes({ references: part(rows) }),
    ...sometimes({ chunk: part(rows) }),
    ...sometimes({ budget: random.pick([2 ** 15, 2 ** 17]) }),
    ...(backend === "gpu"
      ? { ...sometimes({ group: random.pick([0, 8, 16]) }), ...sometimes({ assumeFrom: 1 }) }
      : {
          ...sometimes({ axes: random.pick([0, 1, 3, 8, 64]) }),
          ...sometimes({ tree: random.pick([true, false]) }),
        }),
  };
}

/** Returns, mostly, a distance that some row has: those at it are within, those an ulp farther are not. */
function radiusOf(random: Random, { train, queries, kinds, measure }: FuzzCase): number {
  const [query] = queries;
  if (query === undefined || train.length === 0 || random.uniform() < 0.1)
    return random.pick([0, Infinity, 1]);
  const { distance } = random.pick(comparedWith(query, { train, kinds, options: measure }));
  return distance >= 0 || (measure.metric === "inner_product" && distance < 0) ? distance : 1;
}

type Estimating = Pick<FuzzCase, "compat" | "weights" | "labels" | "saved">;

function estimatorOptions(random: Random, { call, train, measure, excludeSelf }: FuzzCase): Estimating {
  const compat = random.uniform() < 0.25 && excludeSelf !== true ? ({ compat: "rapidminer" } as const) : {};
  if (call === "NearestNeighbors") return compat;
  const canWeigh =
    compat.compat !== undefined || isNeverNegative(measure.metric) || measure.metric === "inner_product";
  const names = random.pick<readonly (string | number)[]>([
    ["b", "a", "Ä", "c"],
    ["only"],
    ["0", "1", "10", "2"],
    [3, -1, 2.5],
  ]);
  const label = () => (call === "KNeighborsRegressor" ? random.normal() : random.pick(names));
  return {
    ...compat,
    weights: canWeigh && random.uniform() < 0.5 ? "distance" : "uniform",
    labels: train.map(label),
    saved: random.uniform() < 0.15,
  };
}
