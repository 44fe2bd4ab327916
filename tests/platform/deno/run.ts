/**
 * Runs one of the two lists of suite.ts in Deno and writes what came of it in the form of Vitest's JSON
 * report, as far as scripts/test.mjs reads that: deno run -A --config tests/platform/deno/deno.json
 * tests/platform/deno/run.ts LIST REPORT
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startTests } from "@vitest/runner";
import type { File, Suite, Test, VitestRunner } from "@vitest/runner";
import { printedSeed } from "../../oracle/random.ts";
import { partsOf } from "./suite.ts";
import type { Part } from "./suite.ts";

const [list = "0", report] = process.argv.slice(2);
const seed = printedSeed();
const long = Boolean(process.env.NEARFIELD_LONG);
const backend = fileURLToPath(new URL("../../backend/", import.meta.url));
const parts = new Map(partsOf(Number(list), backend, long).map((part) => [backend + part.file, part]));

const runner: VitestRunner = {
  config: {
    root: fileURLToPath(new URL("../../..", import.meta.url)),
    setupFiles: [],
    name: "deno",
    passWithNoTests: true,
    testNamePattern: undefined,
    allowOnly: false,
    sequence: { seed, hooks: "stack", setupFiles: "list" },
    chaiConfig: undefined,
    maxConcurrency: 1,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    retry: 0,
    includeTaskLocation: false,
    tags: [],
    tagsFilter: undefined,
    strictTags: false,
  },
  importFile: (path) => import(pathToFileURL(path).href),
  onCollected: (files: File[]) => files.forEach((file) => thin(file, parts.get(file.filepath))),
};

/** Leaves out what the part does not want. */
function thin(file: File, part: Part | undefined): void {
  if (!part) throw new Error(`${file.filepath} is in no list`);
  const { every, except = {} } = part;
  const wants = (name: string) => !Object.keys(except).some((each) => name.includes(each));
  const offset = seed % Math.max(1, Math.min(every, countOf(file, "", wants)));
  let count = 0;
  const visit = (suite: Suite, path: string) => {
    suite.tasks = suite.tasks.filter((task) => {
      const name = path === "" ? task.name : `${path} > ${task.name}`;
      if (task.type === "suite") {
        visit(task, name);
        return task.tasks.length > 0;
      }
      return wants(name) && count++ % every === offset;
    });
  };
  visit(file, "");
}

function countOf(suite: Suite, path: string, wants: (name: string) => boolean): number {
  return suite.tasks.reduce((sum, task) => {
    const name = path === "" ? task.name : `${path} > ${task.name}`;
    return sum + (task.type === "suite" ? countOf(task, name, wants) : Number(wants(name)));
  }, 0);
}

function testsOf(suite: Suite): Test[] {
  return suite.tasks.flatMap((task) => (task.type === "suite" ? testsOf(task) : [task]));
}

function fullName({ name, suite }: Test | Suite): string {
  return suite && suite.name !== "" ? `${fullName(suite)} > ${name}` : name;
}

function errorsOf({ result }: Test | File): string {
  const lines = result?.errors?.map(({ message, stack = "" }) => `${message}\n${stack}`) ?? [];
  return lines.join("\n");
}

const files = await startTests([...parts.keys()], runner);
const tests = files.flatMap(testsOf);
const inState = (state: string) => tests.filter(({ mode, result }) => (result?.state ?? mode) === state);
const [passed, failed, skipped] = [inState("pass"), inState("fail"), inState("skip")];
for (const test of failed) {
  console.log(`FAIL ${test.file.name} > ${fullName(test)}\n${errorsOf(test)}`);
}
// A file that cannot be loaded, or whose hook fails.
const broken = files.filter(
  (file) => file.result?.state === "fail" && !testsOf(file).some((each) => failed.includes(each)),
);
for (const file of broken)
  console.log(`FAIL ${file.name}
${errorsOf(file)}`);
for (const file of files) {
  console.log(
    `${file.name}: ${testsOf(file).length} tests, ${((file.result?.duration ?? 0) / 1000).toFixed(1)} s`,
  );
}
if (report) {
  const testResults = files.map((file) => ({
    name: file.filepath,
    status: broken.includes(file) || failed.some((test) => test.file === file) ? "failed" : "passed",
    message: errorsOf(file),
    assertionResults: failed
      .filter((test) => test.file === file)
      .map((test) => ({
        status: "failed",
        fullName: `${fullName(test)} (Deno)`,
        failureMessages: [errorsOf(test)],
      })),
  }));
  const counts = {
    numPassedTests: passed.length,
    numFailedTests: failed.length,
    numPendingTests: skipped.length,
  };
  await writeFile(report, JSON.stringify({ ...counts, numTodoTests: 0, testResults }));
}
process.exitCode = failed.length + broken.length > 0 ? 1 : 0;
