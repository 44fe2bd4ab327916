/**
 * RapidMiner's bounded heap, vote and regression, written from its description in plain loops, one query at a
 * time. Shares no code with src/.
 */

interface Entry<T> {
  readonly item: T;
  readonly row: number;
}

/** Above 0 where the first is farther than the second. */
type Order<T> = (a: T, b: T) => number;

/** Rows in the order of the heap's array after all were offered in training order. */
export function heapOrder(distances: readonly number[], k: number): number[] {
  return heapOrderBy(distances, k, compare);
}

/** The same of anything that can be compared. */
export function heapOrderBy<T>(items: readonly T[], k: number, order: Order<T>): number[] {
  const heap: Entry<T>[] = [];
  items.forEach((item, row) => {
    if (heap.length < k) push(heap, { item, row }, order);
    else if (order(item, heap[0].item) < 0) {
      poll(heap, order);
      push(heap, { item, row }, order);
    }
  });
  return heap.map(({ row }) => row);
}

/** Confidences per class, and the winner: undefined when all confidences are NaN. */
export function votes(
  neighbors: readonly { readonly distance: number; readonly code: number }[],
  classes: number,
  k: number,
  weighted: boolean,
) {
  const weights = weighted && k > 1 ? weightsOf(neighbors, k) : neighbors.map(() => 1 / k);
  const confidences = new Array<number>(classes).fill(0);
  neighbors.forEach(({ code }, i) => (confidences[code] += weights[i]));
  const known = confidences.filter((confidence) => !Number.isNaN(confidence));
  const winner = known.length === 0 ? undefined : confidences.indexOf(Math.max(...known));
  return { confidences, winner };
}

/**
 * Returns the mean of numbers: the weighted one has no exception for k = 1, and the plain one divides by k
 * even of fewer rows.
 */
export function average(
  neighbors: readonly { readonly distance: number; readonly label: number }[],
  k: number,
  weighted: boolean,
): number {
  let sum = 0;
  for (const { distance } of neighbors) sum += distance;
  let mean = 0;
  if (!weighted) {
    for (const { label } of neighbors) mean += label;
    return mean / k;
  }
  const divisor = sum === 0 ? k : k === 1 ? 1 : k - 1;
  for (const { distance, label } of neighbors)
    mean += (label * (1 - distance / (sum === 0 ? 1 : sum))) / divisor;
  return mean;
}

function weightsOf(neighbors: readonly { readonly distance: number }[], k: number): number[] {
  let sum = 0;
  for (const { distance } of neighbors) sum += distance;
  const divisor = sum === 0 ? k : k === 1 ? 1 : k - 1;
  return neighbors.map(({ distance }) => (1 - distance / (sum === 0 ? 1 : sum)) / divisor);
}

function push<T>(heap: Entry<T>[], entry: Entry<T>, order: Order<T>): void {
  heap.push(entry);
  for (let at = heap.length - 1; at > 0;) {
    const parent = Math.floor((at - 1) / 2);
    if (order(heap[at].item, heap[parent].item) <= 0) return;
    [heap[at], heap[parent]] = [heap[parent], heap[at]];
    at = parent;
  }
}

function poll<T>(heap: Entry<T>[], order: Order<T>): void {
  const last = heap.pop();
  if (heap.length === 0 || !last) return;
  heap[0] = last;
  for (let at = 0; 2 * at + 1 < heap.length;) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    const rightRises = right < heap.length && order(heap[right].item, heap[left].item) > 0;
    const child = rightRises ? right : left;
    if (order(heap[at].item, heap[child].item) >= 0) return;
    [heap[at], heap[child]] = [heap[child], heap[at]];
    at = child;
  }
}

/** Java's Double.compare. */
export function compare(a: number, b: number): number {
  if (Object.is(a, b)) return 0;
  if (Number.isNaN(a)) return 1;
  if (Number.isNaN(b)) return -1;
  if (a === b) return Object.is(a, -0) ? -1 : 1;
  return a < b ? -1 : 1;
}
