/**
 * The time that a process costs on top of its work: `nearfield run` of examples/penguins.json and the
 * `nearfield classify` that does the same, in turns, from start to end. Not a test.
 *
 *     node dist-bench/process.bench.js [--runs 15] [--backend cpu]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { readTable, splitTable, textSource, writeTable, type Table } from "../dist/node.js";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "15" }, backend: { type: "string", default: "cpu" } },
});
const root = new URL("..", import.meta.url);
const pathOf = (path: string) => fileURLToPath(new URL(path, root));

const folder = mkdtempSync(join(tmpdir(), "nearfield-process-"));
const text = gunzipSync(readFileSync(pathOf("examples/penguins.csv.gz"))).toString();
const whole = await readTable(textSource(text, "penguins.csv"));
const [train, test] = splitTable(whole, { ratios: [0.7, 0.3], label: "species" });
const files = { train: await written("train.csv", train), test: await written("test.csv", test) };

const device = ["--backend", values.backend];
const commands = {
  run: ["run", pathOf("examples/penguins.json"), "--json", ...device],
  classify: [
    ...["classify", "--train", files.train, "--test", files.test, "--label", "species"],
    ...["--normalize", "z", "--json", "--quiet", "--out", join(folder, "out.csv"), "--force", ...device],
  ],
};

const times: Record<keyof typeof commands, number[]> = { run: [], classify: [] };
const runs = Number(values.runs);
for (let run = -1; run < runs; run++) {
  // The first turn is not counted; the others go there and back, so that none is always second.
  const order = run % 2 === 0 ? (["run", "classify"] as const) : (["classify", "run"] as const);
  for (const name of order) {
    const { seconds, accuracy } = timed(commands[name]);
    if (accuracy !== 102 / 103) throw new Error(`${name} has accuracy ${accuracy}, not 102 of 103`);
    if (run >= 0) times[name].push(seconds);
  }
}
rmSync(folder, { recursive: true });

const [ours, theirs] = [median(times.run), median(times.classify)];
console.log(
  `nearfield run:      ${ours.toFixed(3)} s, median of ${runs}, least ${Math.min(...times.run).toFixed(3)} s`,
);
console.log(
  `nearfield classify: ${theirs.toFixed(3)} s, median of ${runs}, least ${Math.min(...times.classify).toFixed(3)} s`,
);
console.log(`ratio:              ${(ours / theirs).toFixed(2)}`);

async function written(name: string, table: Table): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTable("csv", table)) pieces.push(Buffer.from(piece));
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

/** Runs a command and reads the accuracy that it reports, so that both are seen to do the same. */
function timed(args: readonly string[]): { readonly seconds: number; readonly accuracy: number } {
  const begin = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [pathOf("dist/bin/main.js"), ...args], {
    encoding: "utf8",
  });
  const seconds = (performance.now() - begin) / 1000;
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  const [, accuracy] = /"accuracy":([0-9.]+)/.exec(stdout) ?? [];
  return { seconds, accuracy: Number(accuracy) };
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
