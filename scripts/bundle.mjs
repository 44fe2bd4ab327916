// Bundles an entry for browsers by Vite's production build, as a user would. Files that only the CPU backend
// loads, its worker included, go into a folder cpu/. Those go into mixed/ that only rows of few columns, rows
// that repeat, rows with nominal columns or gaps, rare measures, comparing bytes first, few queries, putting
// neighbours in order, chunks, timing of passes, shaders that do not compile, or the self-test of traits
// need.
import { build } from "vite";

/**
 * @param input path of a module or a page
 * @param options.root folder in which packages are looked up
 * @param options.alias packages that are somewhere else
 * @param options.plugins of Vite; default none
 * @param options.outDir where files are written; default nowhere
 * @returns the files of the bundle: `fileName`, and `code` or `source`
 */
export async function bundle(input, { root, alias = {}, plugins = [], outDir }) {
  const { output } = await build({
    configFile: false,
    envDir: false,
    root,
    publicDir: false,
    plugins,
    logLevel: "warn",
    base: "./",
    resolve: { alias },
    worker: { format: "es", rolldownOptions: { output: { entryFileNames: "cpu/[name]-[hash].js" } } },
    build: {
      outDir,
      emptyOutDir: true,
      write: outDir !== undefined,
      reportCompressedSize: false,
      rolldownOptions: {
        input,
        preserveEntrySignatures: "exports-only",
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: ({ moduleIds }) => `${folderOf(moduleIds)}[name]-[hash].js`,
        },
      },
    },
  });
  return output;
}

function folderOf(moduleIds) {
  if (
    moduleIds.some((path) =>
      /\/dist\/(.*\/cpu[./]|distance\/(exact\/|rows\/look)|ops\/knn\/(points\/|(plan|contract)\/s(urvey|ketch)))/.test(
        path,
      ),
    )
  )
    return "cpu/";
  if (moduleIds.some((path) => /\/dist\/(runtime\/gpu\/traits|ops\/knn\/distinct)/.test(path)))
    return "mixed/";
  const apart = moduleIds.filter((path) =>
    /\/dist\/.*(\/tree|treePrim|knn\/(plan|contract|gpu)\/order|\/byte|\/few|\/meanwhile|ahead\/(keptPlan|withoutWait)|gpu\/search|fewPrim|plan\/bounds|knn\/gpu\/made|runtime\/kept|matrix|inflated|packedShaders|passes\/(profile|failure)|collectives\/|tileScan|mixed|power|rare|rescaled|trigonometry)/.test(
      path,
    ),
  );
  return apart.length > 0 && apart.length === moduleIds.length ? "mixed/" : "";
}
