/**
 * The documentation does what it says: the examples of every exported name and the code of README and docs/
 * compile, run on the package and give what they claim; the commands of the pages run and write what the
 * pages show.
 */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { exportsOf, type Exported } from "./examples/api.ts";
import { compileExamples, root, sourceProgram, type Compiled, type Example } from "./examples/compile.ts";
import { blocksOf, modulesOf, type Block } from "./examples/markdown.ts";

const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
const hasGpu = process.env.NEARFIELD_TEST_GPU === "1" || inCI;

const sources = sourceProgram();
const forAll = exportsOf(sources, join(root, "src/index.ts"));
const exported = [...forAll, ...exportsOf(sources, join(root, "src/node/index.ts")).map(ofNode)];
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map((name) => ({ name, blocks: blocksOf(readFileSync(join(root, name), "utf8")) }));
const examples: readonly Example[] = [
  ...exported.flatMap(({ name, examples }) =>
    examples.map((example, at) => ({ ...example, name: at === 0 ? name : `${name} #${at + 1}` })),
  ),
  ...pages.flatMap(({ name, blocks }) =>
    modulesOf(blocks).map((module) => ({ ...module, name: `${name}, line ${module.line}` })),
  ),
];
const compiled = compileExamples(examples, new Set(forAll.map(({ name }) => name)), sources);

test("every export has an example, types too", () => {
  const without = exported.filter(({ examples }) => examples.length === 0);
  expect(without.map(({ name }) => `${name} has no @example in its doc comment`)).toEqual([]);
});

function ofNode({ name, ...rest }: Exported): Exported {
  return { ...rest, name: `nearfield/node: ${name}` };
}

interface Result {
  readonly path: string;
  readonly held: number;
  readonly wrong: readonly string[];
  readonly error: string | null;
}

describe("the example of", () => {
  const results = new Map<string, Result>();
  const runnable = compiled.filter(({ needsGpu }) => hasGpu || !needsGpu);

  beforeAll(async () => {
    const runner = fileURLToPath(new URL("examples/runner.mjs", import.meta.url));
    const env = { ...process.env, NEARFIELD_TEST_GPU: hasGpu ? "1" : "0" };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [runner, ...runnable.map(({ path }) => path)],
      { env },
    );
    for (const line of stdout.trim().split("\n")) {
      const result = JSON.parse(line) as Result;
      results.set(result.path, result);
    }
  });

  it.for(compiled.map((each) => [each.name, each] as [string, Compiled]))(
    "%s",
    ([, { path, claims, mistakes, needsGpu }], { skip }) => {
      expect(mistakes).toEqual([]);
      skip(needsGpu && !hasGpu, "no GPU");
      expect(results.get(path)).toEqual({ path, held: claims, wrong: [], error: null });
    },
  );
});

describe("the commands of", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "nearfield-pages-"));
    const tool = (name: string, text: string) => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    tool(
      "npx",
      `[ "$1" = nearfield ] && shift && exec '${process.execPath}' '${join(root, "dist/cli/main.js")}' "$@"`,
    );
    tool("npm", ":");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Blocks in their order; those that show something are compared with what the last command left. */
  async function runPage(page: string, blocks: readonly Block[]): Promise<void> {
    const cwd = join(folder, page.replaceAll("/", "-"));
    mkdirSync(cwd);
    for (const { kind, name, text } of blocks)
      if (kind === "file") writeFileSync(join(cwd, name), `${text}\n`);
    let last: Outcome = { stdout: "", stderr: "", failed: false };
    for (const { kind, name, text, line } of blocks) {
      const where = `${page}, line ${line}`;
      if (kind === "sh") {
        last = await runShell(text, cwd);
        expect(last.failed, `${where}: ${last.stderr}`).toBe(name === "fails");
      } else if (kind === "csv") {
        expect(name === "" ? last.stdout : readFileSync(join(cwd, name), "utf8"), where).toBe(`${text}\n`);
      } else if (kind === "text" && name === "stdout") {
        expect(last.stdout, where).toBe(`${text}\n`);
      } else if (kind === "text" && name === "stderr") {
        expect(last.stderr, where).toContain(`${text}\n`);
      }
    }
  }

  interface Outcome {
    readonly stdout: string;
    readonly stderr: string;
    readonly failed: boolean;
  }

  /** With an npx that runs this package's own command, and an npm that does nothing. */
  function runShell(text: string, cwd: string): Promise<Outcome> {
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    return new Promise((resolve) => {
      execFile("sh", ["-e", "-c", text], { cwd, env }, (error, stdout, stderr) =>
        resolve({ stdout, stderr, failed: error !== null }),
      );
    });
  }

  const withCommands = pages.filter(({ blocks }) => blocks.some(({ kind }) => kind === "sh"));
  it.for(withCommands.map(({ name, blocks }) => [name, blocks] as const))(
    "%s run, and write what it shows",
    ([name, blocks]) => runPage(name, blocks),
  );
});
