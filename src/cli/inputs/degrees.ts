/** Turns places in degrees into the radians that haversine compares, and its angles into kilometres. */
import { InvalidInputError } from "../../core/errors.ts";
import type { KnnResult } from "../../node.ts";
import { Table, type Column } from "../../table/index.ts";
import { nameOf } from "./tables.ts";

/** The Earth has this mean radius in kilometres, (2a + b) / 3 of the ellipsoid WGS 84. */
const EARTH_KM = 6371.0088;

/** Haversine takes angles of at most these sizes, in degrees. */
const limits = [
  { what: "latitude", most: 90 },
  { what: "longitude", most: 360 },
];

/**
 * Returns a table whose places are in radians.
 * @param features the columns of latitude and longitude, in this order; haversine refuses others
 * @throws InvalidInputError for an angle that no place has
 */
export function inRadians(table: Table, features: readonly string[]): Table {
  const columns = table.columns.map((column): Column => {
    const limit = limits[features.indexOf(column.name)] as (typeof limits)[number] | undefined;
    if (limit === undefined || column.kind !== "numeric") return column;
    const row = column.values.findIndex((angle) => Math.abs(angle) > limit.most);
    if (row >= 0) throw wrongAngle(table, column.name, row, `${column.values[row]}`, limit);
    return { ...column, type: "real", values: column.values.map(radians) };
  });
  return new Table(columns, table.origin);
}

/** Returns the angle of an arc along the globe. */
export function angleOf(km: number): number {
  return km / EARTH_KM;
}

/** Returns neighbours with the lengths of their arcs along the globe instead of their angles. */
export function inKilometres<Result extends KnnResult>(result: Result): Result {
  return { ...result, distances: result.distances.map((angle) => angle * EARTH_KM) };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function wrongAngle(
  table: Table,
  column: string,
  row: number,
  angle: string,
  { what, most }: (typeof limits)[number],
): InvalidInputError {
  return new InvalidInputError(
    `${angle} is not a ${what} in degrees, from -${most} to ${most}; --features names latitude, then longitude`,
    { file: nameOf(table), ...table.origin?.placeOf(row), column },
  );
}
