/** This module lists calls of the operators, each with one argument that must be refused. */
import {
  PointCloud,
  argsort,
  convolve,
  correlate,
  distanceHistogram,
  histogram,
  sort,
} from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";

export function wrongCalls(
  device: Device,
): readonly (readonly [what: string, call: () => Promise<unknown>])[] {
  const keys = Float32Array.of(3, 1, 2);
  const wrong: [string, () => Promise<unknown>][] = [];
  const each = (what: string, options: object, call: (options: object) => Promise<unknown>) =>
    wrong.push([`${what} ${JSON.stringify(options)}`, () => call({ ...options, device })]);
  for (const options of [
    { rows: 2 },
    { rows: -1 },
    { rows: 0.5 },
    { rows: NaN },
    { offsets: [0, 3] },
    { offsets: Uint32Array.of(0, 2, 1, 3) },
    { offsets: Uint32Array.of(0, 4) },
    { offsets: Uint32Array.of(1, 3) },
    { offsets: new Uint32Array(0) },
    { rows: 3, offsets: Uint32Array.of(0, 3) },
    { beginBit: -1 },
    { beginBit: 9, endBit: 8 },
    { endBit: 33 },
    { beginBit: "1" },
    { out: new Uint32Array(2) },
    { out: keys },
    { constructor: 1 },
  ]) {
    each("sort", options, (bag) => sort(keys, bag));
    each("argsort", options, (bag) => argsort(keys, bag));
  }
  for (const options of [
    { mode: "toString" },
    { boundary: "__proto__", mode: "same" },
    { boundary: "wrap", mode: "full" },
    { fill: NaN, mode: "same" },
    { fill: 1, boundary: "reflect", mode: "same" },
    { rows: 2 },
    { masks: 2 },
    { masks: 0 },
    { technique: "constructor" },
    { overflow: "ignore" },
    { out: new Float64Array(9) },
    { out: new Float32Array(2) },
    { flip: true },
  ]) {
    each("convolve", options, (bag) => convolve(keys, [1, 2, 3], bag));
    each("correlate", options, (bag) => correlate(keys, [1, 2, 3], bag));
  }
  for (const options of [
    { bins: 0 },
    { bins: 1.5 },
    { bins: "4" },
    { bins: 2 ** 40 },
    { bins: 3, range: [2, 1] },
    { bins: 3, range: [NaN, 1] },
    { bins: 3, range: [0, Infinity] },
    { bins: 3, range: "every" },
    { edges: [1] },
    { edges: [] },
    { edges: [2, 1] },
    { edges: [0, NaN, 1] },
    { edges: [0, 1], bins: 2 },
    { edges: [0, 1], range: [0, 1] },
    { out: new Uint32Array(1), bins: 3 },
    { hasOwnProperty: 1, bins: 3 },
  ]) {
    each("histogram", options, (bag) => histogram(keys, bag));
    each("distanceHistogram", options, (bag) => distanceHistogram([[1], [2]], [[1]], bag));
  }
  for (const options of [
    { k: 0 },
    { k: 3 },
    { k: 1.5 },
    { k: "1" },
    { k: 1, radius: -1 },
    { k: 1, excludeSelf: true },
    { K: 1 },
  ])
    each("nearest", options, async (bag) => {
      using cloud = await PointCloud.create([[1], [2]], { device });
      const { device: _, ...own } = bag as { device: Device };
      return cloud.nearest([[1]], own);
    });
  return wrong;
}
