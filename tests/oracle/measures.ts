/**
 * Every measure beyond the classic eight (knn.ts) for one pair, from its published definition, on lists of
 * numbers where null is missing. Slow and obvious on purpose; shares no code with src/ but types. exp, log
 * and pow are stdlib's.
 */
import exp from "@stdlib/math-base-special-exp";
import log from "@stdlib/math-base-special-ln";
import pow from "@stdlib/math-base-special-pow";

export type Cell = number | null;
export type Kind = "numeric" | "nominal" | "binominal";

export interface Measured {
  readonly value: number;
  /** The largest magnitude among the terms of the last sum: what rounding is relative to. */
  readonly largest: number;
}

export interface Setting {
  readonly kinds?: readonly Kind[];
  readonly kernel?: Readonly<Record<string, number | string>>;
  readonly weights?: readonly number[];
  readonly missing?: "skip" | "rescale";
  /** The p of minkowski, whose value is the sum before the root unless p is 1 or 2; default 2. */
  readonly p?: number;
  /** All training rows, for Mahalanobis. */
  readonly training?: readonly (readonly Cell[])[];
}

interface Pair {
  readonly x: number;
  readonly q: number;
  readonly kind: Kind;
  readonly weight: number;
}

type Rows = { readonly x: readonly Cell[]; readonly q: readonly Cell[] };

const total = (terms: readonly number[]) => terms.reduce((sum, term) => sum + term, 0);

/** A sum with its terms. */
function summed(...terms: number[]): Measured {
  return { value: total(terms), largest: Math.max(...terms.map(Math.abs)) };
}

const only = (value: number): Measured => ({ value, largest: Math.abs(value) });

const nan: Measured = { value: NaN, largest: NaN };

function present({ x, q }: Rows, { kinds, weights }: Setting): Pair[] {
  return x.flatMap((a, j) => {
    const b = q[j];
    return a === null || b === null
      ? []
      : [{ x: a, q: b, kind: kinds?.[j] ?? "numeric", weight: weights?.[j] ?? 1 }];
  });
}

/** Missing becomes NaN, which spreads. */
const numbers = (row: readonly Cell[]) => row.map((cell) => cell ?? NaN);

/** @param name with RapidMiner's prefix where it is RapidMiner's */
export function measure(
  name: string,
  x: readonly Cell[],
  q: readonly Cell[],
  setting: Setting = {},
): Measured {
  const [, own] = name.split("rapidminer:");
  if (own === undefined) return textbook(name, { x, q }, setting);
  const nominal = setting.kinds?.every((kind) => kind !== "numeric") ?? false;
  return nominal && own !== "MixedEuclideanDistance"
    ? nominalMeasure(own, { x, q }, setting.kinds ?? [])
    : rapidMiner(own, { x, q }, setting);
}

function textbook(name: string, rows: Rows, setting: Setting): Measured {
  const pairs = present(rows, setting);
  if (pairs.length === 0) return nan;
  const all = total(setting.weights ?? rows.x.map(() => 1));
  const found = total(pairs.map(({ weight }) => weight));
  const rescale = (sum: number) =>
    (setting.missing === "rescale" || name === "nan_euclidean") && found !== all ? (sum / found) * all : sum;
  const sum = (term: (pair: Pair) => number) => total(pairs.map((pair) => pair.weight * term(pair)));
  const differ = ({ x, q }: Pair) => (x === q ? 0 : 1);
  const square = ({ x, q }: Pair) => (x - q) ** 2;
  switch (name) {
    case "euclidean":
    case "nan_euclidean":
      return only(Math.sqrt(rescale(sum(square))));
    case "sqeuclidean":
      return only(rescale(sum(square)));
    case "manhattan":
      return only(rescale(sum(({ x, q }) => Math.abs(x - q))));
    case "minkowski": {
      const { p = 2 } = setting;
      if (p === 1) return only(rescale(sum(({ x, q }) => Math.abs(x - q))));
      if (p === 2) return only(Math.sqrt(rescale(sum(square))));
      return only(rescale(sum(({ x, q }) => pow(Math.abs(x - q), p))));
    }
    case "mixed_euclidean":
      return only(Math.sqrt(rescale(sum((pair) => (pair.kind === "numeric" ? square(pair) : differ(pair))))));
    case "hamming":
      return only(sum(differ) / all);
    case "canberra":
      return only(
        sum(({ x, q }) => (x === 0 && q === 0 ? 0 : Math.abs(x - q) / (Math.abs(x) + Math.abs(q)))),
      );
    case "braycurtis": {
      const size = sum(({ x, q }) => Math.abs(x) + Math.abs(q));
      return only(size === 0 ? 0 : sum(({ x, q }) => Math.abs(x - q)) / size);
    }
    case "jaccard":
    case "dice": {
      const both = pairs.filter(({ x, q }) => x !== 0 && q !== 0).length;
      const one = pairs.filter(({ x, q }) => (x !== 0) !== (q !== 0)).length;
      if (name === "dice") return only(one / (both + both + one));
      return only(both + one > 0 ? one / (both + one) : 0);
    }
    case "haversine": {
      if (pairs.length < 2) return nan;
      const [latitude, longitude] = pairs;
      const half = (angle: number) => Math.sin(angle / 2) ** 2;
      const a =
        half(latitude.x - latitude.q) +
        Math.cos(latitude.x) * Math.cos(latitude.q) * half(longitude.x - longitude.q);
      return only(2 * Math.asin(Math.sqrt(Math.min(a, 1))));
    }
    default:
      throw new Error(`the oracle does not know ${name}`);
  }
}

function nominalMeasure(name: string, { x, q }: Rows, kinds: readonly Kind[]): Measured {
  let u = 0;
  let f = 0;
  let e = 0;
  let differing = 0;
  let common = 0;
  x.forEach((a, j) => {
    const b = q[j];
    if (a !== null && b !== null) common++;
    if (a === null || b === null || a !== b) u++;
    else if (kinds[j] === "binominal" && a === 0) f++;
    else e++;
    if (a !== null && b !== null && a !== b) differing++;
  });
  switch (name) {
    case "NominalDistance":
      return only(common === 0 ? NaN : differing);
    case "DiceSimilarity":
      return only(-((2 * e) / (2 * e + u)));
    case "JaccardSimilarity":
      return only(-(e / (e + u)));
    case "KulczynskiSimilarity":
      return only(-(e / u));
    case "RogersTanimotoSimilarity":
      return only(-((e + f) / (e + f + 2 * u)));
    case "RussellRaoSimilarity":
      return only(-(e / (e + u + f)));
    case "SimpleMatchingSimilarity":
      return only(-((e + f) / (e + u + f)));
    default:
      throw new Error(`the oracle does not know ${name} for nominal columns`);
  }
}

function rapidMiner(name: string, rows: Rows, setting: Setting): Measured {
  const pairs = present(rows, setting);
  const sum = (term: (pair: Pair) => number) => total(pairs.map(term));
  const orNaN = (value: () => number) => only(pairs.length === 0 ? NaN : value());
  const x = numbers(rows.x);
  const q = numbers(rows.q);
  const squares = () => sum((pair) => (pair.x - pair.q) ** 2);
  switch (name) {
    case "MixedEuclideanDistance":
      return orNaN(() =>
        Math.sqrt(
          sum((pair) => (pair.kind === "numeric" ? (pair.x - pair.q) ** 2 : Number(pair.x !== pair.q))),
        ),
      );
    case "EuclideanDistance":
      return orNaN(() => Math.sqrt(squares()));
    case "SquaredEuclideanDistance":
      return orNaN(squares);
    case "CamberraDistance":
      return orNaN(() => sum((pair) => Math.abs(pair.x - pair.q) / Math.abs(pair.x + pair.q)));
    case "ChebychevDistance":
      return orNaN(() => Math.max(...pairs.map((pair) => Math.abs(pair.x - pair.q))));
    case "ManhattanDistance":
      return orNaN(() => sum((pair) => Math.abs(pair.x - pair.q)));
    case "CorrelationSimilarity":
      return only(-pearson(x, q));
    case "CosineSimilarity":
      return only(Math.acos(cosine(pairs)));
    case "DiceSimilarity":
      return only(-((2 * sum((pair) => pair.x * pair.q)) / (sum((pair) => pair.x) + sum((pair) => pair.q))));
    case "JaccardSimilarity": {
      const w = sum((pair) => pair.x * pair.q);
      const rest = sum((pair) => pair.x) + sum((pair) => pair.q) - w;
      return only(rest === 0 ? NaN : -(w / rest));
    }
    case "InnerProductSimilarity":
      return only(-sum((pair) => pair.x * pair.q));
    case "MaxProductSimilarity": {
      const products = pairs.map((pair) => pair.x * pair.q).filter((product) => product > 0);
      return only(products.length === 0 ? NaN : -Math.max(...products));
    }
    case "OverlapSimilarity":
      return only(
        -(
          sum((pair) => (pair.x < pair.q ? pair.x : pair.q)) /
          Math.min(
            sum((pair) => pair.x),
            sum((pair) => pair.q),
          )
        ),
      );
    case "DynamicTimeWarpingDistance":
      return only(
        warping(
          rows.x.filter((cell) => cell !== null),
          rows.q.filter((cell) => cell !== null),
        ),
      );
    case "KernelEuclideanDistance": {
      const k = (a: number[], b: number[]) => kernel(setting.kernel ?? {}, a, b);
      return summed(k(x, x), k(q, q), -2 * k(x, q));
    }
    case "GeneralizedIDivergence": {
      const entropies = x.map((a, j) => a * log(a / q[j]));
      const differences = x.map((a, j) => a - q[j]);
      return {
        value: total(entropies) - total(differences),
        largest: Math.max(...[...entropies, ...differences].map(Math.abs)),
      };
    }
    case "KLDivergence":
      return summed(...x.map((a, j) => a * (log(a / q[j]) / Math.log(2))));
    case "ItakuraSaitoDistance":
      return summed(x[0] / q[0], -log(x[0] / q[0]), -1);
    case "LogarithmicLoss":
      return summed(x[0] * log(x[0] / q[0]), -(x[0] - q[0]));
    case "LogisticLoss":
      return summed(x[0] * log(x[0] / q[0]), (1 - x[0]) * log((1 - x[0]) / (1 - q[0])));
    case "SquaredLoss":
      return only((x[0] - q[0]) ** 2);
    case "MahalanobisDistance":
      return only(mahalanobis(x, q, covarianceOf(setting.training ?? [])));
    default:
      throw new Error(`the oracle does not know ${name}`);
  }
}

function pearson(x: number[], q: number[]): number {
  const mean = (row: number[]) => total(row) / row.length;
  const [a, b] = [x.map((value) => value - mean(x)), q.map((value) => value - mean(q))];
  const products = (left: number[], right: number[]) => total(left.map((value, j) => value * right[j]));
  return products(a, b) / Math.sqrt(products(a, a) * products(b, b));
}

function cosine(pairs: readonly Pair[]): number {
  const norm = (of: (pair: Pair) => number) => Math.sqrt(total(pairs.map((pair) => of(pair) * of(pair))));
  const [nx, nq] = [norm(({ x }) => x), norm(({ q }) => q)];
  if (nx === 0 || nq === 0) return nx === nq ? 1 : 0;
  const s = total(pairs.map(({ x, q }) => x * q)) / (nx * nq);
  return s > 1 ? 1 : s < -1 ? -1 : s;
}

/** The walk of section 2.3.1, on a table of rows. */
function warping(x: number[], q: number[]): number {
  if (x.length === 0 || q.length === 0) return NaN;
  const cost = (i: number, j: number) => (x[i] - q[j]) * (x[i] - q[j]);
  const table: number[][] = x.map(() => []);
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < q.length; j++) {
      const before = [
        ...(i > 0 && j > 0 ? [table[i - 1][j - 1]] : []),
        ...(i > 0 ? [table[i - 1][j]] : []),
        ...(j > 0 ? [table[i][j - 1]] : []),
      ];
      table[i].push(before.length === 0 ? cost(i, j) : cost(i, j) + Math.min(...before));
    }
  }
  if (x.length === 1 && q.length === 1) return Math.sqrt(table[0][0]);
  if (q.length === 1) return Math.sqrt(total(table.map(([first]) => first))) / x.length;
  if (x.length === 1) return Math.sqrt(total(table[0])) / q.length;
  let [i, j] = [x.length - 1, q.length - 1];
  let sum = table[i][j];
  let steps = 1;
  while (i + j > 2) {
    const diagonal = i > 0 && j > 0 ? table[i - 1][j - 1] : Infinity;
    const up = i > 0 ? table[i - 1][j] : Infinity;
    const left = j > 0 ? table[i][j - 1] : Infinity;
    if (i > 0 && j > 0 && diagonal <= up && diagonal <= left) [i, j] = [i - 1, j - 1];
    else if (i > 0 && (j === 0 || up <= left)) i -= 1;
    else j -= 1;
    sum += table[i][j];
    steps += 1;
  }
  return Math.sqrt(sum) / steps;
}

const kernelDefaults: Readonly<Record<string, number>> = {
  gamma: 1,
  sigma1: 1,
  sigma2: 0,
  sigma3: 2,
  degree: 3,
  shift: 1,
  a: 1,
  b: 0,
};

function kernel(options: Readonly<Record<string, number | string>>, x: number[], q: number[]): number {
  const get = (name: string) => Number(options[name] ?? kernelDefaults[name]);
  const inner = total(x.map((value, j) => value * q[j]));
  const square = total(x.map((value, j) => (value - q[j]) ** 2));
  switch (options.type ?? "radial") {
    case "dot":
      return inner;
    case "radial":
      return exp(-get("gamma") * square);
    case "polynomial": {
      let product = inner + get("shift");
      const factor = product;
      for (let i = 1; i < get("degree"); i++) product = product * factor;
      return product;
    }
    case "sigmoid": {
      const z = get("a") * inner + get("b");
      return (exp(z) - exp(-z)) / (exp(z) + exp(-z));
    }
    case "anova": {
      const terms = x.flatMap((value, j) => {
        const term = exp(-get("gamma") * (value - q[j]) ** 2);
        return Math.abs(value) < 1e-6 && Math.abs(q[j]) < 1e-6 ? [1, term] : [term];
      });
      return power(total(terms), get("degree"));
    }
    case "epanechnikov": {
      const t = square / get("sigma1");
      return t > 1 ? 0 : power(1 - t, get("degree"));
    }
    case "gausian_combination": {
      const e = (s: number) => (s === 0 ? 0 : exp(-square / s));
      return e(get("sigma1")) + e(get("sigma2")) - e(get("sigma3"));
    }
    case "multiquadric":
      return Math.sqrt(square / get("sigma1") + get("shift") ** 2);
    default:
      throw new Error(`the oracle does not know the kernel ${options.type}`);
  }
}

/** Raises to a power as Java's Math.pow does, where NaN^0 is 1. */
const power = (base: number, exponent: number) => (exponent === 0 ? 1 : pow(base, exponent));

export function covariance(training: readonly (readonly number[])[]): number[][] {
  const columns = training[0].map((_, j) => training.map((row) => row[j]));
  const centred = columns.map((column) => {
    const mean = total(column) / column.length;
    return column.map((value) => value - mean);
  });
  return centred.map((a) =>
    centred.map((b) => total(a.map((value, i) => value * b[i])) / (training.length - 1)),
  );
}

const covariances = new WeakMap<object, number[][]>();

/** Once per training set. */
function covarianceOf(training: readonly (readonly Cell[])[]): number[][] {
  const known = covariances.get(training) ?? covariance(training.map(numbers));
  covariances.set(training, known);
  return known;
}

/** By Gauss-Jordan elimination with pivoting, solving C y = x - q. */
function mahalanobis(x: number[], q: number[], matrix: number[][]): number {
  const difference = x.map((value, j) => value - q[j]);
  const system = matrix.map((row, i) => [...row, difference[i]]);
  const n = system.length;
  for (let pivot = 0; pivot < n; pivot++) {
    const best = system
      .slice(pivot)
      .reduce(
        (most, row, at) => (Math.abs(row[pivot]) > Math.abs(system[most][pivot]) ? at + pivot : most),
        pivot,
      );
    [system[pivot], system[best]] = [system[best], system[pivot]];
    for (let i = 0; i < n; i++) {
      if (i === pivot) continue;
      const factor = system[i][pivot] / system[pivot][pivot];
      system[i] = system[i].map((value, j) => value - factor * system[pivot][j]);
    }
  }
  return Math.sqrt(total(difference.map((value, i) => (value * system[i][n]) / system[i][i])));
}

const kernelTakes: Readonly<Record<string, readonly string[]>> = {
  radial: ["gamma"],
  polynomial: ["degree", "shift"],
  sigmoid: ["a", "b"],
  anova: ["gamma", "degree"],
  epanechnikov: ["sigma1", "degree"],
  gausian_combination: ["sigma1", "sigma2", "sigma3"],
  multiquadric: ["sigma1", "shift"],
};

/** A kernel with those parameters alone that RapidMiner does not leave aside. */
export function ownKernel<K extends object>(kernel: K & { readonly type?: unknown }): K {
  const { type = "radial" } = kernel;
  const taken = ["type", ...(kernelTakes[String(type)] ?? [])];
  return Object.fromEntries(Object.entries(kernel).filter(([name]) => taken.includes(name))) as K;
}
