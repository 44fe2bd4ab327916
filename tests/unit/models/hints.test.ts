/** The hints on a table: each where it is right, and none on data that only look like it. */
import { describe, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  Normalize,
  ReplaceMissingValues,
  Table,
  crossValidate,
  dataHints,
} from "../../../dist/node.js";
import type { ColumnInput, DataHintOptions } from "../../../dist/node.js";

const rows = 60;
const even = (width: number) => Array.from({ length: rows }, (_, row) => (width * ((row * 7) % rows)) / rows);
const withGaps = (values: readonly (number | string)[], every: number) =>
  values.map((value, row) => (row % every === 0 ? null : value));
const classes = even(1).map((_, row) => (row % 3 === 0 ? "a" : "b"));

function found(columns: Record<string, ColumnInput>, options: DataHintOptions = {}, features?: string[]) {
  const table = Table.fromColumns(columns);
  return dataHints(table, features ?? table.names, options).map(({ what }) => what);
}

describe("scale", () => {
  const grams = { mass: even(3000), bill: even(8), depth: even(7) };

  it("is a matter of numbers that vary by orders more than others", () => {
    const [hint] = dataHints(Table.fromColumns(grams), ["mass", "bill", "depth"]);
    expect(hint).toEqual({
      what: "scale",
      columns: ["mass", "depth"],
      value: '"mass" varies by 2,800 and "depth" by 6.4, so the latter and 1 more hardly count',
      option: "--normalize z",
      remedy: "a Pipeline that begins with new Normalize()",
    });
  });

  it.each<[string, Record<string, ColumnInput>, DataHintOptions]>([
    ["like scales", { a: even(29), b: even(1) }, {}],
    ["far but alike", { a: even(3).map((x) => 1e9 + x), b: even(3) }, {}],
    ["one column", { a: even(1e9) }, {}],
    ["a constant", { a: even(1e9), b: even(0) }, {}],
    ["words", { a: even(1e9), b: classes }, {}],
    ["a pixel at the edge", { a: even(255), b: even(1).map((_, row) => (row === 5 ? 1 : 0)) }, {}],
    ["one outlier", { a: even(2).map((x, row) => (row === 9 ? 1e9 : x)), b: even(2) }, {}],
    ["normalised", grams, { preparation: [new Normalize()] }],
    ["weighted", grams, { columnWeights: [1, 1e6, 1e6] }],
    ["a metric without scale", grams, { metric: "rapidminer:MahalanobisDistance" }],
    ["canberra", grams, { metric: "canberra" }],
  ])("is none of %s", (_, columns, options) => {
    expect(found(columns, options)).toEqual([]);
  });

  it("is said of a metric that adds, and of dates in milliseconds", () => {
    expect(found(grams, { metric: "manhattan" })).toEqual(["scale"]);
    const table = Table.fromColumns({ day: even(60 * 86400000).map(Math.round), x: even(1) }).withTypes({
      day: "date",
    });
    expect(dataHints(table, ["day", "x"])[0].value).toContain("4,800,000,000 milliseconds");
  });
});

describe("gaps", () => {
  const holes = { a: withGaps(even(5), 10), b: even(4) };

  it("make rows look nearer, where a metric adds", () => {
    const [hint] = dataHints(Table.fromColumns(holes), ["a", "b"]);
    expect(hint.value).toBe(
      '6 of 60 rows lack "a"; a gap adds nothing to a distance, so such rows look nearer',
    );
    expect(hint.option).toBe("--impute average or --metric nan_euclidean");
    const mixed = Table.fromColumns({ ...holes, kind: withGaps(classes, 20) });
    const [other] = dataHints(mixed, mixed.names);
    expect(other.value).toMatch(/^6 of 60 rows lack some of 2 columns;/);
    expect(other.option).toBe("--impute average");
  });

  it("are no hint where they are filled, rescaled or refused", () => {
    expect(found(holes, { preparation: [new ReplaceMissingValues()] })).toEqual([]);
    expect(found(holes, { metric: "nan_euclidean" })).toEqual([]);
    expect(found(holes, { missing: "rescale" })).toEqual([]);
    expect(found(holes, { preparation: [new Normalize()] })).toEqual(["gaps"]);
    expect(found(holes, {}, ["b"])).toEqual([]);
  });

  it("of all features leave nothing to compare", () => {
    const columns = { a: withGaps(even(5), 30), b: withGaps(even(4), 30) };
    const table = Table.fromColumns(columns);
    const [hint, ...others] = dataHints(table, ["a", "b"]);
    expect(others).toEqual([]);
    expect(hint.value).toBe(
      "2 rows have none of the features, so no other row is nearer to them than any other",
    );
    expect(found(columns, { metric: "cosine" })).toEqual(["nothing to compare"]);
  });
});

describe("all different", () => {
  const title = even(1).map((_, row) => `film "${row}", the`);

  it.each<[string, Record<string, ColumnInput>, string]>([
    ["titles", { [`the "title"`]: title, x: even(2) }, `--ignore '"the ""title"""'`],
    ["an id", { user_id: even(1).map((_, row) => 900 - row), x: even(2) }, "--ignore user_id"],
    [
      "nearly all",
      { "its name": title.map((text, row) => (row < 2 ? "one" : text)), x: even(2) },
      "--ignore 'its name'",
    ],
  ])("is said of %s", (_, columns, option) => {
    const table = Table.fromColumns(columns);
    const hints = dataHints(table, table.names).filter(({ what }) => what === "all different");
    expect(hints.map((hint) => hint.option)).toEqual([option]);
  });

  it.each<[string, Record<string, ColumnInput>]>([
    ["numbers that measure", { width: even(5).map((x) => x + 0.5), x: even(2) }],
    ["whole numbers that measure", { year: even(60).map(Math.round), x: even(50) }],
    ["an id with fractions", { id: even(5).map((x) => x + 0.25), x: even(2) }],
    ["the only column", { title }],
    ["words that return", { kind: classes, x: even(2) }],
    ["few rows", { title: title.slice(0, 19), x: even(2).slice(0, 19) }],
  ])("is not said of %s", (_, columns) => {
    expect(found(columns)).toEqual([]);
  });
});

describe("numeric classes", () => {
  const many = (count: number, step: number) =>
    Array.from({ length: 3 * count }, (_, row) => (row % count) * step);

  it.each<[number, number, string[]]>([
    [101, 1, ["numeric classes"]],
    [100, 1, []],
    [21, 0.5, ["numeric classes"]],
    [20, 0.5, []],
  ])("%i classes in steps of %d", (count, step, expected) => {
    const y = many(count, step);
    expect(found({ x: y.map((value) => value % 7), y }, { classes: "y" }, ["x"])).toEqual(expected);
    expect(found({ x: y, y: y.map(String) }, { classes: "y" }, ["x"])).toEqual([]);
  });
});

it("come with the result of a cross-validation", async () => {
  const table = Table.fromColumns({ mass: even(3000), bill: even(8), kind: classes });
  const model = new KNeighborsClassifier({ nNeighbors: 1, backend: "cpu" });
  const { hints } = await crossValidate(model, table, "kind", { folds: 2 });
  expect(hints.map(({ what }) => what)).toEqual(["scale"]);
  model.dispose();
});

describe("dates among words", () => {
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  const texts = (text: (year: number, month: number, day: number) => string) =>
    Array.from({ length: rows }, (_, row) => text(1999 + (row % 20), (row % 12) + 1, ((row * 5) % 28) + 1));
  const two = (value: number) => String(value).padStart(2, "0");
  const hintsOf = (when: readonly string[]) =>
    dataHints(Table.fromColumns({ when, x: even(1) }), ["when", "x"]).filter(({ what }) => what === "dates");

  it.each<[string, (year: number, month: number, day: number) => string]>([
    ["Oct 11 2002", (y, m, d) => `${months[m - 1]} ${d} ${y}`],
    ["October 11th, 2002", (y, m, d) => `${months[m - 1].replace("Oct", "October")} ${d}th, ${y}`],
    ["11 Oct 2002", (y, m, d) => `${d} ${months[m - 1].toUpperCase()} ${y}`],
    ["11-Oct-02", (y, m, d) => `${d}-${months[m - 1]}-${two(y % 100)}`],
    ["10/11/2002", (y, m, d) => `${two(m)}/${two(d)}/${y}`],
    ["31/10/2002", (y, m, d) => `${d}/${m}/${y}`],
    ["31.10.2002", (y, m, d) => `${two(d)}.${two(m)}.${y}`],
    ["10/31/02 3:05 PM", (y, m, d) => `${m}/${d}/${two(y % 100)} 3:05 PM`],
    ["2002-1-5", (y, m, d) => `${y}-${m}-${d}`],
    ["2002.10.11", (y, m, d) => `${y}.${two(m)}.${two(d)}`],
    ["Fri, 11 Oct 2002 10:00:00 GMT", (y, m, d) => `Fri, ${two(d)} ${months[m - 1]} ${y} 10:00:00 GMT`],
  ])("such as %s are named, with the form that is read", (_, text) => {
    const when = texts(text);
    const [hint, ...others] = hintsOf(when);
    expect(others).toEqual([]);
    expect(hint.value).toMatch(
      /^"when" has dates such as ".*", which are compared as words; those written as 2024-01-31 are compared by time$/,
    );
    expect(when).toContain(/such as "(.*?)",/.exec(hint.value)?.[1]);
    expect(hint.option).toBe("--ignore when");
    expect(found({ when, x: even(1) })).not.toContain("all different");
  });

  it("that would be read, but for a word among them, are told apart from it", () => {
    const when = texts((y, m, d) => `${y}-${two(m)}-${two(d)}`).map((text, row) =>
      row === 30 ? "0000-00-00" : text,
    );
    expect(hintsOf(when).map(({ value }) => value)).toEqual([
      '"when" is compared as words, since "0000-00-00" stands among its dates; as a missing cell it would not matter',
    ]);
  });

  it.each<[string, readonly string[]]>([
    ["versions", texts((y, m, d) => `${y % 10}.${m}.${d}`)],
    ["addresses", texts((y, m, d) => `10.${m}.${d}.${y % 250}`)],
    ["seasons", texts((y) => `${y}-${two((y + 1) % 100)}`)],
    ["fractions", texts((_, m, d) => `${m}/${d}`)],
    ["names that begin as months do", texts((y, _, d) => `Marta ${d} ${y}`)],
    ["days that no calendar has", texts((y, m, d) => `${m + 40}/${d + 13}/${y}`)],
    ["a month and a number beyond its days", texts((y, m, d) => `${m}/${d + 31}/${y}`)],
    ["a named month and a number beyond its days", texts((y, m, d) => `${months[m - 1]} ${d + 31} ${y}`)],
    ["a year and a number beyond its months", texts((y, m, d) => `${y}-${m + 12}-${d}`)],
    ["months without a year", texts((_, m, d) => `${months[m - 1]} ${d}`)],
    ["telephone numbers", texts((y, m, d) => `${y}-${m}-${d}0`)],
    ["a few dates among words", texts((y, m, d) => (d % 2 === 0 ? `${d}/${m}/${y}` : `word ${y} ${d}`))],
    ["dates that are kept as words on purpose", texts((y, m, d) => `${y}-${two(m)}-${two(d)}`)],
  ])("are not seen in %s", (_, when) => {
    expect(hintsOf(when)).toEqual([]);
  });
});
