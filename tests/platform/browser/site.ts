/**
 * The sites of the tarball's test, made of the same page (app/): bundled by Vite for production, and as it
 * is, with an import map for the package's name. Both with the strictest content security policy under which
 * the library works.
 */
import { createHash } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../scripts/bundle.mjs";

const app = fileURLToPath(new URL("app", import.meta.url));

/** Directives, to be joined; `more` are further sources of scripts. */
export const strictPolicy = (more = ""): string[] => [
  "default-src 'none'",
  `script-src 'self' 'wasm-unsafe-eval'${more}`,
  "worker-src 'self'",
];

export interface Site {
  readonly folder: string;
  readonly policy: readonly string[];
}

/** @param folder with the package in its node_modules */
export async function viteSite(folder: string): Promise<Site> {
  const source = join(folder, "vite");
  await cp(app, source, { recursive: true });
  const outDir = join(folder, "vite-site");
  await bundle(join(source, "index.html"), { root: source, outDir });
  return { folder: outDir, policy: strictPolicy() };
}

/**
 * Workers have no import maps, so the page's own worker names the file.
 * @param folder gets the page
 * @param entry the file that the package's name stands for, by its address
 */
export async function importMapSite(
  folder: string,
  entry = "/node_modules/nearfield/dist/index.js",
): Promise<Site> {
  await cp(app, folder, { recursive: true });
  const map = JSON.stringify({ imports: { nearfield: entry } });
  await rewrite(join(folder, "index.html"), (html) =>
    html.replace("<script", `<script type="importmap">${map}</script>\n<script`),
  );
  await rewrite(join(folder, "worker.js"), (code) => code.replace('"nearfield"', JSON.stringify(entry)));
  const hash = createHash("sha256").update(map).digest("base64");
  const policy = strictPolicy(` 'sha256-${hash}'`);
  if (entry.startsWith("/")) return { folder, policy };
  return { folder, policy: fromElsewhere(policy, new URL(entry).origin) };
}

/** The worker of a library from there is started by a Blob, which imports it. */
function fromElsewhere(policy: readonly string[], origin: string): string[] {
  return policy.map((each) =>
    each.replace(/^script-src/, `$& ${origin}`).replace(/^worker-src/, `$& blob: ${origin}`),
  );
}

async function rewrite(path: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(path, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`${path} has nothing to replace`);
  await writeFile(path, after);
}
