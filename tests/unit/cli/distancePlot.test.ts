/** Histograms summed up and drawn as text and as SVG. */
import { describe, expect, it } from "vitest";
import { svgPlot, textPlot } from "../../../src/cli/results/distancePlot.ts";
import { profileOf, type DistanceProfile } from "../../../src/cli/results/distanceProfile.ts";
import { distanceHistogram } from "../../../dist/node.js";

const rows = [[0], [1], [4], [9]];

describe("a profile of distances", () => {
  it("sums the counts of all queries, several bins a bar where there are many", async () => {
    const result = await distanceHistogram(rows, [[0], [9]], { edges: [0, 1, 2, 5, 9], backend: "cpu" });
    expect(profileOf(result, true, 2)).toEqual({
      bars: [
        { low: 0, high: 2, count: 3 },
        { low: 2, high: 9, count: 5 },
      ],
      ...{ isCommon: true, queries: 2, counted: 8, outside: 0 },
    });
    const own = await distanceHistogram(rows, [[0], [9]], { bins: 3, backend: "cpu" });
    expect(profileOf(own, false, 9).bars.map(({ low, high }) => [low, high])).toEqual([
      [0, 1 / 3],
      [1 / 3, 2 / 3],
      [2 / 3, 1],
    ]);
  });

  const profile: DistanceProfile = {
    bars: [
      { low: 0, high: 2.5, count: 1000 },
      { low: 2.5, high: 5, count: 0 },
      { low: 5, high: 7.5, count: 125 },
    ],
    ...{ isCommon: true, queries: 3, counted: 1125, outside: 2 },
  };

  it("is drawn in lines of text, in eighths of a character", () => {
    expect(textPlot(profile)).toEqual([
      `    0 ${"█".repeat(40)} 1,000`,
      "  2.5 0",
      "    5 █████ 125",
      "  7.5 distance",
    ]);
  });

  it("is drawn as an SVG whose bars are as high as their counts", () => {
    const svg = svgPlot(profile, "a < b & c");
    expect(svg).toContain("<title>a &lt; b &amp; c</title>");
    expect(svg).toContain("3 queries, 1,125 distances in bins, 2 outside");
    const heights = [...svg.matchAll(/height="([\d.]+)"><title>/g)].map(([, height]) => Number(height));
    expect(heights).toEqual([280, 0, 35]);
    expect(svg).toContain("2.5 to 5: 0");
  });
});
