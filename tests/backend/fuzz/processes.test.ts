/**
 * Fuzzed processes against the float64 oracle: rows of a table in a file, roles, and a search by any measure
 * as a document that is printed, parsed, checked and run. Any difference of a row, an order or a bit fails,
 * and so does an error other than the refusal that is due. NEARFIELD_SEED repeats a run.
 */
import { describe, expect, it } from "vitest";
import { parseProcess, printProcess, runProcess, type ProcessNode } from "../../../dist/graph/index.js";
import { Table, bytesSource, isNearfieldError, writeTable, type Device } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { bytesOf, node } from "../processes.ts";
import { fuzzCase, isTable, type FuzzCase } from "./cases.ts";
import { differenceOf } from "./check.ts";
import { expectedOf } from "./expected.ts";
import { bring } from "./sources.ts";

const seed = printedSeed();
const counts = { cpu: 150, gpu: 8 };

/** Says whether a process can ask the same: of the features of tables, by parameters that JSON can hold. */
function isAskable({ call, measure, compat, queries, radius = 0, ...each }: FuzzCase): boolean {
  const { missing, columnWeights } = measure;
  return (
    isTable(each) &&
    (call === "NearestNeighbors" || call === "kneighborsGraph") &&
    compat === undefined &&
    columnWeights === undefined &&
    (missing === undefined || missing === "skip") &&
    Math.min(each.train.length, queries.length) > 0 &&
    // A radius below 0 is for metrics that go below 0 themselves; processes take none.
    radius >= 0 &&
    Number.isFinite(radius)
  );
}

/** The parameters of Nearest Neighbours for the options of the library. */
function parametersOf({ k, radius, measure: { metric, p, kernel } }: FuzzCase): ProcessNode["parameters"] {
  const { type, ...numbers } = kernel ?? {};
  const ofKernel = Object.entries(numbers).map(
    ([name, value]) => [`kernel${name[0].toUpperCase()}${name.slice(1)}`, value] as const,
  );
  return {
    k,
    ...(radius === undefined ? {} : { radius }),
    ...(metric === undefined ? {} : { metric }),
    ...(p === undefined ? {} : { p: p === Infinity ? "inf" : p }),
    ...(type === undefined ? {} : { kernel: type }),
    ...Object.fromEntries(ofKernel),
  };
}

async function failureOf(each: FuzzCase, device: Device): Promise<string | undefined> {
  const random = new Random(each.form);
  const names = each.kinds.map((_, col) => `column ${col}`);
  const files = new Map<string, Uint8Array>();
  for (const side of ["train", "queries"] as const) {
    const rows = await bring(random, { ...each, source: "table" }, side, names, "");
    if (!(rows instanceof Table)) throw new Error("no table");
    files.set(`${side}.parquet`, await bytesOf(writeTable("parquet", rows)));
  }
  const isSelf = each.excludeSelf === true;
  const rolesOf = (side: string) => ({
    [`${side}File`]: node("readTable", {}, { file: `${side}.parquet` }),
    [side]: node("setRole", { table: `${side}File.table` }, { ignore: ["id"] }),
  });
  const nodes = {
    ...rolesOf("train"),
    ...(isSelf ? {} : rolesOf("queries")),
    near: node(
      "nearestNeighbours",
      { train: "train.table", ...(isSelf ? {} : { queries: "queries.table" }) },
      parametersOf(each),
    ),
  };
  const document = parseProcess(printProcess({ nearfield: 1, nodes }));
  const open = (path: string) => bytesSource(files.get(path)!, path);
  const expected = expectedOf(each);
  try {
    const result = await runProcess(document, { device, open });
    const { error, outputs } = result.nodes.find(({ node: id }) => id === "near")!;
    if (error !== undefined) throw error;
    if ("refused" in expected) return `it must be refused for ${expected.refused}`;
    const found = outputs.neighbours;
    if (found.type !== "Neighbours") return `the result is a ${found.type}`;
    const { indices, distances, counts: within } = found.value.result;
    return differenceOf({ indices, distances, ...(within && { counts: within }) }, expected.answer);
  } catch (error) {
    if ("refused" in expected && isNearfieldError(error, "InvalidInput")) return undefined;
    return error instanceof Error ? error.stack : String(error);
  }
}

describe("fuzzed processes", () => {
  onEachBackend((device, backend) => {
    it("find what the oracle finds", { timeout: 120_000 }, async () => {
      let done = 0;
      for (let number = 0; done < counts[backend]; number++) {
        const each = fuzzCase(seed, backend, number);
        if (!isAskable(each)) continue;
        done++;
        expect(await failureOf(each, device()), `case ${number}: ${JSON.stringify(each)}`).toBeUndefined();
      }
    });
  });
});
