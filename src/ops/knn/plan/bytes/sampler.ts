/** This prepares rows of train for the samples by which stages before float32 are chosen. */
import type { Matrix } from "../../../../core/matrix.ts";
import type { Filter, Technique } from "../../../../distance/forms/filter.ts";
import { PreparedRows } from "../../../../distance/rows/prepare.ts";
import { strideOf } from "../../../../distance/rows/preparation.ts";

/** Returns rows of train as a device compares them, where there is a filter: float32 [rows][stride]. */
export function sampleOf(train: Matrix, technique: Technique, rows: Uint32Array): Float32Array<ArrayBuffer> {
  const sample = new Float32Array(rows.length * strideOf(train.cols));
  new PreparedRows(train, (technique as Filter).train).fill("values", rows, new Uint8Array(sample.buffer));
  return sample;
}
