/**
 * Read Labels, Quantiles, Hubness and Local Dimension in processes, on every backend: what loops over the
 * numbers give, with one fingerprint everywhere.
 */
import { describe, expect, it } from "vitest";
import { checkProcess, inspectFiles } from "../../../dist/graph/index.js";
import type { ProcessNode } from "../../../dist/graph/index.js";
import { bytesSource, textSource } from "../../../dist/node.js";
import { onEachBackend, openDevice } from "../helpers.ts";
import { node, outcomeOf, short } from "../processes.ts";

/** Points around a hub, two of them the same, and one apart. */
const points = [
  ...Array.from({ length: 12 }, (_, at) => [((at * 7) % 12) - 6, ((at * 5) % 12) - 5]),
  ...[
    [0, 0],
    [3, -2],
    [3, -2],
    [40, 41],
  ],
];
const classes = points.map((_, at) => (at * at) % 11);
const header = (...dims: number[]) => [0, 0, 8, dims.length, ...dims.flatMap((size) => [0, 0, 0, size])];
const files: Readonly<Record<string, number[]>> = {
  labels: [...header(points.length), ...classes],
  images: [...header(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8],
};
const texts: Readonly<Record<string, string>> = {
  "points.csv": `x,y\n${points.map((point) => point.join(",")).join("\n")}\n`,
  "gaps.csv": "x,y,z\n1.5,4,2\n,,\n,5,\n0,3,-1\n",
};
const open = (path: string) =>
  path in files ? bytesSource(Uint8Array.from(files[path]), path) : textSource(texts[path], path);

const read = node("readTable", {}, { file: "points.csv" });
const near = (k: number, radius?: number) =>
  node("nearestNeighbours", { train: "read.table" }, radius === undefined ? { k } : { k, radius });
const between = ([a, b]: number[], [c, d]: number[]) => Math.sqrt((a - c) ** 2 + (b - d) ** 2);

/** Who is near whom, the nearest first, then the lower index. */
const nearest = (k: number, radius = Infinity) =>
  points.map((query, own) =>
    points
      .map((point, index) => ({ index, distance: between(query, point) }))
      .filter(({ index, distance }) => index !== own && distance <= radius)
      .sort((a, b) => a.distance - b.distance || a.index - b.index)
      .slice(0, k),
  );
const skewnessOf = (counts: readonly number[]) => {
  const moment = (power: number, around: number) =>
    counts.reduce((sum, count) => sum + (count - around) ** power, 0) / counts.length;
  const mean = moment(1, 0);
  return moment(3, mean) / moment(2, mean) ** 1.5;
};

onEachBackend((device) => {
  it("Read Labels gives classes that k-NN predicts", async () => {
    const nodes = {
      read,
      labels: node("readLabels", {}, { file: "labels" }),
      digits: node("readLabels", {}, { file: "labels", name: "digit" }),
      both: node("attachColumn", { table: "read.table", other: "digits.table" }, { column: "digit" }),
      roles: node("setRole", { table: "both.table" }, { label: "digit" }),
      knn: node("knn", { train: "roles.table" }, { k: 1 }),
      apply: node("applyModel", { model: "knn.model", table: "read.table" }, { confidences: false }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    expect(outputOf("labels.table", "Table").value.table.values("label")).toEqual(classes.map(String));
    const { table } = outputOf("apply.table", "Table").value;
    const firstAlike = points.map((point) => points.findIndex((each) => between(each, point) === 0));
    expect(table.values("prediction(digit)")).toEqual(firstAlike.map((at) => String(classes[at])));
    expect(short(outputOf("digits.table", "Table"))).toBe(FINGERPRINTS.labels);
  });

  it("Quantiles names the bin of each share of the distances, and leaves out what lies outside", async () => {
    const edges = [1, 4, 8, 8.5, 16];
    const shares = [0, 0.05, 0.3, 0.5, 0.9, 1];
    const nodes = {
      read,
      counts: node("distanceHistogram", { train: "read.table" }, { edges }),
      own: node("distanceHistogram", { train: "read.table" }, { bins: 3 }),
      given: node("quantiles", { histogram: "counts.histogram" }, { shares }),
      usual: node("quantiles", { histogram: "own.histogram" }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    const { table } = outputOf("given.table", "Table").value;
    const expected = points.flatMap((query, row) => {
      const own = points.filter((_, at) => at !== row).map((point) => between(query, point));
      own.sort((a, b) => a - b);
      return shares.map((share) => {
        const distance = own[Math.max(1, Math.ceil(share * own.length)) - 1];
        const bin = distance === 16 ? 3 : edges.filter((edge) => edge <= distance).length - 1;
        const [from, to] = [edges[bin] ?? null, edges[bin + 1] ?? null];
        if (from === null || to === null) return { row, share, bin, from, to, value: null };
        const before = own.filter((each) => each < from).length;
        const inside = own.filter((each) => each >= from && each < to).length;
        const part = Math.max(0, (share * own.length - before) / inside);
        return { row, share, bin, from, to, value: from + part * (to - from) };
      });
    });
    expect(table.toRows()).toEqual(expected);
    expect(new Set(table.values("bin"))).toEqual(new Set([-1, 0, 1, 2, 3, 4]));
    const usual = outputOf("usual.table", "Table");
    expect(usual.value.table.values("share").slice(0, 4)).toEqual([0.25, 0.5, 0.75, 0.25]);
    expect(short(usual)).toBe(FINGERPRINTS.quantiles);
  });

  it("Quantiles has gaps for a row without numbers", async () => {
    const nodes = {
      gaps: node("readTable", {}, { file: "gaps.csv" }),
      counts: node("histogram", { matrix: "gaps.table" }, { edges: [1, 2, 4.5] }),
      half: node("quantiles", { histogram: "counts.histogram" }, { shares: [0.5] }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    expect(outputOf("half.table", "Table").value.table.toRows()).toEqual([
      { row: 0, share: 0.5, bin: 1, from: 2, to: 4.5, value: 2.625 },
      { row: 1, share: 0.5, bin: null, from: null, to: null, value: null },
      { row: 2, share: 0.5, bin: 2, from: 4.5, to: null, value: null },
      { row: 3, share: 0.5, bin: -1, from: null, to: 1, value: null },
    ]);
  });

  it("Hubness counts whose neighbour a row is, also where neighbours are missing", async () => {
    const nodes = {
      read,
      three: near(3),
      close: near(4, 6),
      hubs: node("hubness", { neighbours: "three.neighbours", train: "read.table" }),
      few: node("hubness", { neighbours: "close.neighbours", train: "read.table" }),
      beside: node("attachColumn", { table: "read.table", other: "few.table" }, { column: "occurrences" }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    for (const [id, found] of [
      ["hubs", nearest(3)],
      ["few", nearest(4, 6)],
    ] as const) {
      const counts = points.map((_, row) => found.flat().filter(({ index }) => index === row).length);
      expect(outputOf(`${id}.table`, "Table").value.table.values("occurrences")).toEqual(counts);
      const [{ measure, value }] = outputOf(`${id}.measures`, "Table").value.table.toRows();
      expect(measure).toBe("skewness");
      expect(Number(value)).toBeCloseTo(skewnessOf(counts), 12);
    }
    expect(outputOf("few.table", "Table").value.table.values("occurrences")).toContain(0);
    expect(outputOf("beside.table", "Table").value.table.names).toEqual(["x", "y", "occurrences"]);
    expect(["hubs.table", "hubs.measures"].map((of) => short(outputOf(of, "Table")))).toEqual(
      FINGERPRINTS.hubness,
    );
  });

  it("Local Dimension is estimated from the distances that are above 0", async () => {
    const nodes = {
      read,
      near: near(9),
      one: near(1),
      dimension: node("localDimension", { neighbours: "near.neighbours" }),
      none: node("localDimension", { neighbours: "one.neighbours" }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    const found = outputOf("dimension.table", "Table");
    nearest(9).forEach((own, row) => {
      const known = own.map(({ distance }) => distance).filter((distance) => distance > 0);
      const logs = known.map((distance) => Math.log(distance / Math.max(...known)));
      const expected = -known.length / logs.reduce((sum, each) => sum + each, 0);
      expect(Number(found.value.table.values("dimension")[row])).toBeCloseTo(expected, 10);
    });
    expect(new Set(outputOf("none.table", "Table").value.table.values("dimension"))).toEqual(new Set([null]));
    expect(short(found)).toBe(FINGERPRINTS.dimension);
  });
});

/** The first digits of the results, on every device and every machine. */
const FINGERPRINTS = {
  labels: "f529c24ba88d4631",
  quantiles: "3636e0ca22bf18cf",
  hubness: ["d03d395d7f2032d9", "a395e9be6a9ebb1e"],
  dimension: "e4e2af4c9d286403",
};

describe("bad input", () => {
  const said = async (nodes: Record<string, ProcessNode>) => {
    const process = { nearfield: 1 as const, nodes };
    const found = checkProcess(process, { files: await inspectFiles(process, { open }) });
    return found.map(({ path, message }) => `${path}: ${message}`);
  };

  it.each<[string, Record<string, ProcessNode>, string]>([
    [
      "images as labels",
      { labels: node("readLabels", {}, { file: "images" }) },
      "nodes.labels.parameters.file: holds 4 numbers a row; labels are one",
    ],
    [
      "a share that is a percentage",
      {
        read,
        counts: node("distanceHistogram", { train: "read.table" }, { bins: 2 }),
        half: node("quantiles", { histogram: "counts.histogram" }, { shares: [0.5, 50] }),
      },
      "nodes.half.parameters.shares: has 50; expected numbers from 0 to 1",
    ],
    [
      "rows in place of neighbours",
      { read, hubs: node("hubness", { neighbours: "read.table", train: "read.table" }) },
      "nodes.hubs.inputs.neighbours: read.table is a Table; expected a Neighbours",
    ],
  ])("the checks refuse %s", async (_, nodes, message) => {
    expect(await said(nodes)).toEqual([expect.stringContaining(message)]);
  });

  it("a run refuses a file of other numbers, and neighbours among other rows", async () => {
    const device = await openDevice("cpu");
    const few = {
      read,
      images: node("readTable", {}, { file: "images", format: "idx" }),
      near: near(2),
      hubs: node("hubness", { neighbours: "near.neighbours", train: "images.table" }),
    };
    await expect(outcomeOf(device, few, open)).rejects.toThrow("is not one of 2 rows");
    await expect(
      outcomeOf(device, { labels: node("readLabels", {}, { file: "points.csv" }) }, open),
    ).rejects.toThrow("node labels (Read Labels)");
    device.dispose();
  });
});
