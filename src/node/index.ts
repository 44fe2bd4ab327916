/**
 * `nearfield/node` has what Nearfield offers to Node and Deno alone: files on disk. All else is in
 * `nearfield`, whose names are the same in browsers.
 * @example
 * import { fileSource } from "nearfield/node";
 * import { fileURLToPath } from "node:url";
 *
 * const source = await fileSource(fileURLToPath(import.meta.url));
 * typeof source.readInto; // => "function"
 */
export { fileSource } from "./fileSource.ts";
