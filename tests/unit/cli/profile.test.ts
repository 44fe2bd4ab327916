/** `nearfield schema` prints this of files with more columns than a function takes arguments. */
import { expect, it } from "vitest";
import { schemaText } from "../../../src/cli/profile.ts";

it("a file of 200,000 columns is shown in as many lines, aligned by the widest", () => {
  const columns = Array.from({ length: 200_000 }, (_, at) => ({
    name: at === 199_999 ? "the widest name" : String(at),
    type: "numeric" as const,
    stored: "float64",
    missing: 0,
    min: 1,
    max: 2,
    quartiles: [1, 1.5, 2] as const,
    histogram: [1, 0, 0, 0, 0, 0, 0, 1],
  }));
  const text = schemaText({ file: "x.fvecs", format: "fvecs", rows: 1, columns, guesses: [], hints: [] });
  const lines = text.split("\n");
  expect(lines).toHaveLength(200_002);
  expect(lines[2]).toBe("0                numeric     -  █      █  1 to 2, quartiles 1, 1.5, 2  float64");
});
