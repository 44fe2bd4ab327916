/**
 * What the nearest rows of a table of numbers, texts and gaps say of a row, in plain float64 loops: every row
 * is compared, equal distances are in the order of the rows. Shares no code with src/.
 */

export type Cell = number | string | null;
export type Row = Readonly<Record<string, Cell>>;

/** A training row: the cells that are compared, and its label. */
export interface Known {
  readonly cells: readonly Cell[];
  readonly label: Cell;
}

/** The class that most of the k nearest rows have, or the mean of their numbers. */
export function predictedOf(train: readonly Known[], query: readonly Cell[], k: number): number | string {
  const labels = train
    .map(({ cells, label }, index) => ({ label, index, far: distance(cells, query) }))
    .sort((a, b) => byDistance(a.far, b.far) || a.index - b.index)
    .slice(0, k)
    .map(({ label }) => label);
  if (typeof labels[0] === "string") return majority(labels.map(String));
  return labels.reduce((sum: number, label) => sum + Number(label), 0) / k;
}

/**
 * Mixed Euclidean: columns that one side lacks add nothing, texts that differ add 1; NaN with no column in
 * common.
 */
function distance(a: readonly Cell[], b: readonly Cell[]): number {
  let total = 0;
  let common = 0;
  a.forEach((x, j) => {
    const y = b[j];
    if (x === null || y === null) return;
    common++;
    if (typeof x === "number" && typeof y === "number") total += (x - y) * (x - y);
    else if (x !== y) total += 1;
  });
  return common === 0 ? NaN : Math.sqrt(total);
}

function byDistance(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a - b;
}

/** Of classes named equally often the one that comes first in the alphabet. */
function majority(labels: readonly string[]): string {
  const count = (label: string) => labels.filter((other) => other === label).length;
  return [...new Set(labels)].sort().reduce((best, label) => (count(label) > count(best) ? label : best));
}
