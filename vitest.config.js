// How the tests run: in forked processes, since Dawn and its software driver live in the process that loads them.
import { defineConfig } from "vitest/config";
import { findSoftwareGpu } from "./scripts/software-gpu.mjs";

const long = Boolean(process.env.NEARFIELD_LONG);

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: long ? [] : ["tests/**/*.long.test.ts"],
    setupFiles: ["tests/restful.ts"],
    pool: "forks",
    maxWorkers: 2,
    // A software GPU on a busy machine compiles for a minute what it compiles for ten seconds on an idle one.
    testTimeout: long ? 1_800_000 : 180_000,
    hookTimeout: 180_000,
    env: findSoftwareGpu(),
    server: { deps: { external: [/\/dist\//] } },
  },
});
