// Bundles the command line into dist/bin/, a chunk for each command, with the library's modules left outside.
// Nobody imports the command line, so that it need not be one module per source file as the library is: in
// chunks it is smaller, and a command starts by reading fewer files.
import { chmod } from "node:fs/promises";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";

/** @param dist the folder of the compiled modules; cli/main.js is the entry, and bin/ is written */
export async function bundleCommandLine(root, dist) {
  await build({
    configFile: false,
    envDir: false,
    root,
    publicDir: false,
    logLevel: "warn",
    plugins: [packStyle(join(dist, "cli/htmlReport/style.js"))],
    build: {
      ssr: join(dist, "cli/main.js"),
      outDir: join(dist, "bin"),
      target: "node20",
      minify: true,
      rolldownOptions: {
        external: (id, _importer, resolved) => resolved && !id.startsWith(join(dist, "cli") + sep),
        output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" },
      },
    },
  });
  await chmod(join(dist, "bin/main.js"), 0o755);
}

/**
 * Bundles the command line with the library's modules for tests that start it hundreds of times: Node takes
 * twice as long to begin with a file for each module, and a worker six times as long.
 * @param outDir a folder from which Node finds the packages that stay outside
 * @returns the path of its entry
 */
export async function bundleForTests(root, outDir) {
  await bundleAlone(
    root,
    join(root, "dist/bin/main.js"),
    outDir,
    pathToFileURL(join(outDir, "worker.js")).href,
  );
  await bundleWorkerForTests(root, outDir);
  return join(outDir, "main.js");
}

/** Bundles a worker with all of its modules. @returns its address */
export async function bundleWorkerForTests(root, outDir) {
  await bundleAlone(root, join(root, "dist/worker.js"), outDir);
  return pathToFileURL(join(outDir, "worker.js")).href;
}

/** @param worker the address of the worker that the bundle starts */
async function bundleAlone(root, entry, outDir, worker) {
  const inPlace = {
    name: "modules find the files beside them where they were",
    transform: (code, id) =>
      code
        .replaceAll('new URL("./worker.js", import.meta.url)', `new URL(${JSON.stringify(worker)})`)
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
  };
  await build({
    configFile: false,
    envDir: false,
    root,
    publicDir: false,
    logLevel: "error",
    plugins: [inPlace],
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: worker !== undefined,
      target: "node20",
      minify: false,
      rolldownOptions: {
        output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" },
      },
    },
  });
}

/** Packs the style of reports, which is half as large then. */
function packStyle(module) {
  return {
    name: "pack-style",
    async transform(_, id) {
      if (id !== module) return undefined;
      const { style, ...rest } = await import(pathToFileURL(module));
      const packed = brotliCompressSync(style).toString("base64");
      const others = Object.entries(rest).map(([name, value]) => `export const ${name} = ${value};\n`);
      return `import { brotliDecompressSync } from "node:zlib";
export const style = brotliDecompressSync(Buffer.from("${packed}", "base64")).toString();
${others.join("")}`;
    },
  };
}
