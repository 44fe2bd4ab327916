/**
 * `PrincipalAxes` finds the two or three directions in which rows differ most, so that rows of many columns
 * can be drawn. All of it is plain float64 arithmetic in one order, so every machine gives the same bits. It
 * is no preparation for a search: distances within the plane are not those of the rows.
 *
 * The axes are the leading eigenvectors of the covariance: of a small one by Jacobi rotations, of a larger
 * one by subspace iteration from fixed vectors, with a Rayleigh-Ritz rotation in each round, until they stay.
 */
import { InvalidInputError } from "../core/errors.ts";
import { checkOptions, signalOnly } from "../core/options.ts";
import { plural } from "../core/plural.ts";
import { runYielding } from "../core/async/yielding.ts";
import type { Yielding } from "../core/async/yielding.ts";
import type { Table } from "../table/table.ts";
import { jacobi } from "../core/jacobi.ts";

/**
 * `PrincipalAxes` takes these options.
 * @example
 * const options: PrincipalAxesOptions = { axes: 2 };
 * const table = Table.fromColumns({ x: [0, 2, 4], y: [0, 2, 4], z: [1, 1, 1] });
 * const found = await new PrincipalAxes(options).fit(table);
 * [...found.variances].map(Math.round); // => [8, 0]
 */
export interface PrincipalAxesOptions {
  /** There are 2 or 3 axes; default 2. */
  readonly axes?: 2 | 3 | undefined;
}

/** There are at most this many columns: their covariance is a square of them. */
const MOST_COLUMNS = 1000;
/** So many vectors are iterated beside those wanted, so that close eigenvalues do not slow them down. */
const MORE = 6;
const MOST_ROUNDS = 500;
/** C v - variance v may be as long as this part of the largest variance. */
const TOLERANCE = 1e-12;

/**
 * It finds the two or three directions along which the numbers of a table vary most, the first one most.
 * Columns are centred and not scaled: normalise first where their units differ. Missing cells count as the
 * mean. Each direction has the sign that makes its largest component positive.
 * @example
 * const table = Table.fromColumns({ x: [0, 1, 2, 3], y: [0, 2, 4, 6], kind: ["a", "a", "b", "b"] });
 * const axes = await new PrincipalAxes().fit(table);
 * axes.columns; // => ["x", "y"]
 * [...axes.variances].map((each) => Number(each.toFixed(6))); // => [8.333333, 0]
 * const places = axes.transform(table); // float64, two coordinates per row
 * places.length; // => 8
 */
export class PrincipalAxes {
  readonly #axes: number;
  #fitted: FittedAxes | undefined;

  /** @throws InvalidInputError for another number of axes */
  constructor(options: PrincipalAxesOptions = {}) {
    checkOptions(options, "PrincipalAxes", { axes: 1 });
    const { axes = 2 } = options;
    if (![2, 3].includes(axes)) throw new InvalidInputError(`axes is ${axes}; expected 2 or 3`);
    this.#axes = axes;
  }

  /**
   * Finds the axes of these rows; fitting again forgets those before.
   * @param columns numeric columns; default all numeric ones
   * @returns this
   * @throws InvalidInputError for fewer columns than axes, more than 1000, no rows, or numbers whose squares
   *   overflow float64; the signal's reason
   */
  async fit(
    table: Table,
    columns: readonly string[] = table.names.filter((name) => table.column(name).kind === "numeric"),
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<this> {
    checkOptions(options, "fit", signalOnly);
    if (columns.length < this.#axes || columns.length > MOST_COLUMNS)
      throw new InvalidInputError(
        `${plural(columns.length, "column")} given; expected ${this.#axes} to ${MOST_COLUMNS} for ${plural(this.#axes, "axis", "axes")}`,
      );
    if (table.rows === 0) throw new InvalidInputError("has no rows; principal axes need at least one");
    this.#fitted = await runYielding(fitted(table, columns, this.#axes), options.signal);
    return this;
  }

  /** Returns the columns that the axes were found from. */
  get columns(): readonly string[] {
    return this.#known.columns;
  }

  /** The axes are float64 [axes][columns], of length 1 and at right angles. */
  get components(): Float64Array {
    return this.#known.components;
  }

  /** Each axis has the variance along it (divisor n - 1), the largest first. */
  get variances(): Float64Array {
    return this.#known.variances;
  }

  /** Returns the sum of the variances of all columns. */
  get totalVariance(): number {
    return this.#known.total;
  }

  /**
   * Returns the coordinates of rows along the axes, from the mean of the rows fitted, float64 [rows][axes].
   * @throws InvalidInputError before `fit`, or for a table that lacks a column or has it as text
   */
  transform(table: Table): Float64Array {
    const { columns, means, components } = this.#known;
    const places = new Float64Array(table.rows * this.#axes);
    columns.forEach((name, at) => {
      const values = numbersOf(table, name);
      for (let row = 0; row < table.rows; row++) {
        const from = Number.isNaN(values[row]) ? 0 : values[row] - means[at];
        for (let axis = 0; axis < this.#axes; axis++)
          places[row * this.#axes + axis] += from * components[axis * columns.length + at];
      }
    });
    return places;
  }

  get #known(): FittedAxes {
    if (this.#fitted !== undefined) return this.#fitted;
    throw new InvalidInputError("PrincipalAxes has not learnt anything yet; call fit first");
  }
}

interface FittedAxes {
  readonly columns: readonly string[];
  readonly means: Float64Array;
  readonly components: Float64Array;
  readonly variances: Float64Array;
  readonly total: number;
}

type Leading = Pick<FittedAxes, "components" | "variances">;

function numbersOf(table: Table, name: string): Float64Array {
  const column = table.column(name);
  if (column.kind === "numeric") return column.values;
  throw new InvalidInputError("holds texts, and principal axes need numbers; leave it out", { column: name });
}

function* fitted(table: Table, columns: readonly string[], axes: number): Yielding<FittedAxes> {
  const means = new Float64Array(columns.length);
  const centred: Float64Array[] = [];
  for (const [at, name] of columns.entries()) {
    const values = numbersOf(table, name);
    const present = values.filter((value) => !Number.isNaN(value));
    means[at] = present.length === 0 ? 0 : present.reduce((sum, value) => sum + value, 0) / present.length;
    centred.push(values.map((value) => (Number.isNaN(value) ? 0 : value - means[at])));
    yield;
  }
  const covariance = yield* covarianceOf(centred);
  const size = columns.length;
  const total = columns.reduce((sum, _, at) => sum + covariance[at * size + at], 0);
  if (!Number.isFinite(total))
    throw new InvalidInputError("holds numbers too large for their squares in float64; divide them first");
  return { columns, means, total, ...(yield* leading(covariance, size, axes)) };
}

function* covarianceOf(centred: readonly Float64Array[]): Yielding<Float64Array> {
  const size = centred.length;
  const covariance = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = i; j < size; j++) {
      const value = dot(centred[i], centred[j]) / Math.max(1, centred[i].length - 1);
      covariance[i * size + j] = covariance[j * size + i] = value;
      yield;
    }
  }
  return covariance;
}

/** Finds the eigenvectors of the largest eigenvalues of a symmetric matrix. */
function* leading(matrix: Float64Array, size: number, axes: number): Yielding<Leading> {
  const width = axes + MORE;
  if (size <= width) {
    const rows = Array.from({ length: size }, (_, at) => matrix.slice(at * size, (at + 1) * size));
    const { values, vectors } = jacobi(rows);
    return first(axes, values, vectors);
  }
  let basis = Array.from({ length: width }, (_, at) => beginning(size, at));
  orthonormalise(basis);
  for (let round = 0; ; round++) {
    const images: Float64Array[] = [];
    for (const vector of basis) {
      images.push(product(matrix, vector));
      yield;
    }
    const inside = basis.map((vector) => Float64Array.from(images, (image) => dot(vector, image)));
    const { values, vectors } = jacobi(inside);
    const turn = (of: readonly Float64Array[]) => vectors.map((weights) => combined(of, weights));
    const [turned, moved] = [turn(basis), turn(images)];
    const stays = (at: number) => {
      const rest = moved[at].map((each, j) => each - values[at] * turned[at][j]);
      return dot(rest, rest) <= (TOLERANCE * values[0]) ** 2;
    };
    if (round === MOST_ROUNDS || Array.from({ length: axes }, (_, at) => at).every(stays))
      return first(axes, values, turned);
    basis = moved;
    orthonormalise(basis);
  }
}

function first(axes: number, values: Float64Array, vectors: readonly Float64Array[]): Leading {
  const size = vectors[0].length;
  const components = new Float64Array(axes * size);
  vectors.slice(0, axes).forEach((vector, at) => components.set(facing(vector), at * size));
  return { components, variances: values.slice(0, axes).map((value) => Math.max(0, value)) };
}

/** Returns vectors that favour no column, and are the same on every machine. */
function beginning(size: number, at: number): Float64Array {
  let state = (at + 1) * 2_654_435_761;
  return Float64Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

/**
 * Makes vectors orthonormal, twice since once leaves rounding; one that lies within those before it is
 * replaced by the first unit vector that does not.
 */
function orthonormalise(vectors: Float64Array[]): void {
  for (let at = 0; at < vectors.length; at++) {
    for (let next = -1; !makeUnit(vectors, at);) {
      next++;
      vectors[at] = Float64Array.from(vectors[at], (_, j) => (j === next ? 1 : 0));
    }
  }
}

function makeUnit(vectors: Float64Array[], at: number): boolean {
  const vector = vectors[at];
  const before = Math.sqrt(dot(vector, vector));
  for (let pass = 0; pass < 2; pass++) {
    for (const other of vectors.slice(0, at)) {
      const along = dot(vector, other);
      vector.forEach((each, j) => (vector[j] = each - along * other[j]));
    }
  }
  const length = Math.sqrt(dot(vector, vector));
  if (!(length > before * 1e-10)) return false;
  vector.forEach((each, j) => (vector[j] = each / length));
  return true;
}

function product(matrix: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length;
  return vector.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += matrix[i * size + j] * vector[j];
    return sum;
  });
}

function combined(vectors: readonly Float64Array[], weights: Float64Array): Float64Array {
  return vectors[0].map((_, j) => vectors.reduce((sum, vector, at) => sum + weights[at] * vector[j], 0));
}

function facing(vector: Float64Array): Float64Array {
  const largest = vector.reduce((best, each, at) => (Math.abs(each) > Math.abs(vector[best]) ? at : best), 0);
  return vector[largest] < 0 ? vector.map((each) => -each) : vector;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at];
  return sum;
}
