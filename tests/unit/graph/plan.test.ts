/** What has to run, and why: keys follow contents and parameters, never the id or the place of a node. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { KeptResults, parseProcess, planProcess, setParameter } from "../../../dist/graph/index.js";
import type { PlanOptions, ProcessDocument } from "../../../dist/graph/index.js";
import { Digest, keyOf } from "../../../dist/graph/results/digest.js";
import { sha256, hex } from "../../../dist/graph/results/sha256.js";
import { plannedSteps } from "../../../dist/graph/plan.js";
import { penguins } from "./penguins.ts";

const process = parseProcess(penguins);
const files = filesOf("a0");

function filesOf(fingerprint: string, name = "penguins.csv"): NonNullable<PlanOptions["files"]> {
  return new Map([["read", { name, fingerprint }]]);
}

const keysOf = (document: ProcessDocument, of = files) =>
  new Map(planProcess(document, { files: of }).map(({ node, key }) => [node, key]));

/** The nodes whose keys differ. */
function stale(after: ProcessDocument, of = files): string[] {
  const before = keysOf(process);
  return [...keysOf(after, of)].flatMap(([node, key]) => (before.get(node) === key ? [] : [node]));
}

describe("a key", () => {
  it("changes with a parameter, in its node and all that hangs on it", () => {
    expect(stale(setParameter(process, "knn.k", "7"))).toEqual(["knn", "apply", "performance"]);
    expect(stale(setParameter(process, "normalize.method", "range"))).toEqual([
      "normalize",
      "knn",
      "apply",
      "performance",
    ]);
  });

  it("stays with a parameter that is given its default", () => {
    expect(stale(setParameter(process, "knn.k", "5"))).toEqual([]);
  });

  it("changes with the contents of a file and its format, and not with its name", () => {
    const all = ["read", "roles", "split", "knn", "apply", "performance"];
    expect(stale(process, filesOf("a1"))).toEqual(all);
    expect(stale(process, filesOf("a0", "penguins.tsv"))).toEqual(all);
    expect(stale(process, filesOf("a0", "elsewhere/birds.CSV"))).toEqual([]);
    const named = setParameter(process, "read.file", "birds.csv");
    expect(stale(named, filesOf("a0", "birds.csv"))).toEqual([]);
  });

  it("stays when a node is renamed or moved, or the process is", () => {
    const { knn, ...others } = process.nodes;
    const renamed: ProcessDocument = {
      nearfield: 1,
      name: "another",
      nodes: {
        ...others,
        nearest: knn,
        apply: { ...others.apply, inputs: { model: "nearest.model", table: "split.part2" } },
      },
      layout: { nearest: [0, 0] },
    };
    const [before, after] = [keysOf(process), keysOf(renamed)];
    expect(after.get("nearest")).toBe(before.get("knn"));
    expect(after.get("performance")).toBe(before.get("performance"));
  });

  it("differs between outputs of one node that are wired", () => {
    const other = { ...process.nodes.apply, inputs: { model: "knn.model", table: "split.part1" } };
    expect(stale({ ...process, nodes: { ...process.nodes, apply: other } })).toEqual([
      "apply",
      "performance",
    ]);
  });
});

describe("a plan", () => {
  it("goes through the nodes in order, and says that there is nothing yet", () => {
    const plan = planProcess(process, { files });
    expect(plan.map(({ node }) => node)).toEqual([
      ...["normalize", "read", "roles", "split", "knn", "apply", "performance"],
    ]);
    expect(new Set(plan.map(({ state, reason }) => `${state}: ${reason}`))).toEqual(
      new Set(["run: no result yet"]),
    );
  });

  it("keeps what is kept, and tells for the rest what changed", () => {
    const kept = new KeptResults();
    for (const { node, key, ingredients } of plannedSteps(process, { files })) {
      kept.keep(key, {});
      kept.ran(node, ingredients);
    }
    const reasons = (document: ProcessDocument, of = files) =>
      planProcess(document, { files: of, kept })
        .filter(({ state }) => state === "run")
        .map(({ node, reason }) => `${node}: ${reason}`);
    expect(reasons(process)).toEqual([]);
    expect(reasons(setParameter(process, "knn.k", "7"))).toEqual([
      "knn: k: 5 -> 7",
      "apply: input model changed",
      "performance: input table changed",
    ]);
    expect(reasons(process, filesOf("a1"))[0]).toBe("read: the file changed");
    expect(reasons(setParameter(process, "roles.ignore", "sex"))[0]).toBe('roles: ignore: none -> ["sex"]');
    kept.dispose();
    expect(reasons(process)[0]).toBe("normalize: its result is no longer kept");
  });

  it("runs what writes each time", () => {
    const write = {
      operator: "writeTable",
      inputs: { table: "apply.table" },
      parameters: { file: "out.csv" },
    };
    const document = { ...process, nodes: { ...process.nodes, write } };
    const kept = new KeptResults();
    for (const { key } of plannedSteps(document, { files })) kept.keep(key, {});
    const running = planProcess(document, { files, kept }).filter(({ state }) => state === "run");
    expect(running.map(({ node, reason }) => `${node}: ${reason}`)).toEqual(["write: it writes"]);
  });
});

describe("SHA-256", () => {
  it.each([0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000])(
    "of %i bytes is Node's",
    (length) => {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 255);
      expect(hex(sha256(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
      expect(keyOf("ä")).toBe(createHash("sha256").update("ä").digest("hex"));
    },
  );

  it("of large data is that of the hashes of 4 MiB each, however the bytes come", async () => {
    const bytes = Uint8Array.from({ length: 9_000_000 }, (_, at) => (at * at) & 255);
    const pieces = [0, 1 << 22, 2 << 22].map((begin) => bytes.subarray(begin, begin + (1 << 22)));
    const hashes = pieces.map((piece) => createHash("sha256").update(piece).digest());
    const expected = createHash("sha256").update(Buffer.concat(hashes)).digest("hex");
    for (const step of [1_000_003, 9_000_000]) {
      const digest = new Digest();
      for (let at = 0; at < bytes.length; at += step) await digest.add(bytes.subarray(at, at + step));
      expect(await digest.end()).toBe(expected);
    }
  });
});
