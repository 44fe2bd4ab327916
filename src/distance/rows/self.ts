/** This check is for calls that leave out the distance of a row to itself. */
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import { plural } from "../../core/plural.ts";

/** @throws InvalidInputError for queries that cannot be the rows of train in their order */
export function checkSelf(train: Matrix, queries: Matrix): void {
  if (train.rows === queries.rows) return;
  throw new InvalidInputError(
    `excludeSelf needs the training rows as queries, but there are ${plural(queries.rows, "query", "queries")} and ${plural(train.rows, "row")}`,
  );
}
