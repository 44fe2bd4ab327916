/** `nearfield tune`: what it finds is what the command that it names then does, and its files. */
import { beforeEach, expect, it } from "vitest";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu", "--threads", "1"];
const lines = Array.from({ length: 40 }, (_, row) => {
  const x = (row * 7) % 20;
  return `${x},${(row * 3000) % 7000},${x < 9 ? "low" : "high"},${x * 2 + (row % 3)},p${row % 5}`;
});

beforeEach(() => folder.write({ "rows.csv": ["x,grams,kind,y,who", ...lines].join("\n") }));

interface Found {
  readonly best: { readonly k: number; readonly scaling: string; readonly mean: number };
  readonly candidates: readonly unknown[];
  readonly crossValidation: {
    readonly micro: { readonly accuracy?: number; readonly report?: { auc: number } };
  };
}

it("shows the best, and the command that does the same", async () => {
  const tune = [
    "tune",
    "--train",
    "rows.csv",
    "--label",
    "kind",
    "--ignore",
    "y,who",
    "--k",
    "1:9:4",
    "--cv",
    "4",
    ...cpu,
  ];
  const { code, stdout } = await folder.run([...tune, "--out", "all.jsonl", "--save-model", "m.nfm"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^tried 24 combinations by 16 searches on 40 rows, 2 features\n/);
  expect(stdout).toMatch(/\naccuracy over k \(\S+, z, \w+\)\n +1 .*█\n +5 .*█\n +9 .*█\n/);
  expect(stdout).toMatch(/\n +precision +recall +F1 +rows\n/);
  const [, share, command] = /\nbest {6}([\d.]+ %) .*: nearfield (.*)\n/.exec(stdout)!;
  const again = await folder.run([...command.split(" "), "--ignore", "y,who", "--cv", "4", ...cpu]);
  expect(again.stdout + again.stderr).toContain(`\naccuracy  ${share}`);
  const predicted = await folder.run(["predict", "--model", "m.nfm", "--test", "rows.csv", ...cpu]);
  expect(predicted.stderr).toMatch(/\naccuracy /);
  expect(folder.list()).toContain("all.jsonl");
});

it("numbers, groups, leave-one-out and JSON", async () => {
  const tune = [
    "tune",
    "--train",
    "rows.csv",
    "--label",
    "y",
    "--ignore",
    "kind",
    "--group",
    "who",
    "--metric",
    "l1,l2",
  ];
  const { stdout } = await folder.run([
    ...tune,
    "--cv",
    "loo",
    "--measure",
    "mae",
    "--k",
    "1,2",
    "--json",
    ...cpu,
  ]);
  const { best, candidates } = JSON.parse(stdout) as Found;
  expect(candidates).toHaveLength(16);
  expect(best.scaling).toBe("z");
  const classes = await folder.run([
    ...[
      "tune",
      "--train",
      "rows.csv",
      "--label",
      "who",
      "--task",
      "classify",
      "--features",
      "x",
      "--json",
      "--k",
      "3",
    ],
    ...["--cv", "2", ...cpu],
  ]);
  expect((JSON.parse(classes.stdout) as Found).crossValidation.micro.report?.auc).toBeGreaterThan(0);
});

it.each<[string, string[], RegExp]>([
  [
    "a metric",
    ["--metric", "euclidian"],
    /"euclidian" is not a metric\. Did you mean euclidean or sqeuclidean\? See --metric list/,
  ],
  ["k", ["--k", "0,3"], /Expected whole numbers from 1, such as 1,3,5 or 1:31:2/],
  ["a large k", ["--k", "50"], /k is 50; expected whole numbers from 1 to 36/],
  ["folds", ["--cv", "1"], /at least 2, or leave-one-out/],
  ["a measure", ["--measure", "accurcy"], /Did you mean accuracy\?/],
  ["nothing to do", ["--quiet"], /--quiet leaves nothing to do/],
])("refuses %s", async (_, options, message) => {
  const { code, stderr } = await folder.run([
    "tune",
    "--train",
    "rows.csv",
    "--label",
    "kind",
    ...cpu,
    ...options,
  ]);
  expect(stderr).toMatch(message);
  expect(code).toBe(1);
});

it("starts no more workers than few rows need, but all where a measure may be slow", async () => {
  const deviceOf = async (metrics: string) => {
    const args = `tune --train rows.csv --label kind --ignore y,who --k 1 --cv 2 --metric ${metrics} --json`;
    const { stdout } = await folder.run([...args.split(" "), "--backend", "cpu", "--threads", "2"]);
    return (JSON.parse(stdout) as { device: string }).device;
  };
  expect(await deviceOf("euclidean")).toMatch(/\b1 worker$/);
  expect(await deviceOf("euclidean,rapidminer:CamberraDistance")).toMatch(/\b2 workers$/);
});
