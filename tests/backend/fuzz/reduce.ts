/**
 * This module makes a case that fails as small as it goes on failing: fewer rows, queries, columns and
 * options. Numbers stay as they are.
 */
import type { FuzzCase } from "./cases.ts";

/** The most smaller cases that are tried: enough for a few dozen rows, as each takes a search. */
const MOST_TRIES = 300;

/**
 * Returns a case that is as small as one found that still fails.
 * @param fails says whether a smaller case still does
 */
export async function reduced(
  each: FuzzCase,
  fails: (smaller: FuzzCase) => Promise<boolean>,
): Promise<FuzzCase> {
  let tries = 0;
  for (let found: FuzzCase | undefined = each; found !== undefined;) {
    each = found;
    found = undefined;
    for (const smaller of smallerThan(each)) {
      if (tries++ >= MOST_TRIES) return each;
      if (!(await fails(smaller))) continue;
      found = smaller;
      break;
    }
  }
  return each;
}

function* smallerThan(each: FuzzCase): Generator<FuzzCase> {
  const { train, queries, kinds, excludeSelf } = each;
  for (const kept of partsOf(train.length)) yield withTrain(each, kept);
  for (const kept of excludeSelf === true ? [] : partsOf(queries.length))
    yield { ...each, queries: kept.map((row) => queries[row]) };
  for (const kept of partsOf(kinds.length)) yield withColumns(each, kept);
  if (each.k > 1) yield { ...each, k: Math.ceil(each.k / 2) };
  for (const name of ["tiles", "measure"] as const) {
    for (const [key, value] of Object.entries(each[name])) {
      if (value !== undefined && key !== "metric" && key !== "missing")
        yield { ...each, [name]: { ...each[name], [key]: undefined } };
    }
  }
  if (each.saved === true) yield { ...each, saved: false };
  if (each.source !== "matrix") yield { ...each, source: "matrix" };
  if (each.form !== 0) yield { ...each, form: 0 };
}

/** Gives the halves of so many, then all but an eighth of them. */
function* partsOf(count: number): Generator<number[]> {
  const all = Array.from({ length: count }, (_, i) => i);
  if (count < 2) return;
  const half = Math.ceil(count / 2);
  yield all.slice(0, half);
  yield all.slice(half);
  const step = Math.ceil(count / 8);
  for (let begin = 0; begin < count; begin += step) yield all.filter((i) => i < begin || i >= begin + step);
}

function withTrain(each: FuzzCase, kept: readonly number[]): FuzzCase {
  const { excludeSelf, labels } = each;
  const train = kept.map((row) => each.train[row]);
  return {
    ...each,
    train,
    queries: excludeSelf === true ? train : each.queries,
    ...(labels ? { labels: kept.map((row) => labels[row]) } : {}),
    k: Math.min(each.k, Math.max(1, kept.length - Number(excludeSelf === true))),
  };
}

function withColumns(each: FuzzCase, kept: readonly number[]): FuzzCase {
  const { columnWeights } = each.measure;
  const of = (rows: FuzzCase["train"]) => rows.map((row) => kept.map((j) => row[j]));
  const train = of(each.train);
  return {
    ...each,
    kinds: kept.map((j) => each.kinds[j]),
    train,
    queries: each.excludeSelf === true ? train : of(each.queries),
    measure: columnWeights
      ? { ...each.measure, columnWeights: kept.map((j) => columnWeights[j]) }
      : each.measure,
  };
}
