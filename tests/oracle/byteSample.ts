/**
 * What a sample of rows says of bytes, found naively: how large its entries are, and how many rows bytes
 * cannot tell from the two nearest ones of a row, for each of those. One row of four is looked at.
 */
export function looseness(sample: Float32Array, stride: number) {
  const rows = Array.from({ length: sample.length / stride }, (_, row) =>
    Array.from(sample.subarray(row * stride, (row + 1) * stride)),
  );
  const largest = Math.max(...rows.flat().map(Math.abs));
  const step = largest / 127;
  const lost = rows.map((row) =>
    length(row.map((x) => x - step * Math.min(127, Math.max(-127, Math.round(x / step))))),
  );
  let [nearest, within] = [0, 0];
  for (let a = 0; a < rows.length; a += 4) {
    const others = rows.flatMap((row, b) =>
      b === a ? [] : [{ distance: length(row.map((x, j) => rows[a][j] - x)), lost: lost[b] }],
    );
    const second = others.map(({ distance }) => distance).sort((x, y) => x - y)[1];
    nearest += others.filter(({ distance }) => distance <= second).length;
    within += others.filter((other) => other.distance - lost[a] - other.lost <= second).length;
  }
  return { largest, looseness: within / nearest };
}

function length(row: readonly number[]): number {
  return Math.sqrt(row.reduce((sum, x) => sum + x ** 2, 0));
}
