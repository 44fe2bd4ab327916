/**
 * The host's part of one query on a resident index: planning, composing, recording and reading back, on
 * Dawn's backend that computes nothing. Not a test, and no search: nothing is found, which ends each call in
 * an error where the result is checked, at the same place in all trees.
 *
 *     VK_ICD_FILENAMES=none NEARFIELD_DAWN=backend=null node dist-bench/host_part.bench.js
 *       [--trees .,../other] [--calls 1500] [--rounds 3]
 *
 * `--trees` are folders with a built `dist/`; each runs in a process of its own, in turns.
 */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    trees: { type: "string", default: "." },
    calls: { type: "string", default: "1500" },
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
  },
});

const [ROWS, COLS, K] = [20_000, 32, 10];

async function timeCalls(tree: string): Promise<void> {
  const { Device, NearestNeighbors } = (await import(
    pathToFileURL(resolve(tree, "dist/node.js")).href
  )) as typeof import("../dist/node.js");
  const device = await Device.create({ backend: "gpu" });
  const data = new Float32Array(ROWS * COLS).map(() => Math.random());
  const model = await new NearestNeighbors({ device }).fit({ rows: ROWS, cols: COLS, data });
  const query = { rows: 1, cols: COLS, data: data.slice(0, COLS) };
  const times: number[] = [];
  for (let call = 0; call < Number(values.calls); call++) {
    const begin = performance.now();
    await model.kneighbors(query, { nNeighbors: K }).catch((error: unknown) => {
      if (!String(error).includes("0 candidates")) throw error;
    });
    times.push(performance.now() - begin);
  }
  const later = times.slice(times.length / 4).sort((a, b) => a - b);
  const [median, tenth] = [later[later.length >> 1], later[Math.floor(later.length / 10)]];
  console.log(`${tree.padEnd(24)} median ${median.toFixed(3)} ms  a tenth below ${tenth.toFixed(3)} ms`);
  process.exit();
}

if (values.only !== undefined) await timeCalls(values.only);
else
  for (let round = 0; round < Number(values.rounds); round++)
    for (const tree of values.trees.split(","))
      execFileSync(
        process.execPath,
        [fileURLToPath(import.meta.url), "--only", tree, "--calls", values.calls],
        {
          stdio: "inherit",
        },
      );
