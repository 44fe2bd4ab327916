// How the tests run: in forked processes, since Dawn and its software driver live in the process that loads them.
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import { findSoftwareGpu } from "./scripts/software-gpu.mjs";

const long = Boolean(process.env.NEARFIELD_LONG);

/** Files that take a minute and more, small as they are: begun last, they would leave a core idle. */
const slow = ["platform/examples", "platform/browser", "platform/cli/signals/signals"].map(
  (name) => `${name}.test.ts`,
);

/** Vitest begins with the largest files, since it does not know in an empty clone how long they take. */
class SlowFirst extends BaseSequencer {
  async sort(files) {
    const isFast = ({ moduleId }) => !slow.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => Number(isFast(a)) - Number(isFast(b)));
  }
}

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: long ? [] : ["tests/**/*.long.test.ts"],
    setupFiles: ["tests/restful.ts", "tests/equality.ts"],
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: SlowFirst },
    // A software GPU on a busy machine compiles for a minute what it compiles for ten seconds on an idle one.
    testTimeout: long ? 1_800_000 : 180_000,
    hookTimeout: 180_000,
    env: findSoftwareGpu(),
    server: { deps: { external: [/\/dist\//] } },
  },
});
