/** The quartiles and histograms of `nearfield schema`. */
import { describe, expect, it } from "vitest";
import { BARS, NumberSample, sampleSize, sparkline } from "../../../src/cli/sample.ts";

const sampleOf = (values: Iterable<number>, most: number) => {
  const sample = new NumberSample(most);
  for (const value of values) sample.add(value);
  return sample;
};

describe("a sample of numbers", () => {
  it("has numpy's quartiles", () => {
    expect(sampleOf([4, 1, 3, 2], 9).quartiles()).toEqual([1.75, 2.5, 3.25]);
    expect(sampleOf([7], 9).quartiles()).toEqual([7, 7, 7]);
    expect(sampleOf([], 9).quartiles()).toBeUndefined();
    expect(sampleOf([1.5e308, 1.5e308, 1.5e308], 9).quartiles()).toEqual([1.5e308, 1.5e308, 1.5e308]);
  });

  it("keeps an even share of many, whatever their order", () => {
    const values = Array.from({ length: 100_000 }, (_, at) => at);
    for (const given of [values, values.toReversed()]) {
      const sample = sampleOf(given, 1000);
      expect(sample.isWhole).toBe(false);
      const [low, middle, high] = sample.quartiles()!;
      for (const [found, exact] of [
        [low, 25_000],
        [middle, 50_000],
        [high, 75_000],
      ])
        expect(Math.abs(found - exact)).toBeLessThan(300);
    }
    expect(sampleOf(values.slice(0, 1000), 1000).isWhole).toBe(true);
  });

  it("is counted between the least and the greatest, both included", () => {
    const values = Array.from({ length: 80 }, (_, at) => at);
    expect(sampleOf(values, 100).histogram(0, 79)).toEqual(new Array(BARS).fill(10));
    expect(sampleOf([5, 5], 100).histogram(5, 5)).toEqual([2, 0, 0, 0, 0, 0, 0, 0]);
    expect(sampleOf([-1.5e308, 1.5e308], 100).histogram(-1.5e308, 1.5e308)).toEqual([1, 0, 0, 0, 0, 0, 0, 1]);
  });

  it("is smaller where there are many columns", () => {
    expect([1, 1000, 1_000_000].map(sampleSize)).toEqual([65_536, 4194, 16]);
  });
});

it("a sparkline has the highest bar for the most, and none for nothing", () => {
  expect(sparkline([0, 1, 4, 8])).toBe(" ▁▄█");
  expect(sparkline([1000, 1])).toBe("█▁");
  expect(sparkline([])).toBe("");
});
