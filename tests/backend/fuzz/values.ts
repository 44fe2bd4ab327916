/**
 * This module makes rows on which a search may go astray: ties, duplicates, offsets, near-ties of one ulp,
 * magnitudes far apart, constant columns, gaps. Whole cases are made in cases.ts; the inputs that every
 * metric is tried on by name are in ../inputs.ts.
 */
import type { Cell, Kind } from "../../oracle/measures.ts";
import type { Random } from "../../oracle/random.ts";

/** The arrays that hold numbers in memory or in a file; the oracle sees what they hold. */
const numberTypes = {
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  BigInt64Array,
  BigUint64Array,
} as const;

export type TypeName = keyof typeof numberTypes;

export const integerTypes = (Object.keys(numberTypes) as TypeName[]).filter(
  (name) => !name.startsWith("Float"),
);

export function arrayOf(type: TypeName, cells: readonly Cell[]) {
  const isBig = type === "BigInt64Array" || type === "BigUint64Array";
  const data = new numberTypes[type](cells.length);
  cells.forEach((cell, at) => (data[at] = isBig ? BigInt(cell ?? 0) : (cell ?? NaN)));
  return data;
}

type Value = (row: number, column: number) => number;
type Flavour = (random: Random, cols: number) => Value;

const { MAX_SAFE_INTEGER } = Number;

const flavours: readonly Flavour[] = [
  (random) => () => random.normal(),
  (random) => () => random.normal(),
  (random) => () => random.int(0, 3),
  (random) => () => random.int(-6, 7) / 2,
  (random) => () => random.uniform(0.01, 0.99),
  (random) => () => random.pick([0, -0, 0, 1, -1]),
  (random) => () => random.int(-1000, 1000),
  (random) => {
    const offset = random.pick([1, -1]) * 10 ** random.int(2, 15);
    const spread = 10 ** random.int(-6, 2);
    return () => offset + spread * random.normal();
  },
  (random, cols) => (_, j) => random.normal() * 10 ** ((24 * j) / Math.max(1, cols - 1) - 12),
  (random) => () => random.normal() * 10 ** random.uniform(-12, 12),
  (random) => {
    const size = 10 ** random.pick([20, 30, 38, 100, 150, 154, 200, 300]);
    return () => size * random.normal();
  },
  (random) => {
    const size = 10 ** -random.pick([20, 38, 100, 160, 200, 300]);
    return () => size * random.normal();
  },
  (random) => {
    const unit = 2 ** random.pick([-1074, -149, -126]);
    return () => random.int(-40, 40) * unit;
  },
  (random) => () => Math.fround(random.normal()) * (1 + 2 ** -24),
  (random, cols) => {
    const centres = Array.from({ length: 4 * cols }, () => 1e6 * random.normal());
    return (i, j) => centres[(i % 4) * cols + j] + random.normal();
  },
  (random) => (i) => (i % 4 === 0 ? 0 : random.normal()),
  (random) => (i) => (i % 3 === 0 ? (i % 7) / 10 : random.normal()),
  (random) => {
    const far = random.int(0, 40);
    return (i) => random.normal() * (i === far ? 1e12 : 1);
  },
  (random) => {
    const value = random.normal();
    return () => value;
  },
];

/** A number in [0, 1) is what distributions are asked of (logistic losses and divergences). */
const shares: Flavour = (random) => () => random.uniform(0.01, 0.99);

const integers: readonly Flavour[] = [
  (random) => () => random.int(0, 3),
  (random) => () => random.int(-100, 100),
  (random) => () => random.bits(),
];
const large: Flavour = (random) => () => random.int(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER);

export interface Shape {
  readonly rows: number;
  readonly queries: number;
  readonly kinds: readonly Kind[];
  readonly type: TypeName;
  /** The share of cells that are missing. */
  readonly gaps: number;
  /** All numbers are between 0 and 1. */
  readonly onlyShares: boolean;
}

export interface RowPair {
  readonly train: Cell[][];
  readonly queries: Cell[][];
}

export function hostileRows(random: Random, shape: Shape): RowPair {
  const { kinds, rows, queries } = shape;
  const value = valuesOf(random, shape);
  const make = (count: number) => Array.from({ length: count }, (_, i) => kinds.map((_, j) => value(i, j)));
  const pair = { train: make(rows), queries: make(queries) };
  for (const overlay of overlays) if (random.uniform() < overlay.share) overlay.lay(random, pair, shape);
  return { train: held(random, pair.train, shape), queries: held(random, pair.queries, shape) };
}

function valuesOf(random: Random, { kinds, type, onlyShares }: Shape): Value {
  const cols = kinds.length;
  const flavour = () => {
    if (onlyShares) return shares(random, cols);
    if (type.startsWith("Big")) return random.pick([...integers, large])(random, cols);
    if (!type.startsWith("Float")) return random.pick(integers)(random, cols);
    return random.pick(flavours)(random, cols);
  };
  const whole = flavour();
  const own = random.uniform() < 0.15 ? kinds.map(() => flavour()) : undefined;
  const categories = random.pick([2, 3, 6, 40]);
  return (i, j) => {
    if (kinds[j] === "binominal") return random.int(0, 2);
    return kinds[j] === "nominal" ? random.int(0, categories) : (own?.[j] ?? whole)(i, j);
  };
}

interface Overlay {
  readonly share: number;
  lay(random: Random, pair: { train: number[][]; queries: number[][] }, shape: Shape): void;
}

const overlays: readonly Overlay[] = [
  {
    // Few distinct rows.
    share: 0.15,
    lay(random, { train }) {
      const distinct = random.int(1, 9);
      for (let i = distinct; i < train.length; i++) train[i] = [...train[random.int(0, distinct)]];
    },
  },
  {
    // A constant column.
    share: 0.15,
    lay(random, { train, queries }, { kinds }) {
      const column = random.int(0, kinds.length);
      for (const row of [...train, ...queries]) row[column] = train[0]?.[column] ?? 0;
    },
  },
  {
    // Rows that differ from others by an ulp in some columns.
    share: 0.15,
    lay(random, { train }, shape) {
      for (let i = 1; i < train.length; i++)
        if (random.uniform() < 0.7)
          train[i] = train[random.int(0, i)].map((x, j) => near(random, x, j, shape));
    },
  },
  {
    // Multiples of a row, which angles take for equal.
    share: 0.05,
    lay(random, { train }, { kinds, onlyShares }) {
      for (let i = 1; i < train.length; i++) {
        const factor = random.pick(onlyShares ? [1, 1 / 2, 1 / 3] : [1, 2, -1, 3, 1 / 3]);
        train[i] = train[i].map((x, j) => (kinds[j] === "numeric" ? train[0][j] * factor : x));
      }
    },
  },
  {
    // Queries that are rows of train, or off by an ulp.
    share: 0.3,
    lay(random, { train, queries }, shape) {
      for (let i = 0; i < queries.length && train.length > 0; i++) {
        const row = train[random.int(0, train.length)];
        const exact = random.uniform() < 0.5;
        if (random.uniform() < 0.7) queries[i] = row.map((x, j) => (exact ? x : near(random, x, j, shape)));
      }
    },
  },
];

/** Returns the number, or one of its two neighbours in the type. */
function near(random: Random, value: number, column: number, { kinds, type, onlyShares }: Shape): number {
  const step = random.int(-1, 2);
  if (kinds[column] !== "numeric" || onlyShares) return value;
  if (!type.startsWith("Float")) return value + step;
  if (step === 0 || value === 0) return value;
  const [floats, bits] =
    type === "Float32Array" ? [Float32Array.of(value), Int32Array] : [Float64Array.of(value), BigInt64Array];
  const words = new bits(floats.buffer);
  words[0] = typeof words[0] === "bigint" ? words[0] + BigInt(step) : words[0] + step;
  return floats[0];
}

/** Returns the numbers as the type holds them, with gaps. */
function held(random: Random, rows: readonly number[][], { kinds, type, gaps }: Shape): Cell[][] {
  return rows.map((row) => {
    const whole = type.startsWith("Float") ? row : row.map((x) => Math.trunc(x));
    const safe = whole.map((x) => {
      const least = type === "BigUint64Array" ? 0 : -MAX_SAFE_INTEGER;
      return type.startsWith("Big") ? Math.max(least, Math.min(MAX_SAFE_INTEGER, x)) : x;
    });
    return Array.from<number | bigint, Cell>(arrayOf(type, safe) as Iterable<number | bigint>, (x, j) => {
      const cell = Number(x);
      if (random.uniform() < gaps) return null;
      return Number.isFinite(cell) && (kinds[j] === "numeric" || cell >= 0) ? cell : 1;
    });
  });
}
