/**
 * Every command, interrupted at random moments: it ends soon, with the exit code of its signal or complete;
 * each of its files is whole or not there; and no temporary file is left.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Random } from "../../../oracle/random.ts";
import { examples } from "../../../backend/gallery.ts";
import { type Folder, manyRows, outcomeOf } from "../helpers.ts";

interface Job {
  readonly args: readonly string[];
  /** What it writes. */
  readonly files: readonly string[];
}

const cpu = ["--backend", "cpu", "--threads", "1"];
const rows = ["--train", "train.csv", "--metric", "minkowski", "--p", "2.5", "--k", "20", ...cpu];
const model = ["--save-model", "model.nfm"];
const spread = ["--train", "train.csv", "--queries", "train.csv", "--features", "x,y"];

const written = ["--out", "out.csv"];

const jobs: readonly Job[] = [
  { args: ["search", ...rows, "--queries", "train.csv", "--out", "out.csv"], files: ["out.csv"] },
  { args: ["search", ...rows, "--queries", "train.csv", "--out", "out.parquet"], files: ["out.parquet"] },
  {
    args: ["classify", ...rows, "--test", "train.csv", "--label", "class", "--out", "out.csv.gz", ...model],
    files: ["out.csv.gz", "model.nfm"],
  },
  {
    args: ["classify", ...rows, "--label", "class", "--cv", "3", "--normalize", "z", ...model],
    files: ["model.nfm"],
  },
  {
    args: ["regress", ...rows, "--test", "train.csv", "--label", "y", "--out", "out.jsonl", ...model],
    files: ["out.jsonl", "model.nfm"],
  },
  {
    args: ["predict", "--model", "kept.nfm", "--test", "train.csv", "--out", "out.csv", ...cpu],
    files: ["out.csv"],
  },
  { args: ["run", "process.json", ...cpu], files: ["out.csv"] },
  {
    args: ["convolve", "train.csv", "--column", "x", "--taps", "1,2,1", "--out", "out.npy"],
    files: ["out.npy"],
  },
  { args: ["sort", "train.csv", "--column", "x", "--out", "out.parquet"], files: ["out.parquet"] },
  { args: ["sort", "train.csv", "--column", "x", "--argsort", "--out", "out.npy"], files: ["out.npy"] },
  {
    args: ["histogram", "train.csv", "--column", "x", "--bins", "50", "--out", "out.csv"],
    files: ["out.csv"],
  },
  {
    args: ["distances", ...spread, "--bins", "20", "--out", "out.csv", ...cpu],
    files: ["out.csv"],
  },
  {
    args: ["tune", "--train", "train.csv", "--label", "class", "--k", "1:9:2", ...written, ...model, ...cpu],
    files: ["out.csv", "model.nfm"],
  },
  { args: ["cloud", "nearest", ...spread, "--k", "3", ...written, ...cpu], files: ["out.csv"] },
  {
    args: ["cloud", "generate", "--rows", "20000", "--truth", "uniform", ...cpu],
    files: ["train.xyz", "queries.xyz", "distances.txt", "indices.txt"].map((end) => `uniform.${end}`),
  },
  { args: ["import", "seed.rmp", "--out", "out.json"], files: ["out.json"] },
  { args: ["operators", "--json"], files: [] },
  { args: ["schema", "train.csv"], files: [] },
  { args: ["bench", "knn", "--references", "5000", "--columns", "16", "--repeat", "1", ...cpu], files: [] },
  { args: ["bench", "sort", "--count", "100000", "--repeat", "1", ...cpu], files: [] },
  { args: ["doctor", "--backend", "cpu"], files: [] },
  { args: ["example", "digits"], files: ["digits.csv", "digits-train.csv", "digits-test.csv"] },
];

/** What `run` runs: it votes, and writes a table. */
const process = {
  nearfield: 1,
  nodes: {
    read: { operator: "readTable", parameters: { file: "train.csv" } },
    roles: { operator: "setRole", inputs: { table: "read.table" }, parameters: { label: "class" } },
    knn: { operator: "knn", inputs: { train: "roles.table" }, parameters: { k: 20 } },
    apply: { operator: "applyModel", inputs: { model: "knn.model", table: "read.table" } },
    write: { operator: "writeTable", inputs: { table: "apply.table" }, parameters: { file: "out.csv" } },
  },
};

export const commands = [...new Set(jobs.map(({ args }) => args[0]))];

const endings = { SIGINT: 130, SIGTERM: 143 } as const;

/** On a busy machine; an idle one takes a tenth of a second. */
const MOST_SECONDS = 10;

/** @param moments how many, shared out among what the command does in turn */
export async function interruptCommand(
  command: string,
  folder: Folder,
  random: Random,
  moments: number,
): Promise<void> {
  const [header, ...lines] = manyRows(3000).trimEnd().split("\n");
  const train = lines.map((line, row) => `${line},${(row * 31) % 3}\n`);
  folder.write({
    "train.csv": `${header},class\n${train.join("")}`,
    "process.json": JSON.stringify(process),
    "seed.rmp": readFileSync(join(examples, "seed.rmp"), "utf8"),
  });
  const kept = ["classify", ...rows, "--label", "class", "--save-model", "kept.nfm", "--quiet"];
  if (command === "predict") expect((await folder.run(kept)).code).toBe(0);
  const own = jobs.filter(({ args }) => args[0] === command);
  const others = [...folder.list()];
  const wholes = new Map<Job, Whole>();
  for (let moment = 0; moment < moments; moment++) {
    const job = own[moment % own.length];
    let whole = wholes.get(job);
    if (whole === undefined) wholes.set(job, (whole = await runWhole(folder, job)));
    await interrupt(folder, job, whole, random);
    expect(folder.list(), job.args.join(" ")).toEqual(others);
  }
}

interface Whole {
  readonly ms: number;
  readonly lines: number;
  readonly files: readonly Buffer[];
}

async function runWhole(folder: Folder, job: Job): Promise<Whole> {
  const began = performance.now();
  const { code, stdout, stderr } = await folder.run(job.args);
  expect([code, job.args], stderr).toEqual([0, job.args]);
  const lines = stdout.split("\n").length;
  return { ms: performance.now() - began, lines, files: takeAway(folder, job).map((bytes) => bytes!) };
}

async function interrupt(folder: Folder, job: Job, whole: Whole, random: Random): Promise<void> {
  const ending = random.pick(["SIGINT", "SIGTERM"] as const);
  // Mostly once it listens for signals.
  const after = whole.ms * random.uniform(random.pick([0, 0.3, 0.3, 0.3]), 1.1);
  const child = folder.start(job.args);
  const outcome = outcomeOf(child);
  await new Promise((resolve) => setTimeout(resolve, after));
  const sent = performance.now();
  child.kill(ending);
  const { code, stdout, stderr } = await outcome;
  const seconds = (performance.now() - sent) / 1000;

  const said = `${job.args.join(" ")}: ${ending} after ${after.toFixed(1)} ms of ${whole.ms.toFixed(0)}\n${stderr}`;
  expect(seconds, said).toBeLessThan(MOST_SECONDS);
  // Before the command listens, and where it does not let go of the process, the signal ends it; shells
  // report the same code.
  expect([0, endings[ending], ending], said).toContain(code ?? child.signalCode);
  const files = takeAway(folder, job);
  files.forEach((bytes, at) => {
    if (bytes) expect(bytes.equals(whole.files[at]), `${said}: ${job.files[at]} is whole`).toBe(true);
  });
  const there = job.files.filter((_, at) => files[at]);
  if (code === 0) expect([there, stdout.split("\n").length], said).toEqual([job.files, whole.lines]);
  if (stderr.includes("no output file was written")) expect(there, said).toEqual([]);
  for (const name of /interrupted; (.*) was written before/.exec(stderr)?.[1].split(" and ") ?? [])
    expect(there, said).toContain(name.split("/").at(-1));
}

/** The files that a job has written, which are then gone; undefined for those that it has not. */
function takeAway(folder: Folder, { files }: Job): (Buffer | undefined)[] {
  return files.map((name) => {
    const path = join(folder.path, name);
    if (!existsSync(path)) return undefined;
    const bytes = readFileSync(path);
    rmSync(path);
    return bytes;
  });
}
