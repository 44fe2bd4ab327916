/** A table as rows: there and back, chosen, extended, and shown. */
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { KNeighborsClassifier, Table, splitTable } from "../../../dist/node.js";

const rows = [
  { x: 1, kind: "a" },
  { x: null, kind: "b" },
  { x: 3, kind: null },
];
const table = Table.fromRows(rows);

it("gives the rows it was made of", () => {
  expect(table.toRows()).toEqual(rows);
  expect([...table]).toEqual(rows);
  expect(JSON.parse(JSON.stringify(table))).toEqual(rows);
  expect(table.values("x")).toEqual([1, null, 3]);
  expect(table.values("kind")).toEqual(["a", "b", null]);
  expect(() => table.values("y")).toThrow(/there is no column "y"/);
});

it("head, filter and withColumn make new tables", () => {
  expect(table.head(2).toRows()).toEqual(rows.slice(0, 2));
  expect(table.head().rows).toBe(3);
  expect(table.filter(({ x }, row) => x !== null && row > 0).toRows()).toEqual([rows[2]]);
  expect(table.filter(() => false).rows).toBe(0);
  const twice = table.withColumn("twice", ({ x }) => (x === null ? null : 2 * Number(x)));
  expect(twice.values("twice")).toEqual([2, null, 6]);
  expect(twice.withColumn("x", ["p", "q", "r"]).names).toEqual(["x", "kind", "twice"]);
  expect(table.names).toEqual(["x", "kind"]);
  expect(() => table.withColumn("y", [1])).toThrow(/column "y" has 1 cell, but "x" has 3/);
});

it("shows itself as rows", () => {
  expect(inspect(table)).toBe("x  kind\n1     a\n      b\n3      \n3 rows");
  expect(inspect(table.column("kind"))).toContain("dictionary: [ 'a', 'b' ]");
  const many = Table.fromColumns({ x: Array.from({ length: 12 }, (_, row) => row) });
  expect(String(many).split("\n")).toHaveLength(12);
  expect(String(many)).toMatch(/\n9\n12 rows$/);
});

it("types: a part for each ratio, and labels of one kind", async () => {
  const [train, test]: [Table, Table] = splitTable(table, { ratios: [0.7, 0.3] });
  expect([train.rows, test.rows]).toEqual([2, 1]);
  const model = await new KNeighborsClassifier<string>({ nNeighbors: 1, backend: "cpu" }).fit(
    [[0], [9]],
    ["a", "b"],
  );
  const [label]: (string | null)[] = await model.predict([[8]]);
  expect(label?.toUpperCase()).toBe("B");
  model.dispose();
});

it("labels of another kind are named as they are", async () => {
  const fit = new KNeighborsClassifier().fit([[0], [1]], [true, false] as never);
  await expect(fit).rejects.toThrow("label of row 0 is true (boolean); labels are strings or numbers");
});
