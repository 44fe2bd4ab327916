/** The windows in which knn.filter visits references, and their thresholds. */
import { describe, expect, it } from "vitest";
import { knnAppendRoom, knnFirstRows, type KnnFilterParams } from "../../../src/ops/knn/contract/filter.ts";
import { knnWindows } from "../../../src/ops/knn/gpu/filter/windows.ts";

const params: KnnFilterParams = {
  ...{ core: "dot", p: 1, weight: -2, slack: 0, cut: true, k: 10, capacity: 10, dims: 8, stride: 8 },
  ...{ queryRows: 100, refBegin: 0, refRows: 1_000_000, refOffset: 0, group: 16 },
};

function windowsOf(k: number, fields: Partial<KnnFilterParams> = {}) {
  return knnWindows({ ...params, k, ...fields }, { first: knnFirstRows(k), room: knnAppendRoom(k) });
}

describe("knnWindows", () => {
  it.each([1, 10, 100, 1000, 20_000])("visits every reference once, for k = %i", (k) => {
    const { first, appended } = windowsOf(k);
    let end = first;
    for (const window of appended) {
      expect(window.begin).toBe(end);
      expect(window.end).toBeGreaterThan(window.begin);
      end = window.end;
    }
    expect(end).toBe(1_000_000);
  });

  it.each([
    ["of keep-all lists, behind other references", 300, 1150, { refOffset: 1000, keepAll: true }],
    ["that are few", 1, 180, {}],
  ] as const)("end with the references of the call: %s", (_, k, refRows, fields) => {
    const { appended } = knnWindows({ ...params, k, refRows, ...fields }, { first: 1, room: 0 });
    expect(appended.at(-1)!.end).toBe(refRows);
  });

  it("lets so few pairs pass that there is room, but for chance", () => {
    for (const k of [1, 10, 100, 1000, 20_000]) {
      for (const { begin, end, rank } of windowsOf(k).appended) {
        expect((rank * (end - begin)) / begin).toBeLessThan(knnAppendRoom(k));
      }
    }
  });

  it("takes the k-th of those before for a threshold, or less where k of all are surely below", () => {
    expect(windowsOf(10).appended.map(({ rank }) => rank)).toEqual([10, 10]);
    for (const { begin, end, rank } of windowsOf(1000).appended) {
      const expected = (1000 * begin) / end;
      expect(rank).toBeLessThan(1000);
      // Six deviations.
      expect(rank).toBeGreaterThan(expected + 6 * Math.sqrt(expected));
    }
  });

  it("predicts nothing where nothing would be recomputed", () => {
    const ranks = (fields: Partial<KnnFilterParams>) =>
      windowsOf(1000, fields).appended.map(({ rank }) => rank);
    expect(ranks({ refRows: 9000 })).toEqual([1000]);
    expect(new Set(ranks({ keepAll: true }))).toEqual(new Set([1000]));
  });

  it("counts the references of earlier calls", () => {
    const { first, appended } = windowsOf(1000, { refOffset: 500_000, refRows: 500_000 });
    expect(first).toBe(0);
    expect(appended.length).toBe(1);
    expect(appended[0].rank).toBeGreaterThan(500);
    expect(appended[0].rank).toBeLessThan(1000);
  });
});
