/** This prepares rows of train for the samples by which stages before float32 are chosen. */
import { takeRows, type Matrix } from "../../../../core/matrix.ts";
import type { Filter, Technique } from "../../../../distance/forms/filter.ts";
import { PreparedRows } from "../../../../distance/rows/prepare.ts";
import { strideOf } from "../../../../distance/rows/preparation.ts";

/** Returns rows of train as a device compares them, where there is a filter: float32 [rows][stride]. */
export function sampleOf(train: Matrix, technique: Technique, rows: Uint32Array): Float32Array<ArrayBuffer> {
  const sample = new Float32Array(rows.length * strideOf(train.cols));
  // PreparedRows keeps room for facts of every row of its matrix, so it gets a matrix of these rows alone.
  const taken = new PreparedRows(takeRows(train, rows), (technique as Filter).train);
  taken.fill("values", { begin: 0, end: rows.length }, new Uint8Array(sample.buffer));
  return sample;
}
