/**
 * Names that are none, those of `Object.prototype` among them, wherever a call takes a name: each is refused.
 * As names of columns, classes and keys they are like any other.
 */
import { expect, it } from "vitest";
import * as nearfield from "../../dist/node.js";

const { InvalidInputError, KNeighborsClassifier, Normalize, ReplaceMissingValues, Table } = nearfield;

const odd = ["constructor", "__proto__", "toString", "valueOf", "__defineGetter__", "nonsense"];
const rows = [[0], [1], [2]];
const table = Table.fromColumns({ x: [1, 2, 3, 4], y: ["a", "b", "a", "b"] });
const matrix = { data: Float64Array.of(1), rows: 1, cols: 1 };
const floats = Float32Array.of(1, 2);
const source = nearfield.textSource("x\n1\n", "a.csv");
const settings = { nNeighbors: 1, backend: "cpu" } as const;

/** A member of that name, `__proto__` too. */
const member = <T>(name: string, value: T): Record<string, T> => Object.fromEntries([[name, value]]);

async function readThrough(pieces: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
  for await (const piece of pieces) void piece;
}

const search = (options: object) => nearfield.kneighbors(rows, rows, { k: 1, backend: "cpu", ...options });
const kernel = "rapidminer:KernelEuclideanDistance";

const calls: Readonly<Record<string, (name: never) => unknown>> = {
  metric: (metric) => search({ metric }),
  "RapidMiner's measure": (name) => search({ metric: `rapidminer:${String(name)}` }),
  kernel: (type) => search({ metric: kernel, kernel: { type } }),
  "kernel's parameter": (name) => search({ metric: kernel, kernel: { type: "radial", ...member(name, 1) } }),
  "policy for gaps": (missing) => search({ missing }),
  precision: (precision) => search({ precision }),
  backend: (backend) => search({ backend }),
  option: (name) => search(member(name, 1)),
  scan: (op) => nearfield.scan(floats, { op, backend: "cpu" }),
  reduce: (op) => nearfield.reduce(floats, { op, backend: "cpu" }),
  normalisation: (method) => new Normalize({ method }),
  "compat of a normalisation": (compat) => new Normalize({ compat }),
  replacement: (by) => new ReplaceMissingValues({ by }),
  weights: (weights) => new KNeighborsClassifier({ weights }),
  compat: (compat) => new KNeighborsClassifier({ compat }),
  "compat of errors": (compat) => nearfield.regressionPerformance([1, 2], [1, 3], { compat }),
  format: (format) => nearfield.readTable(source, { format }),
  "format of a matrix": (format) => nearfield.openMatrix(source, { format }),
  extension: (name) => nearfield.readTable(nearfield.textSource("x\n1\n", `a.${String(name)}`)),
  "format to write": (format) => readThrough(nearfield.writeTable(format, table.select(["x"]))),
  "format to write a matrix": (format) => readThrough(nearfield.writeMatrix(format, matrix)),
  encoding: (encoding) => nearfield.readCsv(source, { encoding }),
  decimal: (decimal) => nearfield.readCsv(source, { decimal }),
  "decimal to write": (decimal) => readThrough(nearfield.writeCsv(["x"], [[1.5]], { decimal })),
  newline: (newline) => readThrough(nearfield.writeCsv(["x"], [[1]], { newline })),
  "column to read as text": (name) => nearfield.readCsv(source, { nominal: [name] }),
  "column to read": (name) => nearfield.readTable(source, { columns: [name] }),
  column: (name) => table.column(name),
  "column to select": (name) => table.select([name]),
  type: (x) => table.withTypes({ x }),
  "column of a type": (name) => table.withTypes(member(name, "real") as never),
  sampling: (sampling) => nearfield.splitTable(table, { ratios: [0.5, 0.5], sampling, label: "y" }),
  "label of folds": (name) =>
    nearfield.crossValidate(new KNeighborsClassifier(settings), table, name, { folds: 2 }),
  feature: (name) => new KNeighborsClassifier({ ...settings, features: [name] }).fit(table, "y"),
  "metric of a table": (metric) => nearfield.encode(table, ["x"], { metric }),
  "policy for gaps of a table": (missing) => nearfield.encode(table, ["x"], { missing }),
  "fate of new values": (unseen) => nearfield.encode(table, ["x"], { unseen }),
};

it.each(Object.entries(calls))("a %s that there is not is refused", async (_, call) => {
  for (const name of odd) {
    const refused = (async () => call(name as never))();
    await expect(refused, name).rejects.toBeInstanceOf(InvalidInputError);
  }
});

it.each(odd)("%s is a name of a column, a key, a class and a role", async (name) => {
  const line = (value: number, text: string) => `${JSON.stringify({ ...member(name, value), text })}\n`;
  const read = await nearfield.readTable(nearfield.textSource(line(1, "b") + line(2, name), "a.jsonl"));
  expect(read.names).toEqual([name, "text"]);
  for (const format of ["csv", "jsonl", "json", "parquet"] as const) {
    const pieces = [];
    for await (const piece of nearfield.writeTable(format, read)) pieces.push(piece);
    const again = await nearfield.readTable(nearfield.blobSource(new Blob(pieces), `a.${format}`));
    expect(nearfield.encode(again, [name]).data).toEqual(Float64Array.of(1, 2));
    expect(again.column("text")).toMatchObject({ dictionary: { values: ["b", name] } });
  }
  const model = await new KNeighborsClassifier({ ...settings, roles: member(name, "text") }).fit(
    Table.fromColumns({ x: [1, 2], text: ["u", "v"], kind: ["other", name] }),
    "kind",
  );
  const queries = Table.fromColumns({ x: [2], text: ["u"] });
  expect(await model.predict(queries)).toEqual([name]);
  const { pipeline } = await nearfield.loadModel(nearfield.saveModel(model), { backend: "cpu" });
  expect(await pipeline.predict(queries)).toEqual([name]);
  for (const each of [model, pipeline]) each.dispose();
});
