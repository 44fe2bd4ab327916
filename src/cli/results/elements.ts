/** Writes elements: an .npy file of their shape, or a table of their rows. */
import { outputFormat, writeMatrix, writeNpy, writeTable } from "../../io/index.ts";
import type { Pieces } from "../../io/index.ts";
import { InvalidInputError, Table } from "../../node.ts";
import type { Elements, FileElements } from "../inputs/elements.ts";
import { csvOutput, type SearchRunFlags } from "../options/shared.ts";

/**
 * Makes the bytes of a file.
 * @param column the name of the only column of a table
 * @throws InvalidInputError for 64-bit integers that a table does not hold exactly
 */
export function elementPieces(
  elements: Pick<Elements, "data" | "shape">,
  column: string | undefined,
  options: SearchRunFlags,
): Pieces | AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { data, shape } = elements;
  const { name } = outputFormat(options.out, options.format);
  if (name === "npy") return writeNpy(data, { shape });
  const values = numbersOf(data, options.out);
  const csv = csvOutput(options);
  if (column !== undefined || shape.length === 1) {
    const numbers = { kind: "numeric", name: column ?? "0", values: Float64Array.from(values) } as const;
    return writeTable(name, new Table([numbers]), csv);
  }
  const cols = shape.slice(1).reduce((product, size) => product * size, 1);
  return writeMatrix(name, { data: values, rows: shape[0], cols }, csv);
}

function numbersOf(data: FileElements, file: string) {
  if (!(data instanceof BigInt64Array || data instanceof BigUint64Array)) return data;
  const values = Float64Array.from(data, Number);
  const at = values.findIndex((value) => !Number.isSafeInteger(value));
  if (at < 0) return values;
  throw new InvalidInputError(
    `the result holds ${data[at]}, beyond 2^53, which a table does not hold exactly; write .npy (--out, --format)`,
    { file },
  );
}
