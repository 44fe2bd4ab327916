/**
 * The documentation does what it says: the examples of every exported name compile, run on the package and
 * give what they claim. README and the pages of docs/ are pasted block by block into empty folders, where
 * they do what they show.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { noChromium } from "./browser/chromium.ts";
import { exportsOf, type Exported } from "./examples/api.ts";
import { compileExamples, root, sourceProgram, type Compiled, type Example } from "./examples/compile.ts";
import { blocksOf, stepsOf, type Snippet, type Step } from "./examples/markdown.ts";
import { installInto, runPage } from "./examples/page.ts";

const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
const hasGpu = process.env.NEARFIELD_TEST_GPU === "1" || inCI;

const sources = sourceProgram();
const forAll = exportsOf(sources, join(root, "src/index.ts"));
const exported = [...forAll, ...["node", "graph"].flatMap(exportsBeside)];
const ofExports: readonly Example[] = exported.flatMap(({ name, examples }) =>
  examples.map((example, at) => ({ ...example, name: at === 0 ? name : `${name} #${at + 1}` })),
);

interface Page {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The modules by their lines. */
  readonly modules: ReadonlyMap<number, Example>;
}

const documents = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...documents.map((name) => `docs/${name}`)].map((name): Page => {
  const steps = stepsIn(name);
  const modules = steps.flatMap((step) => (step.kind === "module" ? [step.module] : []));
  const exampleOf = ({ line, code }: Snippet) => ({ line, code, name: `${name}, line ${line}`, whole: true });
  return { name, steps, modules: new Map(modules.map((module) => [module.line, exampleOf(module)])) };
});
const examples = [...ofExports, ...pages.flatMap(({ modules }) => [...modules.values()])];
const modules = new Map(forAll.map(({ name }) => [name, "nearfield"]));
for (const { name } of exportsOf(sources, join(root, "src/graph/index.ts")))
  modules.set(name, "nearfield/graph");
const compiled = compileExamples(examples, modules);
const compiledOf = new Map(examples.map((example, at) => [example, compiled[at]]));

function stepsIn(name: string): Step[] {
  try {
    return stepsOf(blocksOf(readFileSync(join(root, name), "utf8")));
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

test("every export has an example, types too", () => {
  const without = exported.filter(({ examples }) => examples.length === 0);
  expect(without.map(({ name }) => `${name} has no @example in its doc comment`)).toEqual([]);
});

/** The exports of an entry beside the main one. */
function exportsBeside(entry: string): Exported[] {
  const found = exportsOf(sources, join(root, `src/${entry}/index.ts`));
  return found.map(({ name, ...rest }) => ({ ...rest, name: `nearfield/${entry}: ${name}` }));
}

interface Result {
  readonly path: string;
  readonly held: number;
  readonly wrong: readonly string[];
  readonly error: string | null;
}

describe("the example of", () => {
  const results = new Map<string, Result>();
  const own = compiled.slice(0, ofExports.length);
  const runnable = own.filter(({ needsGpu }) => hasGpu || !needsGpu);

  beforeAll(async () => {
    const runner = fileURLToPath(new URL("examples/runner.mjs", import.meta.url));
    const env = { ...process.env, NEARFIELD_TEST_GPU: hasGpu ? "1" : "0" };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [runner, ...runnable.map(({ path }) => path)],
      { env },
    );
    for (const line of stdout.trim().split("\n")) {
      const { path, held, wrong, error } = JSON.parse(line) as Result;
      results.set(path, { path, held, wrong, error });
    }
  });

  it.for(own.map((each) => [each.name, each] as [string, Compiled]))(
    "%s",
    ([, { path, claims, mistakes, needsGpu }], { skip }) => {
      expect(mistakes).toEqual([]);
      skip(needsGpu && !hasGpu, "no GPU");
      expect(results.get(path)).toEqual({ path, held: claims, wrong: [], error: null });
    },
  );
});

describe("the page", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "nearfield-pages-"));
    installInto(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.for(pages.map((page) => [page.name, page] as const))(
    "%s does what it shows, pasted block by block",
    async ([name, { steps, modules }], { skip }) => {
      const own = new Map([...modules].map(([line, example]) => [line, compiledOf.get(example)!]));
      expect(
        [...own.values()].flatMap(({ name, mistakes }) => mistakes.map((each) => `${name}: ${each}`)),
      ).toEqual([]);
      const needsGpu = [...own.values()].some((each) => each.needsGpu);
      skip(needsGpu && !hasGpu, "no GPU");
      skip(steps.some(({ kind }) => kind === "html") && noChromium, "no Chromium");
      await runPage(name, steps, own, folder);
    },
  );
});

test("the pictures of the pages are what scripts/pictures.mjs draws", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nearfield-pictures-"));
  await promisify(execFile)(process.execPath, [join(root, "scripts/pictures.mjs"), folder]);
  const drawn = readdirSync(folder).sort();
  expect(drawn).toEqual(readdirSync(join(root, "docs/img")).sort());
  const textOf = (...path: string[]) => readFileSync(join(...path), "utf8");
  const changed = drawn.filter((name) => textOf(folder, name) !== textOf(root, "docs/img", name));
  rmSync(folder, { recursive: true });
  expect(changed).toEqual([]);
});
