// `npm run size`: bundles tests/platform/size/knn.js into dist-size/ and has size-limit hold it to
// .size-limit.json. Needs a build first.
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { run } from "./run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

await bundle(`${root}tests/platform/size/knn.js`, {
  root,
  alias: { nearfield: `${root}dist/index.js` },
  outDir: `${root}dist-size/knn`,
});
await run("node_modules/.bin/size-limit", process.argv.slice(2), { cwd: root });
