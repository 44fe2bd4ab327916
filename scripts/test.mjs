// `npm test`: from an empty clone with Node and npm to the verdict. Installs what is missing, builds, then
// runs the tests stage by stage, beside the first of them checks of types, lint, docs and format. At the end
// it names what failed, a line each. The last line is "N passed, N failed, N skipped".
//
//   npm test                   everything
//   npm test -- unit backend   only these stages, after the build: unit, backend, deno, platform
//   npm run test:long          also the tests named *.long.test.ts
//
// With CI=true a backend that is absent is a failure instead of a skip.
import { existsSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { check } from "./check.mjs";
import { run } from "./run.mjs";
import { findDeno, setUpDeno } from "./deno.mjs";
import { isComplete, setUpSoftwareGpu } from "./software-gpu.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const testStages = ["unit", "backend", "deno", "platform"];
const inCI = Boolean(process.env.CI) && process.env.CI !== "false";

/** All random inputs of the run follow from it. */
const seed = process.env.NEARFIELD_SEED ?? String(Math.floor(Math.random() * 2 ** 48));

const { long, stages } = readArguments(process.argv.slice(2));
const counts = { passed: 0, failed: 0, skipped: 0 };
/** What failed and why, a line each: a CI may keep only the end of what is printed. */
const failures = [];

console.log(`NEARFIELD_SEED=${seed}`);
await testEverything();
if (counts.passed + counts.failed === 0) {
  console.log("no test ran");
  process.exitCode = 1;
}
if (counts.failed > 0) process.exitCode = 1;
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);

function readArguments(args) {
  const names = args.filter((arg) => arg !== "--long");
  const unknown = names.filter((name) => !testStages.includes(name));
  if (unknown.length > 0) {
    console.error(`unknown stage ${unknown.join(", ")}; expected ${testStages.join(", ")}, or --long`);
    process.exit(1);
  }
  return { long: args.includes("--long"), stages: names.length > 0 ? names : ["check", ...testStages] };
}

async function testEverything() {
  if (
    !isInstalled() &&
    !(await stage("install", () => run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: root })))
  )
    return;
  let gpu = {};
  if (!(await stage("software GPU", async () => (gpu = await softwareGpu())))) return;
  if (!(await stage("Deno", setUpDenoOrFail))) return;
  if (!(await stage("build", () => run("node", ["scripts/build.mjs"], { cwd: root })))) return;
  // Its longest tool has one thread, which leaves half of two cores to the first tests.
  const checked = stages.includes("check") ? stage("check", checkEverything) : undefined;
  for (const name of testStages) {
    if (stages.includes(name))
      await stage(name, () => (name === "deno" ? runInDeno(gpu) : runTests(name, gpu)));
  }
  await checked;
}

/** Runs one stage and prints how long it took; one that throws counts as one failure. */
async function stage(name, work) {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    await work();
    console.log(`[${name}] ${seconds()}`);
    return true;
  } catch (error) {
    console.log(`[${name}] failed after ${seconds()}: ${error.message}`);
    counts.failed++;
    addFailure(name, error.message);
    return false;
  }
}

function isInstalled() {
  const mark = join(root, "node_modules/.package-lock.json");
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(join(root, "package-lock.json")).mtimeMs;
}

async function softwareGpu() {
  const found = await setUpSoftwareGpu();
  if (inCI && !isComplete(found)) {
    throw new Error(
      "CI needs the software GPU and the browser: install Debian's packages chromium and libvulkan1",
    );
  }
  return found;
}

async function setUpDenoOrFail() {
  if (!(await setUpDeno()) && inCI) throw new Error("CI needs Deno from npm's package for its platform");
}

async function checkEverything() {
  const failed = await check();
  if (failed.length > 0) throw new Error(failed.join(", "));
}

/** Bundles what tests start often. The module needs packages, which a clone does not have from the start. */
async function bundlesFor(stage) {
  const { bundleForTests, bundleWorkerForTests } = await import("./commandLine.mjs");
  const folder = join(root, "dist-tests");
  if (stage === "platform") return { NEARFIELD_MAIN: await bundleForTests(root, folder) };
  return stage === "backend" ? { NEARFIELD_WORKER: await bundleWorkerForTests(root, folder) } : {};
}

/**
 * What Vitest counts under tests/<name>. Tests of the command line start it from a bundle, and backend tests
 * their workers. Files of unit and backend tests share processes: to start one for each unit file takes as
 * long as a third of them, and a software GPU compiles again in each process what the files before have
 * compiled. Those of platform/ wait for the processes and pages that they start, so that two of them leave
 * two cores idle in part.
 */
async function runTests(name, gpu) {
  return counted({ ...gpu, ...(await bundlesFor(name)) }, "node_modules/.bin/vitest", (report) => [
    "run",
    `tests/${name}/`,
    name === "platform" ? "--maxWorkers=3" : "--no-isolate",
    "--reporter=dot",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
}

/** What tests/platform/deno/ runs of tests/backend/ in Deno, in two processes. */
async function runInDeno(gpu) {
  const deno = findDeno();
  if (!deno || !gpu.NEARFIELD_TEST_GPU) {
    console.log("without Deno and a GPU the backend tests do not run on wgpu");
    counts.skipped++;
    return;
  }
  const folder = "tests/platform/deno";
  const args = ["run", "--allow-all", "--config", `${folder}/deno.json`, `${folder}/run.ts`];
  const lists = ["0", "1"].map((list) => counted(gpu, deno, (report) => [...args, list, report]));
  const failures = (await Promise.allSettled(lists)).filter(({ status }) => status === "rejected");
  if (failures.length > 0) throw failures[0].reason;
}

/**
 * Runs tests that leave a report, and adds what it counts.
 * @param argsFor the command's arguments, given the report's path
 */
async function counted(gpu, command, argsFor) {
  const folder = await mkdtemp(join(tmpdir(), "nearfield-test-"));
  const report = join(folder, "report.json");
  const env = { ...process.env, ...gpu, NEARFIELD_SEED: seed, ...(long ? { NEARFIELD_LONG: "1" } : {}) };
  try {
    const failure = await run(command, argsFor(report), { cwd: root, env }).then(
      () => undefined,
      (error) => error,
    );
    const failed = existsSync(report) ? count(JSON.parse(await readFile(report, "utf8"))) : 0;
    if (failure && failed === 0) throw failure;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file that fails outside its tests, on loading or in a hook, counts as one failure. @returns failures */
function count({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  const hasFailedTest = ({ assertionResults }) => assertionResults.some(({ status }) => status === "failed");
  const broken = testResults.filter((file) => file.status === "failed" && !hasFailedTest(file));
  counts.passed += numPassedTests;
  counts.failed += numFailedTests + broken.length;
  counts.skipped += numPendingTests + numTodoTests;
  for (const { name, assertionResults } of testResults) {
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status === "failed") addFailure(`${relative(root, name)} > ${fullName}`, failureMessages[0]);
    }
  }
  for (const { name, message } of broken) addFailure(relative(root, name), message);
  return numFailedTests + broken.length;
}

function addFailure(where, message) {
  failures.push(`${where}: ${firstLine(message)}`);
}

function firstLine(text = "") {
  return stripVTControlCharacters(text).split("\n", 1)[0].slice(0, 300);
}
