/** Rows that come and go, with indexes that only count who frees them. */
import { afterEach, expect, it } from "vitest";
import { KnnIndex } from "../../../src/ops/knn/knnIndex.ts";
import { NumberedRows } from "../../../src/ops/knn/changes/numberedRows.ts";
import type { Matrix } from "../../../src/core/matrix.ts";

const { create } = KnnIndex;
afterEach(() => {
  KnnIndex.create = create;
});

const ofRows = (rows: number): Matrix => ({ data: new Float64Array(rows), rows, cols: 1 });

it("frees the index that was made anew where the next one cannot be made", async () => {
  const freed: number[] = [];
  const indexOf = (train: Matrix) =>
    ({
      train,
      device: {},
      rows: { options: {} },
      dispose: () => freed.push(train.rows),
    }) as unknown as KnnIndex;
  let left = Infinity;
  KnnIndex.create = async (_, train) => {
    if (left-- === 0) throw new Error("no memory today");
    return indexOf(train as Matrix);
  };
  const first = NumberedRows.of(indexOf(ofRows(6000)));
  const rows = await first.with(ofRows(10));
  const many = Array.from({ length: 1000 }, (_, row) => row);
  left = 1;
  await expect(rows.without([...many, 6000, 6001])).rejects.toThrow("no memory today");
  expect(freed).toEqual([5000]);
  left = 2;
  const fewer = await rows.without([...many, 6000, 6001]);
  expect(fewer.ids.length).toBe(5008);
  for (const each of [first, rows, fewer]) each.dispose();
  expect(freed.slice(1).sort((a, b) => a - b)).toEqual([8, 10, 5000, 6000]);
});
