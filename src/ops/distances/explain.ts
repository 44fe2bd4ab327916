/** This explains to people how distances were counted. */
import { explanationLines, grouped } from "../../runtime/explain.ts";
import type { DistanceHistogramExplanation } from "./options.ts";

const passTexts = {
  once: "one, since the edges are known",
  kept: "one, whose distances were kept from the ranges to the counts",
  twice: "two, first for the ranges, then for the counts",
};

/** Returns the facts of an explanation, one a line. */
export function distanceExplanationText(e: DistanceHistogramExplanation): string {
  const { float32, fixed, float64 } = e.settled;
  const share = (pairs: number): string => {
    const percent = (100 * pairs) / Math.max(1, float32 + fixed + float64);
    return `${grouped(pairs)} (${percent.toFixed(2)} %)`;
  };
  return explanationLines(
    e,
    [["passes", passTexts[e.passes]]],
    [
      [
        "settled",
        `${share(float32)} in float32, ${share(fixed)} in whole numbers, ${share(float64)} in float64`,
      ],
      ["evaluated", `${grouped(e.evaluated)} distances in float64`],
    ],
  );
}
