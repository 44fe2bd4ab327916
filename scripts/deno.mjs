// Deno for the tests, at a fixed version: npm's package for this platform alone, which holds the binary and
// runs no script. Kept in .deno/ and out of package.json, so that nobody but who tests loads its 42 MB.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";

const version = "2.9.6";
const folder = fileURLToPath(new URL("../.deno", import.meta.url));

const { platform, arch } = process;
const name = `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`;
const home = join(folder, "node_modules", name);

/** @returns the path of its binary; undefined before it was set up */
export function findDeno() {
  const binary = join(home, platform === "win32" ? "deno.exe" : "deno");
  return existsSync(binary) ? binary : undefined;
}

/**
 * Installs it, or says that npm has none for this platform.
 * @returns the path of its binary, if there is one then
 */
export async function setUpDeno() {
  if (findDeno() && (await installedVersion()) === version) return findDeno();
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", "--prefix", folder, ...flags, `${name}@${version}`]).catch((error) =>
    console.log(`${name} could not be installed: ${error.message}. The tests in Deno are skipped.`),
  );
  return findDeno();
}

async function installedVersion() {
  return JSON.parse(await readFile(join(home, "package.json"), "utf8")).version;
}
