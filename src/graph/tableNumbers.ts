/** Takes the numbers of a column of a table, for what takes neither text nor gaps, such as signals. */
import { InvalidInputError } from "../core/errors.ts";
import { encode, unknownColumn, type Table } from "../table/index.ts";

/**
 * Returns the numbers of the column of that name, by default the only one.
 * @param naming the name of what says which column, for messages
 * @throws InvalidInputError for text, gaps, and a table of several columns of which none is named
 */
export function tableNumbers(
  table: Table,
  column: string | undefined,
  file: string,
  naming: string,
): { readonly name: string; readonly data: Float64Array } {
  const name = column ?? table.names[0];
  if (column === undefined && table.names.length !== 1) {
    throw new InvalidInputError(`has ${table.names.length} columns; name one of them (${naming})`, { file });
  }
  if (!table.names.includes(name)) throw unknownColumn(name, table.names, file);
  const { kind, valid } = table.column(name);
  if (kind !== "numeric") {
    throw new InvalidInputError(
      `column ${JSON.stringify(name)} holds text; name one of numbers (${naming})`,
      { file },
    );
  }
  const gap = valid?.firstClear() ?? -1;
  if (gap >= 0) {
    throw new InvalidInputError(
      `the cell is missing; fill it in the file, remove its row, or name another column (${naming})`,
      { file, column: name, ...(table.origin?.placeOf(gap) ?? { row: gap }) },
    );
  }
  return { name, data: Float64Array.from(encode(table, [name]).data) };
}
