/**
 * This compares counts with those of another tool, which a file holds: an array [queries][bins], or a table
 * with a column for each bin.
 */
import { collectMatrix, InvalidInputError, type DistanceHistogramResult } from "../../node.ts";
import { matrixStreamOf, readFound, readNpyArray, recognise } from "../../io/index.ts";
import { encode } from "../../table/index.ts";
import { inputSource } from "../files.ts";
import { count, plural } from "../format.ts";

/** Another tool counted so, [queries][bins]. */
export interface OtherCounts {
  readonly file: string;
  readonly data: ArrayLike<number | bigint>;
}

export interface CountsVerdict {
  readonly file: string;
  readonly histograms: number;
  /** So many histograms differ in any count, and a count by at most `largest`. */
  readonly different: number;
  readonly largest: number;
  /** It is the place of the first of the largest differences. */
  readonly at?: { readonly query: number; readonly bin: number };
}

/**
 * Reads counts of another tool.
 * @throws InvalidInputError for another shape
 */
export async function readCounts(
  file: string,
  queries: number,
  bins: number,
  signal: AbortSignal,
): Promise<OtherCounts> {
  const found = await recognise(await inputSource(file, signal), undefined, signal);
  const { data, shape } = await valuesOf();
  if (shape.length === 2 && shape[0] === queries && shape[1] === bins) return { file, data };
  throw new InvalidInputError(
    `holds counts of the shape [${shape.join(", ")}]; expected [${queries}, ${bins}], a row for each query and a column ` +
      "for each bin (--validate)",
    { file },
  );

  async function valuesOf(): Promise<{ data: OtherCounts["data"]; shape: readonly number[] }> {
    if (found.format.name === "npy") return readNpyArray(found.source, { signal });
    if (found.format.holds === "matrix") {
      const matrix = await collectMatrix((await matrixStreamOf(found, { signal }))!, { signal });
      return { data: matrix.data, shape: [matrix.rows, matrix.cols] };
    }
    const table = await readFound(found, { signal });
    const named = table.names.filter((name) => /^bin_\d+$/.test(name));
    const columns = named.length > 0 ? named : table.names;
    const text = columns.find((name) => table.column(name).kind !== "numeric");
    if (text !== undefined)
      throw new InvalidInputError(`column ${JSON.stringify(text)} holds text; expected counts (--validate)`, {
        file,
      });
    const matrix = encode(table, columns, { missing: "error" });
    return { data: matrix.data, shape: [matrix.rows, matrix.cols] };
  }
}

export function compareCounts(
  { counts, queries, bins }: DistanceHistogramResult,
  other: OtherCounts,
): CountsVerdict {
  let [different, largest, place] = [0, 0, -1];
  for (let query = 0; query < queries; query++) {
    let differs = false;
    for (let at = query * bins; at < (query + 1) * bins; at++) {
      const difference = Math.abs(Number(other.data[at]) - counts[at]);
      if (difference === 0) continue;
      differs = true;
      if (difference > largest) [largest, place] = [difference, at];
    }
    if (differs) different++;
  }
  const found = { file: other.file, histograms: queries, different, largest };
  return place < 0 ? found : { ...found, at: { query: Math.floor(place / bins), bin: place % bins } };
}

export function validationText({ file, histograms, different, largest, at }: CountsVerdict): string {
  const of = plural(histograms, "histogram");
  if (at === undefined) return `validated ${file}: ${of}, all equal`;
  const where = `query ${count(at.query)}, bin ${count(at.bin)}`;
  return `validated ${file}: ${count(different)} of ${of} differ, by at most ${count(largest)} (${where})`;
}
