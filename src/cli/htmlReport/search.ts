/**
 * Writes the report of `search`: how far neighbours are, which rows are found, and rows beside their
 * neighbours.
 */
import { NO_NEIGHBOR, type Matrix } from "../../node.ts";
import { Table } from "../../table/index.ts";
import { count, plural } from "../format.ts";
import { rateText, type Summary } from "../summary.ts";
import { besideMarkup, besideMost } from "./beside.ts";
import { viewOf, viewOfMatrix, type NearestRows } from "./judged.ts";
import { histogram, shortNumber } from "./marks.ts";
import { markup } from "./markup.ts";
import { pageText } from "./page.ts";
import { mapMarkup } from "./places.ts";
import { lastSections } from "./settings.ts";
import { factsMarkup, figure, paragraph, tableMarkup } from "./tables.ts";

export interface SearchReport {
  readonly summary: Summary;
  readonly train: Table | Matrix;
  readonly queries: Table | Matrix;
  readonly features: readonly string[];
  readonly result: NearestRows;
  readonly id: string | undefined;
}

/** At most so many rows are listed as those found most often. */
const FOUND = 10;

export function searchPage({ summary, train, queries, features, result, id }: SearchReport): string {
  const { k, metric, queriesPerSecond } = summary;
  const view = (rows: Table | Matrix) =>
    rows instanceof Table ? viewOf(rows, features, id) : viewOfMatrix(rows, features);
  const [seen, near] = [view(queries), view(train)];
  const found = new Uint32Array(train.rows);
  for (const index of result.indices) if (index !== NO_NEIGHBOR) found[index]++;
  const distancesAt = (rank: number) =>
    Array.from({ length: queries.rows }, (_, row) => result.distances[row * k + rank]).filter(
      Number.isFinite,
    );
  const [nearest, last] = [distancesAt(0), distancesAt(k - 1)];
  const often = Array.from(found, (times, row) => ({ times, row }))
    .sort((a, b) => b.times - a.times || a.row - b.row)
    .slice(0, FOUND);
  const never = found.reduce((sum, times) => sum + (times === 0 ? 1 : 0), 0);
  const all = Array.from({ length: queries.rows }, (_, row) => row);
  const facts = factsMarkup([
    [
      "rows searched for",
      count(queries.rows),
      queriesPerSecond === undefined ? undefined : rateText(queriesPerSecond),
    ],
    ["median to the nearest", shortNumber(medianOf(nearest)), "distance"],
    ["median to the last", shortNumber(medianOf(last)), `distance of neighbour ${k}`],
    ["never found", count(never), `of ${plural(train.rows, "row")}`],
  ]);
  const pictures = [
    [nearest, "nearest neighbour"],
    [last, `neighbour ${k}`],
  ] as const;
  const charts = pictures
    .slice(0, k > 1 ? 2 : 1)
    .flatMap(([distances, which]) =>
      distances.length === 0
        ? []
        : figure(
            `Distances of the ${which}`,
            "The number of rows by distance.",
            histogram(`Distances of the ${which}`, distances, "distance"),
          ),
    );
  const hubs = tableMarkup(
    "Rows found most often",
    `On average a row is found ${shortNumber((queries.rows * k) / train.rows)} times; rows that are found far more often are hubs.`,
    [["row", true], ["times"]],
    markup`<tbody>${often.map(({ times, row }) => markup`<tr><th scope="row">${near.nameOf(row)}</th><td>${count(times)}</td></tr>\n`)}</tbody>`,
  );
  const given = { rows: seen, train: near, neighbors: result };
  const most = besideMost(given);
  const which = queries.rows > most ? `The first ${most} rows` : "All rows";
  const map =
    queries instanceof Table ? mapMarkup(queries, [{ name: "rows searched for", rows: all }]) : undefined;
  return pageText({
    title: `Neighbours of ${summary.queries?.file ?? ""}`,
    about: `${plural(queries.rows, "row")} among ${plural(train.rows, "row")} of ${summary.train.file}, ${plural(features.length, "feature")}; k = ${k}, ${metric}`,
    sections: [
      {
        id: "distances",
        title: "Distances",
        body: markup`${facts}<div class="pair">${charts}</div>
${map}${hubs}`,
      },
      {
        id: "rows",
        title: "Rows",
        body: markup`${paragraph(`${which} that were searched for.`)}${besideMarkup(given, all)}`,
      },
      ...lastSections(summary),
    ],
  });
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
