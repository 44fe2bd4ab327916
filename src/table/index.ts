export { Bitset } from "./bitset.ts";
export { cellOf, columnLength, isMissing, MISSING_CODE } from "./column.ts";
export type { Column, NominalColumn, NominalType, NumericColumn, NumericType } from "./column.ts";
export type { Cell, ColumnInput } from "./columnInput.ts";
export { Dictionary } from "./dictionary.ts";
export { encode, type EncodeOptions } from "./encode.ts";
export {
  classCodes,
  compareCodePoints,
  labelsByAppearance,
  labelsOf,
  NO_CLASS,
  type Classes,
  type Labels,
} from "./classes.ts";
export { listNames, nearestName, unknownColumn } from "./names.ts";
export { collectTable } from "./collect.ts";
export { chunkRows, tableStream } from "./stream.ts";
export type { TableChunkOptions, ColumnSchema, Guess, TableStream, TimeUnit } from "./stream.ts";
export { Table, type RowPlace, type TableOrigin } from "./table.ts";
