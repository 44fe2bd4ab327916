/**
 * Row Sums, Prefix Sums, Top Scores, Distinct Values and Distance Histogram in processes, on every backend:
 * what loops over the numbers give, for each type that files have, with one fingerprint everywhere.
 */
import { describe, expect, it } from "vitest";
import { checkProcess } from "../../dist/graph/index.js";
import type { ProcessNode } from "../../dist/graph/index.js";
import { bytesSource, textSource, writeNpy } from "../../dist/node.js";
import type { Device, Matrix } from "../../dist/node.js";
import { onEachBackend, openDevice } from "./helpers.ts";
import { bytesOf, node, outcomeOf, short } from "./processes.ts";

const COLS = 7;
const small = Array.from({ length: 9 * COLS }, (_, at) => ((at * 37) % 23) - 11);
const fractions = small.map((each, at) => each / 4 + (at % 5) / 8);
const odd = [
  ...fractions.slice(0, 2 * COLS),
  ...[NaN, 0, -0, 0, NaN, -0, -0],
  ...Array<number>(COLS).fill(NaN),
  ...fractions.slice(4 * COLS, 50),
  ...[NaN, -0, 0, Infinity, -Infinity],
  ...fractions.slice(55),
];

/** Numbers of each type that a file may hold; the last are neither whole nor float32. */
const types = {
  uint8: Uint8Array.from(small, (each) => each + 11),
  int32: Int32Array.from(small, (each) => each * 1e8),
  float32: Float32Array.from(odd),
  float64: Float64Array.from(odd, (each) => each / 3),
} satisfies Readonly<Record<string, Matrix["data"]>>;

const open = async (path: string) => {
  if (path.endsWith(".csv")) return textSource("x,y,town\n0,0,a\n3,4,a\n,1,b\n6,8,b\n", path);
  const all = types[path.split(".")[0] as keyof typeof types];
  const column = all.filter((_, at) => at % COLS === 0);
  const matrix = path.includes("column")
    ? { data: column, rows: 9, cols: 1 }
    : { data: all, rows: 9, cols: COLS };
  return bytesSource(await bytesOf(writeNpy(matrix)), path);
};

/** Numbers in order, -0 before 0; NaN neither way. */
const below = (a: number, b: number) => a < b || (a === b && Object.is(a, -0) && !Object.is(b, -0));

/** The place of the least or largest of a row that is no NaN, the first of equal ones. */
function extreme(row: readonly number[], largest: boolean): number {
  return row.reduce((best, each, at) => {
    if (Number.isNaN(each)) return best;
    if (Number.isNaN(row[best])) return at;
    return (largest ? below(row[best], each) : below(each, row[best])) ? at : best;
  }, 0);
}

const rowsOf = (data: Matrix["data"]) =>
  Array.from({ length: 9 }, (_, row) => [...data.subarray(row * COLS, (row + 1) * COLS)]);
const sumOf = (row: readonly number[]) => row.reduce((sum, each) => sum + each, 0);

onEachBackend((device, backend) => {
  describe.each(Object.keys(types) as (keyof typeof types)[])("of %s", (type) => {
    const read = node("readMatrix", {}, { file: `${type}.npy` });
    const rows = rowsOf(types[type]);

    it("Row Sums gives sums in float64, extremes with their type, and their places", async () => {
      const ops = ["sum", "min", "max", "argmin", "argmax"];
      const nodes = ops.map((op) => [op, node("reduce", { matrix: "read.matrix" }, { op })] as const);
      const { outputOf } = await outcomeOf(device(), { read, ...Object.fromEntries(nodes) }, open);
      const of = (op: string) => outputOf(`${op}.matrix`, "Matrix").value.matrix;
      expect(of("sum").data).toEqual(Float64Array.from(rows, sumOf));
      for (const op of ["min", "max"]) {
        const places = rows.map((row) => extreme(row, op === "max"));
        expect([...of(op).data]).toEqual(rows.map((row, at) => row[places[at]]));
        expect(of(op).data.constructor).toBe(types[type].constructor);
        expect(of(`arg${op}`).data).toEqual(Uint32Array.from(places));
      }
      expect(ops.map((op) => of(op).cols)).toEqual([1, 1, 1, 1, 1]);
      expect(short(outputOf("sum.matrix", "Matrix"))).toBe(FINGERPRINTS.sum[type]);
    });

    it("Prefix Sums combines each number with those before it, in rows and in a column", async () => {
      const scan = (of: string, parameters: object) => node("scan", { matrix: of }, parameters);
      const nodes = {
        read,
        column: node("readMatrix", {}, { file: `${type}.column.npy` }),
        sums: scan("read.matrix", {}),
        before: scan("read.matrix", { exclusive: true }),
        least: scan("read.matrix", { op: "min" }),
        down: scan("column.matrix", {}),
        most: scan("column.matrix", { op: "max" }),
      };
      const { outputOf } = await outcomeOf(device(), nodes, open);
      const of = (id: string) => [...outputOf(`${id}.matrix`, "Matrix").value.matrix.data];
      const prefixes = (row: readonly number[], combine: (part: readonly number[]) => number) =>
        row.map((_, at) => combine(row.slice(0, at + 1)));
      expect(of("sums")).toEqual(rows.flatMap((row) => prefixes(row, sumOf)));
      expect(of("before")).toEqual(rows.flatMap((row) => row.map((_, at) => sumOf(row.slice(0, at)))));
      const least = (part: readonly number[]) => part[extreme(part, false)];
      expect(of("least")).toEqual(rows.flatMap((row) => prefixes(row, least)));
      const column = rows.map((row) => row[0]);
      expect(of("down")).toEqual(prefixes(column, sumOf));
      expect(of("most")).toEqual(prefixes(column, (part) => part[extreme(part, true)]));
      expect(short(outputOf("sums.matrix", "Matrix"))).toBe(FINGERPRINTS.scan[type]);
    });

    it.each([true, false])("Top Scores takes the first of each row, largest: %s", async (largest) => {
      const nodes = { read, top: node("select", { matrix: "read.matrix" }, { k: 3, largest }) };
      const { outputOf } = await outcomeOf(device(), nodes, open);
      const [values, order] = ["matrix", "order"].map(
        (name) => outputOf(`top.${name}`, "Matrix").value.matrix,
      );
      const places = rows.map((row) =>
        row
          .map((_, at) => at)
          .sort((a, b) => {
            const [x, y] = [row[a], row[b]];
            const nans = Number(Number.isNaN(x)) - Number(Number.isNaN(y));
            const [one, two] = largest ? [y, x] : [x, y];
            return nans || (below(one, two) ? -1 : below(two, one) ? 1 : a - b);
          })
          .slice(0, 3),
      );
      expect([...order.data]).toEqual(places.flat());
      expect([...values.data]).toEqual(places.flatMap((each, row) => each.map((at) => rows[row][at])));
      expect(values.data.constructor).toBe(types[type].constructor);
    });

    it("Distinct Values counts each number of the matrix", async () => {
      const nodes = { read, distinct: node("unique", { matrix: "read.matrix" }) };
      const { outputOf } = await outcomeOf(device(), nodes, open);
      const [value, count] = ["matrix", "counts"].map(
        (name) => outputOf(`distinct.${name}`, "Matrix").value.matrix.data,
      );
      const all = rows.flat();
      const numbers = all.filter((each, at) => all.findIndex((one) => Object.is(one, each)) === at);
      numbers.sort((a, b) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : below(a, b) ? -1 : 1));
      expect([...value]).toEqual(numbers);
      expect(value.constructor).toBe(types[type].constructor);
      expect([...count]).toEqual(numbers.map((each) => all.filter((one) => Object.is(one, each)).length));
      expect(short(outputOf("distinct.matrix", "Matrix"))).toBe(FINGERPRINTS.unique[type]);
    });
  });

  it("Distance Histogram counts distances of matrices and of mixed tables as loops do", async () => {
    const numbers = node("readMatrix", {}, { file: "int32.npy" });
    const table = node("readTable", {}, { file: "a.csv" });
    const nodes = {
      numbers,
      table,
      own: node("distanceHistogram", { train: "numbers.matrix" }, { bins: 4, metric: "chebyshev" }),
      all: node(
        "distanceHistogram",
        { train: "numbers.matrix" },
        { bins: 4, together: true, excludeSelf: false },
      ),
      mixed: node(
        "distanceHistogram",
        { train: "table.table", queries: "table.table" },
        { edges: [0, 0.5, 5, 20] },
      ),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    const of = (id: string) => outputOf(`${id}.histogram`, "Histogram").value.histogram;
    const rows = rowsOf(types.int32);
    const counted = (distances: readonly number[], edges: readonly number[]) =>
      edges.slice(1).map((to, bin) => {
        const last = bin === edges.length - 2;
        return distances.filter((d) => d >= edges[bin] && (d < to || (last && d === to))).length;
      });
    const even = (min: number, max: number) =>
      [0, 1, 2, 3, 4].map((i) => (i === 4 ? max : min + (i * (max - min)) / 4));
    const chebyshev = rows.map((one, query) =>
      rows.flatMap((two, at) =>
        at === query ? [] : [Math.max(...one.map((each, col) => Math.abs(each - two[col])))],
      ),
    );
    const own = chebyshev.map((each) => even(Math.min(...each), Math.max(...each)));
    expect([...of("own").edges]).toEqual(own.flat());
    expect([...of("own").counts]).toEqual(chebyshev.flatMap((each, query) => counted(each, own[query])));
    const euclidean = rows.map((one) =>
      rows.map((two) => Math.sqrt(sumOf(one.map((each, col) => (each - two[col]) ** 2)))),
    );
    const edges = even(0, Math.max(...euclidean.flat()));
    expect([...of("all").edges]).toEqual(edges);
    expect([...of("all").counts]).toEqual(euclidean.flatMap((each) => counted(each, edges)));
    // The towns differ by 1, and a gap adds nothing.
    const cells: [number | undefined, number, string][] = [
      [0, 0, "a"],
      [3, 4, "a"],
      [undefined, 1, "b"],
      [6, 8, "b"],
    ];
    const mixed = cells.map(([x, y, town]) =>
      cells.map(([x2, y2, town2]) => {
        const across = x === undefined || x2 === undefined ? 0 : (x - x2) ** 2;
        return Math.sqrt(across + (y - y2) ** 2 + Number(town !== town2));
      }),
    );
    expect([...of("mixed").counts]).toEqual(mixed.flatMap((each) => counted(each, [0, 0.5, 5, 20])));
    expect(of("mixed").edges.length).toBe(4);
    expect(short(outputOf("all.histogram", "Histogram"))).toBe(FINGERPRINTS.distances);
    expect(backend).toBe(device().info.kind);
  });
});

/** The first digits of the results, on every device and every machine. */
const FINGERPRINTS = {
  sum: {
    uint8: "e052f95b5af38122",
    int32: "dc3852df6d308ee7",
    float32: "58af40b73dd5ac55",
    float64: "c797715fc7a9729a",
  },
  scan: {
    uint8: "3abca53a47e2c275",
    int32: "9d4261cd85b7453c",
    float32: "6ed050880d44c818",
    float64: "7efdb3cf7359250f",
  },
  unique: {
    uint8: "eae7d679cdfd5580",
    int32: "5bd9ea467194194f",
    float32: "c55696e5e285e22e",
    float64: "26abba5c95c618d3",
  },
  distances: "f7ec2aca559e51c2",
};

describe("on the CPU", () => {
  const read = node("readMatrix", {}, { file: "uint8.npy" });
  const said = (nodes: Record<string, ProcessNode>) => {
    const files = new Map([["read", { columns: [], rows: 9, cols: COLS }]]);
    return checkProcess({ nearfield: 1, nodes }, { files }).map(({ path, message }) => `${path}: ${message}`);
  };

  it.each<[string, ProcessNode, string]>([
    [
      "more numbers than there are",
      node("select", { matrix: "read.matrix" }, { k: 8 }),
      "parameters.k: is 8, but there are 7",
    ],
    [
      "an exclusive minimum",
      node("scan", { matrix: "read.matrix" }, { op: "min", exclusive: true }),
      "exclusive: is of sums",
    ],
    ["no bins", node("distanceHistogram", { train: "read.matrix" }), "parameters.bins: is missing"],
    [
      "two ranges",
      node("distanceHistogram", { train: "read.matrix" }, { bins: 2, range: [0, 1], together: true }),
      "parameters.together: chooses a range",
    ],
    [
      "itself with queries",
      node(
        "distanceHistogram",
        { train: "read.matrix", queries: "read.matrix" },
        { bins: 2, excludeSelf: false },
      ),
      "parameters.excludeSelf: is about rows",
    ],
  ])("the checks refuse %s", (_, last, message) => {
    expect(said({ read, last })).toEqual([expect.stringContaining(message)]);
  });

  it("an abort is heard while sums are made on the host", async () => {
    const device: Device = await openDevice("cpu");
    const reason = new Error("enough");
    const { runProcess } = await import("../../dist/graph/index.js");
    const data = new Float64Array(6e6).fill(0.1);
    const bytes = await bytesOf(writeNpy({ data, rows: 3, cols: 2e6 }));
    for (const operator of ["reduce", "scan"]) {
      const controller = new AbortController();
      const nodes = { read, sums: node(operator, { matrix: "read.matrix" }) };
      const onNode = () => setTimeout(() => controller.abort(reason), 5);
      const running = runProcess(
        { nearfield: 1, nodes },
        { device, signal: controller.signal, onNode, open: (path) => bytesSource(bytes, path) },
      );
      await expect(running).rejects.toBe(reason);
    }
    device.dispose();
  });
});
