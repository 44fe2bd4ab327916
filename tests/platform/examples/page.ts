/**
 * This module does what a reader of a page does: it pastes its blocks, in their order, into an empty folder
 * that has nothing but the installed package, and compares what comes out with what the page shows. Nothing
 * that the page does not show is there.
 */
import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { launchChromium, noChromium } from "../browser/chromium.ts";
import { serveFolder } from "../browser/server.ts";
import { root, type Compiled } from "./compile.ts";
import type { Step } from "./markdown.ts";
import { isShown } from "./shown.ts";

/** The output of the last command, module or web page. */
interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly failed: boolean;
}

interface ModuleResult {
  readonly held: number;
  readonly wrong: readonly string[];
  readonly error: string | null;
  readonly printed: string;
}

const tools = "tools";
const runner = fileURLToPath(new URL("runner.mjs", import.meta.url));

/**
 * Installs, in `folder` and for all pages, the package and webgpu as npm would, an npx that finds its
 * command, and an npm that does nothing.
 */
export function installInto(folder: string): void {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/nearfield"));
  symlinkSync(join(root, "node_modules/webgpu"), join(folder, "node_modules/webgpu"));
  mkdirSync(join(folder, tools));
  const tool = (name: string, text: string) => {
    writeFileSync(join(folder, tools, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, tools, name), 0o755);
  };
  tool(
    "npx",
    `[ "$1" = nearfield ] && shift && exec '${process.execPath}' '${join(root, "dist/bin/main.js")}' "$@"`,
  );
  tool("npm", `[ "$1" = install ]`);
}

/** @param folder that of installInto  @param compiled the modules of the page, by their lines */
export async function runPage(
  page: string,
  steps: readonly Step[],
  compiled: ReadonlyMap<number, Compiled>,
  folder: string,
): Promise<void> {
  const cwd = join(folder, page.replaceAll("/", "-"));
  mkdirSync(cwd);
  const env = { ...process.env, PATH: `${join(folder, tools)}:${process.env.PATH}`, NO_COLOR: "1" };
  let last: Outcome = { stdout: "", stderr: "", failed: false };
  let silent: string | undefined;
  const mustBeShown = (where: string) => {
    if (last.stdout + last.stderr !== "") silent = where;
  };
  for (const step of steps) {
    const where = `${page}, line ${step.line}`;
    if (step.kind !== "csv" && step.kind !== "text")
      expect(silent, "prints something that the page does not show").toBeUndefined();
    if (step.kind === "module") {
      const { path: from, claims } = compiled.get(step.line)!;
      const path = join(cwd, `${basename(from, ".js")}.mjs`);
      copyFileSync(from, path);
      const { printed, ...result } = await runModule(path, cwd, env);
      expect(result, where).toEqual({ path, held: claims, wrong: [], error: null });
      last = { stdout: printed, stderr: "", failed: false };
      mustBeShown(where);
    } else if (step.kind === "sh") {
      last = await runShell(step.text, cwd, env);
      expect(last.failed, `${where}: ${last.stderr}`).toBe(step.name === "fails");
      mustBeShown(where);
    } else if (step.kind === "html" || step.kind === "js") {
      if (step.name !== "") writeFileSync(join(cwd, step.name), `${step.text}\n`);
    } else {
      silent = undefined;
      if (step.kind === "text" && existsSync(join(cwd, "index.html")))
        last = { ...last, stdout: await consoleOf(cwd, folder) };
      expectShown(step, last, cwd, where);
    }
  }
  expect(silent, "prints something that the page does not show").toBeUndefined();
}

function expectShown(
  { kind, name, text }: Exclude<Step, { kind: "module" }>,
  last: Outcome,
  cwd: string,
  where: string,
): void {
  const { stdout, stderr } = last;
  const [candidates, varies] =
    kind === "csv"
      ? [[name === "" ? stdout : readFileSync(join(cwd, name), "utf8")], ""]
      : [[stdout, stderr, stdout + stderr, stderr + stdout], name];
  if (candidates.some((each) => isShown(text, each, varies))) return;
  const enough = text.split("\n").length + 10;
  const printed = candidates[candidates.length - 1].split("\n").slice(0, enough).join("\n");
  expect(printed, where).toBe(`${text}\n`);
}

function runModule(
  path: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<ModuleResult & { path: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [runner, path], { cwd, env }, (error, stdout) =>
      error
        ? reject(new Error(error.message))
        : resolve(JSON.parse(stdout) as ModuleResult & { path: string }),
    );
  });
}

/** Runs a command; its output is without the warnings of Dawn and of npm about this machine. */
function runShell(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile("sh", ["-e", "-c", text], { cwd, env }, (error, stdout, stderr) =>
      resolve({
        stdout,
        stderr: stderr.replace(/^Warning: .*\n(?: +-? .*\n)*\n?/gm, ""),
        failed: error !== null,
      }),
    );
  });
}

/** Returns what index.html of the folder prints within ten seconds. */
async function consoleOf(cwd: string, folder: string): Promise<string> {
  if (noChromium) throw new Error("there is no Chromium for this page");
  if (!existsSync(join(cwd, "node_modules")))
    symlinkSync(join(folder, "node_modules"), join(cwd, "node_modules"));
  const policy =
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'";
  const server = await serveFolder(cwd, { "content-security-policy": policy });
  const browser = await launchChromium(false);
  try {
    const page = await browser.newPage();
    const printed = new Promise<string>((resolve) => {
      page.on("console", (message) => {
        if (message.type() === "log" || message.type() === "error") resolve(`${message.text()}\n`);
      });
      page.on("pageerror", (error) => resolve(`${error.message}\n`));
    });
    await page.goto(server.url);
    return await printed;
  } finally {
    await browser.close();
    await server.close();
  }
}
