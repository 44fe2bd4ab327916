/** `--confidence`: which confidences are written, and that the top one is that of the prediction. */
import { beforeEach, expect, it } from "vitest";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu", "--threads", "1"];

/** Rows of the given number of classes, in which neighbours disagree. */
const rows = (count: number, classes: number, offset: number) =>
  Array.from(
    { length: count },
    (_, row) => `${(row * 7 + offset) % 31},${(row * 11) % 29},k${(row * 13 + (row % 5)) % classes}`,
  );

beforeEach(() =>
  folder.write({
    "many.csv": ["x,y,kind", ...rows(200, 21, 0)].join("\n"),
    "new.csv": ["x,y,kind", ...rows(50, 21, 3.25)].join("\n"),
    "few.csv": ["x,y,kind", ...rows(200, 20, 0)].join("\n"),
    "rows.csv": ["x,y", ...rows(50, 20, 3.25).map((row) => row.replace(/,k\d+$/, ""))].join("\n"),
  }),
);

const classify = async (train: string, test: string, ...more: string[]) => {
  const files = ["--train", train, "--test", test, "--label", "kind", "-k", "7"];
  const { stdout, stderr, code } = await folder.run(["classify", ...files, ...cpu, ...more]);
  expect(code, stderr).toBe(0);
  const cells = stdout.trimEnd().split("\n");
  return { stderr, cells: cells.map((row) => row.split(",")) };
};

it.each([
  ["new.csv", "uniform"],
  ["new.csv", "distance"],
  ["rows.csv", "uniform"],
])("the top one is that of the prediction, of %s with %s weights", async (test, weights) => {
  const before = test === "new.csv" ? 3 : 2;
  const all = await classify("many.csv", test, "--confidence", "all", "--weights", weights);
  const top = await classify("many.csv", test, "--confidence", "top", "--weights", weights);
  const [names, ...full] = all.cells;
  expect(names).toHaveLength(before + 1 + 21);
  expect(top.cells[0].slice(before)).toEqual(["prediction(kind)", "confidence"]);
  const expected = full.map((row) => [
    ...row.slice(0, before + 1),
    row[names.indexOf(`confidence(${row[before]})`)],
  ]);
  expect(top.cells.slice(1)).toEqual(expected);
  expect(expected.some((row) => Number(row[before + 1]) < 1)).toBe(true);
  const measures = ({ stderr }: { stderr: string }) => stderr.replace(/^(time|hint).*$/gm, "");
  expect(measures(top)).toBe(measures(all));
  expect(top.stderr.includes("AUC")).toBe(test === "new.csv");
});

it("is all of up to 20 classes, and the top one of more", async () => {
  const few = await classify("few.csv", "rows.csv");
  expect(few.cells[0]).toHaveLength(2 + 1 + 20);
  const many = await classify("many.csv", "rows.csv");
  expect(many.cells[0]).toEqual(["x", "y", "prediction(kind)", "confidence"]);
  const none = await classify("few.csv", "rows.csv", "--confidence", "none");
  expect(none.cells[0]).toEqual(["x", "y", "prediction(kind)"]);
});

it("is the same of a saved model, in JSON lines too", async () => {
  const top = await classify("many.csv", "rows.csv", "--save-model", "many.nfm");
  const predict = ["predict", "--model", "many.nfm", "--test", "rows.csv", ...cpu];
  const { stdout } = await folder.run(predict);
  expect(stdout.trimEnd().split("\n")).toEqual(top.cells.map((row) => row.join(",")));
  const lines = await folder.run([...predict, "--format", "jsonl"]);
  const objects = lines.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { confidence: number });
  expect(objects.map(({ confidence }) => confidence)).toEqual(
    top.cells.slice(1).map((row) => Number(row[3])),
  );
});

it("refuses what it does not know, and two options that contradict each other", async () => {
  const odd = await folder.classify(["--confidence", "some"]);
  expect(odd.stderr).toContain("Allowed choices are none, top, all.");
  expect(odd.code).toBe(1);
  const { code, stderr } = await folder.classify(["--no-confidences", "--confidence", "top"]);
  expect(stderr).toContain(
    "--no-confidences leaves them out, but --confidence is top; leave out one of them",
  );
  expect(code).toBe(1);
});
