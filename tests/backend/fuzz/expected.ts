/** This module says what a fuzzed case must answer, by the oracle alone; or that it must be refused. */
import type { Cell } from "../../oracle/measures.ts";
import { comparedWith, ordered } from "../../oracle/neighbors.ts";
import type { Compared } from "../../oracle/neighbors.ts";
import { average, heapOrder, votes } from "../../oracle/rapidminer.ts";
import { meanOf, sortedClasses, voteOf } from "../../oracle/vote.ts";
import { isTable } from "./cases.ts";
import type { FuzzCase } from "./cases.ts";
import { isNeverNegative } from "./measures.ts";

/** Lists by name, such as indices and distances. */
export type Lists = Readonly<Record<string, ArrayLike<number | string | null>>>;

/** Every list of the answer; or a reason why the call must be refused. */
export type Expected = { readonly answer: Lists } | { readonly refused: string };

const NONE = 0xffffffff;

export function expectedOf(each: FuzzCase): Expected {
  const refused = refusalOf(each);
  if (refused !== undefined) return { refused };
  const { kinds, train, measure, compat } = each;
  const missing = measure.missing ?? (measure.metric === "nan_euclidean" ? "rescale" : "skip");
  const measuring = { kinds, train, options: { ...measure, missing } };
  const all = queriesSeen(each).map((query) => comparedWith(query, measuring));
  if (compat) return { answer: heaps(each, all) };
  const lists = all.map((compared, query) =>
    ordered(compared).filter(({ index }) => each.excludeSelf !== true || index !== query),
  );
  return { answer: { ...neighbors(each, lists), ...predictions(each, lists) } };
}

function refusalOf({
  train,
  queries,
  k,
  excludeSelf,
  compat,
  weights,
  ...each
}: FuzzCase): string | undefined {
  if (train.length === 0) return "no rows of train";
  if (queries.length === 0 && each.call !== "kneighborsStream") return "no queries";
  if (
    each.call !== "radiusNeighbors" &&
    compat === undefined &&
    k > train.length - Number(excludeSelf === true)
  )
    return "k is larger than the number of rows";
  if (weights === "distance" && compat === undefined && !isNeverNegative(each.measure.metric))
    return "weights by distances that may be negative";
  const { missing, metric } = each.measure;
  const allowed = each.gaps || isTable(each) || missing !== undefined || metric === "nan_euclidean";
  const isMissing = (rows: readonly (readonly Cell[])[]) => rows.some((row) => row.includes(null));
  return !allowed && (isMissing(train) || isMissing(queries)) ? "missing cells" : undefined;
}

/**
 * Returns the queries as the search sees them: RapidMiner takes a value that train lacks for a missing one,
 * where strings tell it.
 */
function queriesSeen({ queries, train, kinds, compat, ...each }: FuzzCase): Cell[][] {
  if (compat === undefined || !isTable(each)) return queries;
  const known = kinds.map((_, j) => new Set(train.map((row) => row[j])));
  return queries.map((row) =>
    row.map((cell, j) => (kinds[j] === "numeric" || known[j].has(cell) ? cell : null)),
  );
}

function neighbors({ call, k, radius }: FuzzCase, lists: readonly Compared[][]): Lists {
  const within = (list: readonly Compared[]) =>
    radius === undefined ? list : list.filter(({ distance }) => distance <= radius);
  if (call === "radiusNeighbors") {
    const found = lists.map(within);
    return {
      offsets: found.reduce((offsets, { length }) => [...offsets, offsets.at(-1)! + length], [0]),
      indices: found.flat().map(({ index }) => index),
      distances: found.flat().map(({ distance }) => distance),
    };
  }
  const found = lists.map((list) => within(list.slice(0, k)));
  const places = found.flatMap((list) =>
    Array.from({ length: k }, (_, i) => list[i] ?? { index: NONE, distance: Infinity }),
  );
  return {
    indices: places.map(({ index }) => index),
    distances: places.map(({ distance }) => distance),
    ...(radius === undefined ? {} : { counts: found.map(({ length }) => length) }),
  };
}

function predictions(
  { call, labels = [], weights = "uniform", k }: FuzzCase,
  lists: readonly Compared[][],
): Lists {
  const near = lists.map((list) =>
    list.slice(0, k).map(({ index, distance }) => ({ label: labels[index], distance })),
  );
  if (call === "KNeighborsRegressor") return { predictions: near.map((own) => meanOf(own, weights)) };
  if (call !== "KNeighborsClassifier") return {};
  const classes = sortedClasses(labels);
  const found = near.map((own) => voteOf(own, classes, weights));
  return {
    classes,
    labels: found.map(({ winner }) => winner),
    probabilities: found.flatMap(({ probabilities }) => probabilities),
  };
}

/**
 * Returns what a case with `compat` must answer: neighbours in the order of RapidMiner's heap, and its own
 * votes.
 */
function heaps({ call, k, labels = [], weights }: FuzzCase, all: readonly Compared[][]): Lists {
  const found = all.map((compared) =>
    heapOrder(
      compared.map(({ distance }) => distance),
      k,
    ).map((row) => compared[row]),
  );
  const lists = {
    indices: found.flat().map(({ index }) => index),
    distances: found.flat().map(({ distance }) => distance),
  };
  const weighted = weights === "distance";
  if (call === "KNeighborsRegressor") {
    const labelled = found.map((list) =>
      list.map(({ index, distance }) => ({ distance, label: Number(labels[index]) })),
    );
    return { ...lists, predictions: labelled.map((list) => average(list, k, weighted)) };
  }
  if (call !== "KNeighborsClassifier") return lists;
  const classes = [...new Set(labels)];
  const voted = found.map((list) => {
    const coded = list.map(({ index, distance }) => ({ distance, code: classes.indexOf(labels[index]) }));
    return votes(coded, classes.length, k, weighted);
  });
  return {
    ...lists,
    classes,
    labels: voted.map(({ winner }) => (winner === undefined ? null : classes[winner])),
    probabilities: voted.flatMap(({ confidences }) => confidences),
  };
}
