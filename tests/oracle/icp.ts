/**
 * Registration as its definition says, by all pairs in float64; rotations by the polar decomposition of the
 * covariance, in Higham's iteration. Shares no code with src/. For covariances whose determinant is above 0.
 */
import { naiveNearest } from "./cloud.ts";

interface Points {
  readonly data: ArrayLike<number>;
  readonly rows: number;
  readonly cols: number;
}

interface Options {
  readonly maxIterations?: number | undefined;
  readonly tolerance?: number | undefined;
  readonly maxDistance?: number | undefined;
  readonly overlap?: number | undefined;
}

export interface NaiveIcp {
  readonly transform: readonly number[];
  readonly error: number;
  readonly pairs: number;
  readonly iterations: number;
  readonly converged: boolean;
}

type Square = readonly (readonly number[])[];

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const transposed = (m: Square): number[][] => m[0].map((_, j) => m.map((row) => row[j]));

function inverse(m: Square): number[][] {
  const size = m.length;
  const rows = m.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let p = 0; p < size; p++) {
    const best = rows
      .slice(p)
      .reduce((most, row, i) => (Math.abs(row[p]) > Math.abs(rows[most][p]) ? p + i : most), p);
    [rows[p], rows[best]] = [rows[best], rows[p]];
    const pivot = rows[p][p];
    rows[p] = rows[p].map((value) => value / pivot);
    rows.forEach((row, i) => {
      if (i !== p) rows[i] = row.map((value, j) => value - row[p] * rows[p][j]);
    });
  }
  return rows.map((row) => row.slice(size));
}

/** The rotation nearest to a matrix. */
function polar(matrix: Square): number[][] {
  let now = matrix.map((row) => [...row]);
  for (let i = 0; i < 100; i++) {
    const other = transposed(inverse(now));
    now = now.map((row, a) => row.map((value, b) => (value + other[a][b]) / 2));
  }
  return now;
}

function rowsOf({ data, rows, cols }: Points): number[][] {
  return Array.from({ length: rows }, (_, i) => Array.from({ length: cols }, (__, j) => data[i * cols + j]));
}

export function naiveIcp(source: Points, target: Points, options: Options): NaiveIcp {
  const { maxIterations = 50, tolerance = 1e-6, maxDistance = Infinity, overlap = 1 } = options;
  const { cols } = source;
  const [from, to] = [rowsOf(source), rowsOf(target)];
  const middleOf = (points: Square) =>
    points[0].map((_, j) => sum(points.map((point) => point[j])) / points.length);
  const centre = middleOf(to);
  const size = Math.sqrt(sum(to.map((point) => sum(point.map((x, j) => (x - centre[j]) ** 2)))) / to.length);
  let rotation: number[][] = from[0].map((_, i) => from[0].map((__, j) => (i === j ? 1 : 0)));
  let translation = from[0].map(() => 0);
  const moved = () =>
    from.map((point) => rotation.map((row, i) => sum(row.map((r, j) => r * point[j])) + translation[i]));
  const pairsNow = () => {
    const data = moved().flat();
    const pairs = naiveNearest({ data, rows: from.length, cols }, target)
      .map(({ at, distance }, point) => ({ point, partner: at, distance }))
      .filter(({ distance }) => distance <= maxDistance)
      .sort((a, b) => a.distance - b.distance || a.point - b.point)
      .slice(0, Math.max(1, Math.floor(overlap * from.length)));
    return { pairs, error: Math.sqrt(sum(pairs.map(({ distance }) => distance ** 2)) / pairs.length) };
  };
  let { pairs, error } = pairsNow();
  let iterations = 0;
  let converged = error === 0;
  while (!converged && iterations < maxIterations) {
    const a = pairs.map(({ point }) => from[point]);
    const b = pairs.map(({ partner }) => to[partner]);
    const [middleA, middleB] = [middleOf(a), middleOf(b)];
    const moments = middleB.map((_, i) =>
      middleA.map((__, j) => sum(a.map((point, n) => (b[n][i] - middleB[i]) * (point[j] - middleA[j])))),
    );
    rotation = polar(moments);
    translation = middleB.map((value, i) => value - sum(rotation[i].map((r, j) => r * middleA[j])));
    const before = error;
    ({ pairs, error } = pairsNow());
    iterations++;
    converged = error === 0 || Math.abs(before - error) <= tolerance * size;
  }
  const rows = rotation.map((row, i) => [...row, translation[i]]);
  const transform = [...rows.flat(), ...from[0].map(() => 0), 1];
  return { transform, error, pairs: pairs.length, iterations, converged };
}
