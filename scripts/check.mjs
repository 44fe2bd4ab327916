// `npm run check`: types, lint and format of everything, the reference, the pages of operators and the size
// of a bundle, side by side. Needs a build first, since the tests import dist/.
import { spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const env = { ...process.env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" };

const checks = [
  ["types and lint", process.execPath, ["scripts/typesAndLint.mjs"]],
  ["docs", "node_modules/.bin/typedoc", ["--emit", "none"]],
  ["format", "node_modules/.bin/prettier", ["--check", "--log-level", "warn", "."]],
  ["pages of operators", process.execPath, ["scripts/operators.mjs", "--check"]],
  ["size", process.execPath, ["scripts/size.mjs"]],
];

/** Runs all checks. @returns the names of those that failed, their output printed */
export async function check() {
  const results = await Promise.all(checks.map((each) => runTool(...each)));
  const failed = results.filter(({ code }) => code !== 0);
  for (const { name, output } of failed) console.log(`--- ${name}\n${output.trimEnd()}`);
  return failed.map(({ name }) => name);
}

function runTool(name, tool, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, { cwd: root, env });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ name, code, output }));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const failed = await check();
  console.log(
    failed.length === 0 ? "types, lint, docs, format and size are clean" : `failed: ${failed.join(", ")}`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}
