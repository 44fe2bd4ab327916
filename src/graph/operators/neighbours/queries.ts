/**
 * Reads the rows that searches are given, of tables or of matrices, and says what is wrong with queries
 * beside them.
 */
import { checkAlike, checkColumn, featuresOf } from "../../facts.ts";
import type { MatrixFacts, Report, TableFacts } from "../../facts.ts";
import type { MatrixValue, TableValue } from "../../values.ts";
import { plural } from "../../../core/plural.ts";

type QueryFacts = TableFacts | MatrixFacts;

export function rowsOf(value: TableValue | MatrixValue) {
  return "table" in value ? value.table : value.matrix;
}

/** Returns the facts of a matrix as those of a table: rows and preparation; it has no names or kinds. */
export function tableFacts(facts: QueryFacts): TableFacts {
  if ("roles" in facts) return facts;
  const { rows, prepared } = facts;
  return { columns: undefined, rows, roles: new Map(), prepared, predicted: undefined };
}

/** Reports queries that cannot be compared with train; undefined where train is searched by itself. */
export function checkQueries(
  train: QueryFacts,
  queries: QueryFacts | undefined,
  { excludeSelf }: { readonly excludeSelf: boolean },
  report: Report,
): void {
  if (queries === undefined) return;
  const place = { input: "queries" };
  if ("roles" in train !== "roles" in queries)
    report("are rows of a table and of a matrix; send the table through Table to Matrix", place);
  if (!excludeSelf)
    report("is about rows that are searched among themselves, but queries are wired; leave one of them out", {
      parameter: "excludeSelf",
    });
  const [all, asked] = [tableFacts(train), tableFacts(queries)];
  if ("roles" in queries)
    for (const { name } of featuresOf(all) ?? []) checkColumn(name, queries, report, place);
  checkWidth(train, queries, report);
  checkAlike(asked, all.prepared, "the rows to search among", report, "queries");
}

function checkWidth(train: QueryFacts, queries: QueryFacts, report: Report): void {
  if ("roles" in train || "roles" in queries) return;
  if (train.cols === undefined || queries.cols === undefined || train.cols === queries.cols) return;
  report(
    `have ${plural(queries.cols, "column")}, but the rows to search among ${train.cols}; expected as many`,
    {
      input: "queries",
    },
  );
}
