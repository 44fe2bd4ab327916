/** What the command line says of itself: its help, the names that were meant, and colours. */
import { describe, expect, it } from "vitest";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const cv = ["classify", "--train", "train.csv", "--label", "kind", "--id", "id", "--k", "2", "--cv", "2"];

describe("the help", () => {
  it("groups options, and shows those that few people need by --help-all alone", async () => {
    const brief = await folder.run(["classify", "--help"]);
    const headings = brief.stdout.match(/^[A-Z][\w ]+:$/gm);
    expect(headings).toEqual(["Data:", "Method:", "Output:", "Machine:", "Options:", "Examples:"]);
    expect(brief.stdout).not.toMatch(/^ +--(delimiter|device-memory|kernel) /m);
    const all = await folder.run(["classify", "--help-all"]);
    expect(all.stdout).toMatch(/^Reading files:\n(.*\n)+ +--delimiter .*\n(.*\n)+Output:$/m);
    const options = (text: string) => text.match(/^ {2}(-\w, )?--[\w-]+/gm)!.length;
    const hidden = options(all.stdout) - options(brief.stdout);
    expect(hidden).toBeGreaterThan(15);
    expect(brief.stdout).toContain(`--help-all shows ${hidden} more options\n`);
    expect((await folder.run(["help", "classify", "--help-all"])).stdout).toBe(all.stdout);
  });

  it("groups commands", async () => {
    const { stdout } = await folder.run(["--help"]);
    expect(stdout).toMatch(/^Predict and search:\n +classify .*\n +regress .*\n/m);
    expect((await folder.run(["-V"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("a name that is wrong", () => {
  it.each([
    [["clasify"], "classify"],
    [["help", "clasify"], "classify"],
    [["cloud", "nearst"], "nearest"],
    [["operators", "knnn"], "knn"],
    [["example", "pengins"], "penguins"],
    [["completion", "bsh"], "bash"],
    [["classify", "--tain", "x"], "--train"],
    [[...cv, "--delimitr", ";"], "--delimiter"],
    [[...cv, "--backend", "gup"], "gpu"],
    [[...cv, "--metric", "euclidian"], "euclidean or sqeuclidean"],
    [[...cv, "--kernel", "polynomail"], "polynomial"],
    [[...cv, "--weights", "dist"], "distance"],
    [[...cv, "--impute", "averag"], "average"],
    [[...cv, "--normalize", "interquart"], "interquartile"],
    [[...cv, "--input-format", "cvs"], "csv"],
    [["tune", "--train", "train.csv", "--label", "kind", "--scaling", "proportoin"], "proportion"],
    [["classify", "--train", "train.csv", "--label", "knd", "--cv", "2"], "kind"],
  ])("%j is answered with the one that was meant", async (args, name) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`[Dd]id you mean "?${name}"?\\?`));
  });

  it("is no mistake where another tool has it", async () => {
    const own = ["--metric", "manhattan", "--impute", "average", "--normalize", "z", "--k", "3"];
    const other = ["--metric", "cityblock", "--impute", "mean", "--normalize", "zscore", "--n_neighbors=3"];
    const found = async (args: string[]) => {
      const { code, stdout, stderr } = await folder.classify(args);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    expect(await found(other)).toBe(await found(own));
  });
});

it("--metric list says what each metric is", async () => {
  for (const command of ["search", "tune"]) {
    const { code, stdout } = await folder.run([command, "--metric", "list"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^manhattan +sum of absolute differences \(also l1, cityblock\)$/m);
  }
});

it("a report goes to stdout where no rows do, as text and as JSON", async () => {
  const text = await folder.run([...cv, "--backend", "cpu"]);
  expect([text.code, text.stderr]).toEqual([0, ""]);
  expect(text.stdout).toMatch(/^trained on 6 rows, 2 features, k = 2, euclidean\ndevice +WASM .*, 1 worker/);
  const { stdout } = await folder.run([...cv, "--backend", "cpu", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ command: "classify", crossValidation: { folds: 2 } });
  expect(JSON.parse(stdout)).not.toHaveProperty("explanation");
});

it("--explain with --cv tells of the searches of all folds together", async () => {
  const args = [...cv, "--backend", "cpu", "--explain"];
  const text = await folder.run([...args, "--quiet"]);
  expect([text.code, text.stderr]).toEqual([0, ""]);
  expect(text.stdout).toMatch(/^device +WASM/);
  const { stdout } = await folder.run([...args, "--json"]);
  // Each of two folds of three rows is compared with the three rows of the other fold.
  expect(JSON.parse(stdout)).toMatchObject({ explanation: { operator: "knn", pairs: 18 } });
});

it("colours are added by FORCE_COLOR and taken away by NO_COLOR", async () => {
  const forced = { FORCE_COLOR: "1", NO_COLOR: undefined };
  const error = await folder.run(["classify", "--train", "none.csv", "--label", "a", "--cv", "2"], {
    env: forced,
  });
  expect(error.stderr).toMatch(/^\x1b\[31mnearfield:\x1b\[0m none\.csv: /);
  expect((await folder.run(["--help"], { env: forced })).stdout).toContain("\x1b[1mProcesses:\x1b[0m");
  const plain = await folder.run(["--help"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
  expect(plain.stdout).not.toContain("\x1b");
});
