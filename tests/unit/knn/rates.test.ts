/** Rates of k-NN, which tell how fast a device is. */
import { expect, it } from "vitest";
import { FAST_RATE, fastRate } from "../../../src/ops/knn/rates.ts";

it("takes a GPU for a fast one that few queries show to be one, and for four times as fast as with them", () => {
  expect([undefined, 1e9, FAST_RATE / 17].map(fastRate)).toEqual([undefined, undefined, undefined]);
  expect([FAST_RATE / 16, FAST_RATE / 8].map(fastRate)).toEqual([FAST_RATE / 4, FAST_RATE / 2]);
  expect([FAST_RATE / 4, FAST_RATE, 1e15].map(fastRate)).toEqual([FAST_RATE, FAST_RATE, FAST_RATE]);
});
