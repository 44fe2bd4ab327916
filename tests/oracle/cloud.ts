/** What is told of point clouds, by all pairs in float64; shares no code with src/. */

interface Points {
  readonly data: ArrayLike<number>;
  readonly rows: number;
  readonly cols: number;
}

function between(a: Points, i: number, b: Points, j: number): number {
  let sum = 0;
  for (let col = 0; col < a.cols; col++) {
    const difference = a.data[i * a.cols + col] - b.data[j * b.cols + col];
    sum += difference * difference;
  }
  return sum;
}

/** For each point of a, the least square of a distance to b, and where it is. */
function nearestSquares(a: Points, b: Points): { readonly square: number; readonly at: number }[] {
  return Array.from({ length: a.rows }, (_, i) => {
    const squares = Array.from({ length: b.rows }, (_, j) => between(a, i, b, j));
    const roots = squares.map(Math.sqrt);
    const least = roots.reduce((best, root) => (root < best ? root : best), Infinity);
    const at = roots.indexOf(least);
    return { square: squares.reduce((best, each) => (each < best ? each : best), Infinity), at };
  });
}

function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

export function naiveChamfer(a: Points, b: Points, squared: boolean) {
  const ways = [nearestSquares(a, b), nearestSquares(b, a)];
  const [forward, backward] = ways.map((way) =>
    mean(way.map(({ square }) => (squared ? square : Math.sqrt(square)))),
  );
  return { distance: forward + backward, forward, backward };
}

export function naiveHausdorff(a: Points, b: Points) {
  const farthest = (way: ReturnType<typeof nearestSquares>) => {
    const roots = way.map(({ square }) => Math.sqrt(square));
    const most = roots.reduce((best, each) => (each > best ? each : best));
    const from = roots.indexOf(most);
    return { most, from, to: way[from].at };
  };
  const [there, back] = [farthest(nearestSquares(a, b)), farthest(nearestSquares(b, a))];
  const [forward, backward] = [there.most, back.most];
  if (forward < backward) return { distance: backward, a: back.to, b: back.from, forward, backward };
  return { distance: forward, a: there.from, b: there.to, forward, backward };
}

export function naiveMeanNearest(points: Points): number {
  const others = (i: number) => Array.from({ length: points.rows }, (_, j) => j).filter((j) => j !== i);
  return mean(
    Array.from({ length: points.rows }, (_, i) =>
      Math.sqrt(others(i).reduce((least, j) => Math.min(least, between(points, i, points, j)), Infinity)),
    ),
  );
}

/** For each point the nearest of the points kept before it that is within the tolerance, or itself. */
export function naiveRepresentatives(points: Points, tolerance: number): number[] {
  const kept: number[] = [];
  return Array.from({ length: points.rows }, (_, i) => {
    const near = kept
      .map((j) => ({ j, distance: Math.sqrt(between(points, i, points, j)) }))
      .filter(({ distance }) => distance <= tolerance)
      .sort((a, b) => a.distance - b.distance || a.j - b.j);
    if (near.length > 0) return near[0].j;
    kept.push(i);
    return i;
  });
}

/** For each point the mean distance to its k nearest others, and which points are no outliers. */
export function naiveInliers(points: Points, k: number, deviations: number) {
  const distances = Array.from({ length: points.rows }, (_, i) => {
    const roots = Array.from({ length: points.rows }, (__, j) => Math.sqrt(between(points, i, points, j)));
    roots.splice(i, 1);
    return mean(roots.sort((a, b) => a - b).slice(0, k));
  });
  const middle = mean(distances);
  let squares = 0;
  for (const each of distances) squares += (each - middle) * (each - middle);
  const threshold = middle + deviations * Math.sqrt(squares / (points.rows - 1));
  return { distances, threshold, kept: [...distances.keys()].filter((i) => distances[i] <= threshold) };
}

/** The covariance of the k nearest points of one, times k; ties to the lower point. */
export function naiveMoments(points: Points, i: number, k: number): number[][] {
  const near = Array.from({ length: points.rows }, (_, j) => ({
    j,
    root: Math.sqrt(between(points, i, points, j)),
  }))
    .sort((a, b) => a.root - b.root || a.j - b.j)
    .slice(0, k);
  const columns = Array.from({ length: points.cols }, (_, col) => {
    const own = points.data[i * points.cols + col];
    const values = near.map(({ j }) => points.data[j * points.cols + col] - own);
    const middle = mean(values);
    return values.map((value) => value - middle);
  });
  return columns.map((a) => columns.map((b) => a.reduce((sum, value, at) => sum + value * b[at], 0)));
}

/** The nearest of b to each point of a, and how far it is. */
export function naiveNearest(a: Points, b: Points): { readonly at: number; readonly distance: number }[] {
  return nearestSquares(a, b).map(({ square, at }) => ({ at, distance: Math.sqrt(square) }));
}
