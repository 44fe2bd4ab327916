/**
 * A column of a table is named and has numbers, or nominal values as codes. `valid` has a bit per row that is
 * 0 where the cell is missing; no `valid` means that no cell is. Columns are shared between tables and never
 * written to.
 */
import { InvalidInputError, oneOf } from "../core/errors.ts";
import type { Bitset } from "./bitset.ts";
import type { Dictionary } from "./dictionary.ts";

export const numericTypes = ["real", "integer", "date", "time"] as const;
export const nominalTypes = ["polynominal", "binominal"] as const;

/**
 * Numbers are one of these; "date" counts milliseconds since 1970, "time" since midnight. Distances treat all
 * alike; text files show dates and times.
 * @example
 * const type: NumericType = "real"; // so that the mean is not rounded
 * const table = Table.fromColumns({ x: [1, null, 4] }).withTypes({ x: type });
 * const filled = new ReplaceMissingValues().fit(table).transform(table);
 * encode(filled, ["x"]).data; // => [1, 2.5, 4]
 */
export type NumericType = (typeof numericTypes)[number];

/**
 * Nominal values have one of these types. "binominal" has at most two values, the first of which is the
 * negative one.
 * @example
 * const type: NominalType = "binominal";
 * const table = Table.fromColumns({ ripe: ["no", "yes"] }).withTypes({ ripe: type });
 * encode(table, ["ripe"]).kinds; // => ["binominal"]
 */
export type NominalType = (typeof nominalTypes)[number];

/** This code lies under a missing nominal cell. */
export const MISSING_CODE = 0xffffffff;

/**
 * It is a column of numbers. Values are finite; a missing cell holds NaN.
 * @example
 * const width: NumericColumn = { kind: "numeric", name: "width", values: Float64Array.of(1.5, 2) };
 * encode(new Table([width]), ["width"]).data; // => [1.5, 2]
 */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  /** It is "real" by default. */
  readonly type?: NumericType;
  /** The dates came with a zone, so that they are those of UTC and are written as such. */
  readonly zone?: "UTC";
  readonly values: Float64Array;
  readonly valid?: Bitset;
}

/**
 * It holds nominal values, as codes of `dictionary`; a missing cell holds 0xFFFFFFFF.
 * @example
 * const isNominal = (column: Column): column is NominalColumn => column.kind === "nominal";
 * const [kind] = Table.fromColumns({ x: [1, 2, 3], kind: ["b", null, "a"] }).columns.filter(isNominal);
 * kind.codes; // => [0, 0xffffffff, 1]
 * kind.dictionary.values; // => ["b", "a"]
 */
export interface NominalColumn {
  readonly kind: "nominal";
  readonly name: string;
  /** It is "polynominal" by default, also for two values. */
  readonly type?: NominalType;
  readonly codes: Uint32Array;
  readonly dictionary: Dictionary;
  readonly valid?: Bitset;
}

/**
 * A column of a table holds either numbers or nominal values.
 * @example
 * const valuesOf = (column: Column) =>
 *   column.kind === "numeric" ? column.values : column.dictionary.values;
 * const { columns } = Table.fromColumns({ width: [2, 1], kind: ["b", "a"] });
 * columns.map(valuesOf); // => [[2, 1], ["b", "a"]]
 */
export type Column = NumericColumn | NominalColumn;

export function columnLength(column: Column): number {
  return column.kind === "numeric" ? column.values.length : column.codes.length;
}

/** Returns the column as that type. @throws InvalidInputError for values that are not of it. */
export function withType(column: Column, type: NumericType | NominalType): Column {
  const place = { column: column.name };
  if (column.kind === "numeric") {
    if (!isOneOf(numericTypes, type)) {
      throw new InvalidInputError(
        `is numeric, so it cannot be ${type}; expected ${oneOf(numericTypes)}`,
        place,
      );
    }
    const at =
      type === "integer" ? column.values.findIndex((x) => !Number.isNaN(x) && !Number.isInteger(x)) : -1;
    if (at < 0) return { ...column, type };
    throw new InvalidInputError(`row ${at} (from 0) is ${column.values[at]}, which is not an integer`, place);
  }
  if (!isOneOf(nominalTypes, type)) {
    throw new InvalidInputError(
      `is nominal, so it cannot be ${type}; expected ${oneOf(nominalTypes)}`,
      place,
    );
  }
  const { size } = column.dictionary;
  if (type === "binominal" && size > 2) {
    throw new InvalidInputError(
      `has ${size} values, but a binominal column has two; leave it polynominal`,
      place,
    );
  }
  return { ...column, type };
}

function isOneOf<T extends string>(types: readonly T[], type: string): type is T {
  return (types as readonly string[]).includes(type);
}

export function isMissing({ valid }: Column, row: number): boolean {
  return valid !== undefined && !valid.get(row);
}

/** Returns the cell as users see it; null where it is missing. */
export function cellOf(column: Column, row: number): number | string | null {
  if (isMissing(column, row)) return null;
  return column.kind === "numeric" ? column.values[row] : column.dictionary.values[column.codes[row]];
}
