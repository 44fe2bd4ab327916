// Bundles the command line into dist/bin/, a chunk for each command, with the library's modules left outside.
// Nobody imports the command line, so that it need not be one module per source file as the library is: in
// chunks it is smaller, and a command starts by reading fewer files.
import { chmod } from "node:fs/promises";
import { join, sep } from "node:path";
import { build } from "vite";

/** @param dist the folder of the compiled modules; cli/main.js is the entry, and bin/ is written */
export async function bundleCommandLine(root, dist) {
  await build({
    configFile: false,
    envDir: false,
    root,
    publicDir: false,
    logLevel: "warn",
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
