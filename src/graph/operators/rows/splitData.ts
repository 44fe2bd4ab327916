/** Split Data parts rows to train on from rows to test with, by the library's splitTable. */
import { DEFAULT_SEED, samplings, splitTable } from "../../../models/validation/index.ts";
import type { Sampling } from "../../../models/validation/index.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import type { OutputPort } from "../../catalogue/operator.ts";
import { choice, numbers, wholeNumber } from "../../catalogue/parameters.ts";
import { MOST_SEED } from "../../parameters/learning.ts";
import { columnOf } from "../../values.ts";

const MOST_PARTS = 8;

export const splitData = operator({
  id: "splitData",
  version: 1,
  title: "Split Data",
  group: "Rows and columns",
  says: "Divides the rows into parts, as RapidMiner's Split Data does with a local seed.",
  inputs: { table: input("Table", "the rows") },
  outputs: Object.fromEntries(
    Array.from({ length: MOST_PARTS }, (_, part) => [
      `part${part + 1}`,
      output("Table", `the rows of ratio ${part + 1}`, hasPart(part)),
    ]),
  ),
  parameters: {
    ratios: numbers({ least: 2, most: MOST_PARTS, default: [0.7, 0.3], says: "the size of each part" }),
    sampling: choice(["auto", ...samplings], {
      default: "auto",
      says: "how rows are drawn",
      otherwise: "stratified with a nominal label, else shuffled",
    }),
    seed: wholeNumber({ min: 0, max: MOST_SEED, default: DEFAULT_SEED, says: "seed of the random rows" }),
  },
  check: ({ table }, { ratios, sampling }, report) => {
    if (sampling === "stratified" && columnOf(table.roles, "label") === undefined) {
      report("is stratified, which needs a label; send the rows through Set Role first", {
        parameter: "sampling",
      });
    }
    const sizes = sizesOf(table.rows, ratios, sampling);
    return Object.fromEntries(
      ratios.map((_, part) => [`part${part + 1}`, { ...table, rows: sizes?.[part] ?? table.rows }]),
    );
  },
  run: ({ table: { table, roles } }, { ratios, sampling, seed }) => {
    const label = columnOf(roles, "label");
    const parts = splitTable(table, {
      ratios,
      seed,
      ...(label === undefined ? {} : { label }),
      ...(sampling === "auto" ? {} : { sampling }),
    });
    return Promise.resolve(
      Object.fromEntries(parts.map((part, at) => [`part${at + 1}`, { table: part, roles }])),
    );
  },
});

/** Returns the sizes of parts; undefined where they depend on how many rows each class has. */
function sizesOf(
  rows: number | undefined,
  ratios: readonly number[],
  sampling: "auto" | Sampling,
): number[] | undefined {
  if (rows === undefined || !["linear", "shuffled"].includes(sampling)) return undefined;
  const total = ratios.reduce((sum, ratio) => sum + ratio, 0);
  // One more on either side than the rounding of boundaries can add.
  return ratios.map((ratio) => Math.min(rows, Math.ceil((rows * ratio) / total) + 1));
}

function hasPart(part: number): OutputPort["absent"] {
  return ({ parameters }) => {
    const count = (parameters.ratios as readonly number[]).length;
    if (part < count) return undefined;
    const names = Array.from({ length: count }, (_, at) => `part${at + 1}`);
    return `ratios has ${count} numbers, so there are ${names.join(" and ")} alone`;
  };
}
