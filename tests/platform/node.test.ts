/**
 * Node as it may be started: with relaxed SIMD, which Node 20 has behind a flag, and without. The WASM builds
 * differ, the answers do not.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { deserialize, serialize } from "node:v8";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { currentPlatform } from "../../dist/core/platform.js";
import "../../dist/node.js";
import { knnCases } from "../backend/knn/cases.ts";
import { firstDifference } from "../backend/helpers.ts";
import { bruteForce } from "../oracle/knn.ts";
import type { Answer } from "../oracle/knn.ts";
import { printedSeed } from "../oracle/random.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));
const cases = knnCases(printedSeed()).filter((_, i) => i % 5 === 0);
const expected = cases.map((each) => bruteForce(each.train, each.queries, each.options));
let folder = "";

const script = `
  import { readFile, writeFile } from "node:fs/promises";
  import { deserialize, serialize } from "node:v8";
  import { chooseBuild, probeWasm } from ${JSON.stringify(join(dist, "runtime/cpu/probe.js"))};
  import { Device, kneighbors } from ${JSON.stringify(join(dist, "node.js"))};
  const [input, output] = process.argv.slice(1);
  const device = await Device.create({ backend: "cpu", threads: 2 });
  const answers = [];
  for (const { train, queries, options } of deserialize(await readFile(input))) {
    const { indices, distances } = await kneighbors(train, queries, { ...options, device });
    answers.push({ indices, distances });
  }
  device.dispose();
  await writeFile(output, serialize({ answers, build: chooseBuild(probeWasm(), "auto") }));
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nearfield-node-"));
  await writeFile(join(folder, "cases"), serialize(cases));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("every fifth search case equals brute force", () => {
  const major = Number(process.versions.node.split(".")[0]);
  const flag = major < 22 ? ["--experimental-wasm-relaxed-simd"] : [];

  it.each([
    ["as Node is by default", [], major < 22 ? "baseline" : "relaxed"],
    ["with relaxed SIMD", flag, "relaxed"],
  ])("%s", async (name, flags, expectedBuild) => {
    const output = join(folder, name);
    const args = [...flags, "--input-type=module", "--eval", script, join(folder, "cases"), output];
    await promisify(execFile)(process.execPath, args);
    const { answers, build } = deserialize(await readFile(output)) as { answers: Answer[]; build: string };
    const wrong = cases.flatMap((each, i) => {
      const difference = firstDifference(answers[i], expected[i], each.options.k);
      return difference ? [`${each.name}: ${difference}`] : [];
    });
    expect(wrong).toEqual([]);
    expect(build).toBe(expectedBuild);
    expect(answers.length).toBe(cases.length);
  });
});

it("a worker has ended when its termination is said to be done", async () => {
  const worker = currentPlatform().spawnWorker();
  let ended = false;
  worker.onError(() => (ended = true));
  await worker.terminate();
  expect(ended).toBe(true);
});

describe("a process that may not start worker threads", () => {
  const script = `
    import { Device, isNearfieldError, kneighbors, reduce } from ${JSON.stringify(join(dist, "node.js"))};
    const shared = new Uint32Array(new SharedArrayBuffer(4 * 2 ** 22)).fill(2);
    const device = await Device.create({ backend: "cpu", threads: 2 });
    const [sum] = await reduce(shared, { device });
    const error = await kneighbors([[1]], [[2]], { k: 1, device }).catch((error) => error);
    console.log(JSON.stringify({ sum, isOurs: isNearfieldError(error, "Unavailable"), message: error.message }));
  `;

  it("works on arrays in shared memory without them, and says what a search needs", async () => {
    const major = Number(process.versions.node.split(".")[0]);
    const permission = major < 23 ? "--experimental-permission" : "--permission";
    const args = [permission, "--allow-fs-read=*", "--no-warnings", "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toEqual({
      sum: 2 ** 23,
      isOurs: true,
      message: expect.stringMatching(/may not start .* worker threads.*--allow-worker/) as string,
    });
  });
});
