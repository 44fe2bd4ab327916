/**
 * A tree as ops/knn/contract/tree.ts describes it: every row in one place, inside the boxes of all nodes
 * above it.
 */
import { describe, expect, it } from "vitest";
import { EMPTY_PLACE, leafRows, treeBytes, type KnnTreeParams } from "../../../src/ops/knn/contract/tree.ts";
import { buildTree, type TreeArrays } from "../../../src/ops/knn/cpu/treeBuild.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();

function build(tree: KnnTreeParams, refs: Float32Array, metas: Float32Array): TreeArrays {
  const bytes = treeBytes(tree);
  const into: TreeArrays = {
    points: new Float32Array(bytes.points / 4).fill(NaN),
    order: new Uint32Array(bytes.order / 4).fill(77),
    margins: new Float32Array(bytes.margins / 4).fill(NaN),
    boxes: new Float32Array(bytes.boxes / 4).fill(NaN),
    nodeMargins: new Float32Array(bytes.nodeMargins / 4).fill(NaN),
  };
  buildTree(tree, refs, metas, into);
  return into;
}

const values: Record<string, (random: Random) => number> = {
  normal: (random) => random.normal(),
  "few different": (random) => random.int(0, 3),
  "all equal": () => 5,
};

describe.each(Object.keys(values))("of rows of %s values", (name) => {
  it.each([
    { rows: 1, cols: 1, levels: 0 },
    { rows: 2, cols: 2, levels: 1 },
    { rows: 7, cols: 3, levels: 2 },
    { rows: 64, cols: 5, levels: 3 },
    { rows: 1009, cols: 12, levels: 5 },
  ])("every row lies in one place and in the boxes above it: $rows x $cols", ({ rows, cols, levels }) => {
    const random = new Random(seed + rows);
    const stride = Math.ceil(cols / 4) * 4;
    const refs = Float32Array.from({ length: rows * stride }, (_, at) =>
      at % stride < cols ? values[name](random) : NaN,
    );
    const metas = Float32Array.from({ length: rows * 4 }, (_, at) => (at % 4 === 2 ? random.uniform() : NaN));
    const tree = { rows, cols, stride, levels };
    const { points, order, margins, boxes, nodeMargins } = build(tree, refs, metas);
    const places = leafRows(tree);
    const seen = new Set<number>();
    for (let place = 0; place < order.length; place++) {
      const leaf = Math.floor(place / places);
      const row = order[place];
      if (row === EMPTY_PLACE) continue;
      expect(seen.has(row)).toBe(false);
      seen.add(row);
      expect(margins[place]).toBe(metas[row * 4 + 2]);
      for (let node = 2 ** levels + leaf; node >= 1; node = Math.floor(node / 2)) {
        expect(nodeMargins[node]).toBeGreaterThanOrEqual(margins[place]);
        for (let j = 0; j < cols; j++) {
          const value = refs[row * stride + j];
          expect(points[leaf * places * cols + j * places + (place % places)]).toBe(value);
          expect(boxes[node * 2 * cols + j]).toBeLessThanOrEqual(value);
          expect(boxes[node * 2 * cols + cols + j]).toBeGreaterThanOrEqual(value);
        }
      }
    }
    expect(seen.size).toBe(rows);
  });
});

it("boxes of the leaves are as small as their rows allow", () => {
  const random = new Random(seed);
  const refs = Float32Array.from({ length: 256 * 4 }, () => random.normal());
  const tree = { rows: 256, cols: 4, stride: 4, levels: 4 };
  const { order, boxes } = build(tree, refs, new Float32Array(256 * 4));
  for (let leaf = 0; leaf < 16; leaf++) {
    const rows = [...order.subarray(leaf * 16, leaf * 16 + 16)];
    for (let j = 0; j < 4; j++) {
      const column = rows.map((row) => refs[row * 4 + j]);
      expect(boxes[(16 + leaf) * 8 + j]).toBe(Math.min(...column));
      expect(boxes[(16 + leaf) * 8 + 4 + j]).toBe(Math.max(...column));
    }
  }
});
