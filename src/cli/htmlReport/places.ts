/** Draws rows on a map, where columns hold their latitude and longitude in degrees. */
import type { Table } from "../../table/index.ts";
import { endsOf, points, scaleOf } from "./marks.ts";
import { markup, type Markup } from "./markup.ts";
import { figure } from "./tables.ts";

/** A group has rows that are drawn alike, and its name says what they are. */
export interface Group {
  readonly name: string;
  readonly rows: readonly number[];
}

const WIDTH = 900;
/** The most points of a group: of more every nth is drawn. */
const POINTS = 10_000;

/**
 * Draws groups of rows as points, crosses and so on; nothing where no columns are those of places.
 * @param groups those drawn later lie above
 */
export function mapMarkup(table: Table, groups: readonly Group[]): Markup | undefined {
  const across = degreesOf(table, /(^|[^a-z])(lon|lng|long|longitude)$/i, 180);
  const up = degreesOf(table, /(^|[^a-z])(lat|latitude)$/i, 90);
  if (across === undefined || up === undefined) return undefined;
  const known = groups.map(({ name, rows }) => {
    const placed = rows.filter((row) => !Number.isNaN(across[row] + up[row]));
    const every = Math.ceil(placed.length / POINTS);
    return { name, rows: placed.filter((_, at) => at % every === 0) };
  });
  const all = known.flatMap(({ rows }) => rows);
  if (all.length === 0) return undefined;
  const [west, east] = endsOf(all.map((row) => across[row]));
  const [south, north] = endsOf(all.map((row) => up[row]));
  // A degree of longitude is as long as one of latitude times the cosine.
  const wide = (east - west) * Math.max(0.1, Math.cos((((south + north) / 2) * Math.PI) / 180));
  const height = Math.round(Math.max(150, Math.min(900, (WIDTH * (north - south)) / wide)));
  const [x, y] = [scaleOf([west, east], [0, WIDTH]), scaleOf([south, north], [height, 0])];
  const drawn = known.map(({ rows }, at) =>
    points(
      at,
      rows.map((row) => [x(across[row]), y(up[row])] as const),
      at,
    ),
  );
  const names = known.map(({ name }, at) => `${signs[at]} ${name}`).join(", ");
  return figure(
    "Map",
    `${names}. North is up; places are those of the columns of latitude and longitude.`,
    markup`<svg class="map" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Map of ${names}">${drawn}</svg>
`,
  );
}

/** In text these signs stand for the shapes of points. */
const signs = ["●", "✕", "▲"];

function degreesOf(table: Table, name: RegExp, most: number): Float64Array | undefined {
  const column = table.columns.find((each) => name.test(each.name));
  if (column?.kind !== "numeric") return undefined;
  return column.values.every((value) => !(Math.abs(value) > most)) ? column.values : undefined;
}
