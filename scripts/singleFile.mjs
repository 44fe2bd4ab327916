// Bundles what `nearfield` exports in browsers into dist/nearfield.js, with the packages that it needs and
// the CPU backend's worker: one file that a page imports by its address, also from another origin, in one
// request where dist/index.js and what it imports take hundreds. Programs with a bundler import "nearfield"
// instead, and leave out what they do not use.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vite";

/** A worker loads this file, too, by its address with this at the end. */
const WORKER = "#worker";

/** Codecs of hyparquet-compressors that Nearfield does not ask for, a tenth of the file. */
const UNUSED = {
  "brotli.js": "export const decompressBrotli = undefined;",
  "gzip.js": "export const gunzip = undefined;",
};

/** Packages that the file holds, besides those that modules of dist/ hold with their licences. */
const packages = ["hyparquet", "hyparquet-compressors", "hyparquet-writer", "fzstd", "hysnappy"];
const embedded = ["io/csv/papaparse", "io/bytes/pako", "io/arrow/flechette"];

const entry = "nearfield.js";
const entryCode = `export * from "./index.js";
if (import.meta.url.endsWith("${WORKER}")) import("./worker.js");
`;

/** @param dist the folder of the compiled modules, which the file joins */
export async function bundleSingleFile(root, dist) {
  const entryPath = join(dist, entry);
  const platform = join(dist, "browser.js");
  const oneFile = {
    name: "one file",
    enforce: "pre",
    resolveId: (id) => (id === entryPath ? id : undefined),
    load: (id) => (id === entryPath ? entryCode : unused(id)),
    transform: (code, id) => (id === platform ? ownWorker(code) : undefined),
  };
  await build({
    configFile: false,
    envDir: false,
    root,
    publicDir: false,
    logLevel: "warn",
    plugins: [oneFile],
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: "es2022",
      modulePreload: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: Infinity,
      rolldownOptions: {
        input: entryPath,
        preserveEntrySignatures: "exports-only",
        output: { entryFileNames: entry, codeSplitting: false },
      },
    },
  });
  const code = await readFile(entryPath, "utf8");
  await writeFile(entryPath, `${await licenses(root, dist)}\n${code}`);
}

/** Licences go with every copy, also Nearfield's and fdlibm's notice; a minifier leaves out comments. */
async function licenses(root, dist) {
  const texts = packages.map(async (name) => {
    const text = await readFile(join(root, "node_modules", name, "LICENSE"), "utf8");
    return `/*! ${name}\n${text.trim()}\n*/`;
  });
  const comments = embedded.map(async (name) => {
    const [comment] = /^\/\*[^]*?\*\//.exec(await readFile(join(dist, `${name}.generated.js`), "utf8"));
    return comment;
  });
  const own = `/*! nearfield\n${(await readFile(join(root, "LICENSE"), "utf8")).trim()}\n*/`;
  return [own, ...(await Promise.all([...texts, ...comments]))].join("\n");
}

const unused = (id) => UNUSED[/hyparquet-compressors\/src\/(.*)/.exec(id)?.[1]];

/** Replaces the address of the worker's file, wherever it stands, by that of this file. */
function ownWorker(code) {
  const parts = code.split(/new URL\("\.\/worker\.js", (?:import\.meta\.url|here)\)/);
  if (parts.length !== 3) throw new Error("browser.js names the worker's file in another way now");
  return parts.join(`new URL("${WORKER}", here)`);
}
