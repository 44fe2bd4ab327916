/** The hints that commands end with: as lines, in the summary of --json, and not at all with --quiet. */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Folder } from "./helpers.ts";

const folder = new Folder();

interface Summary {
  readonly hints?: readonly { file: string; column?: string; what: string; value: string; option: string }[];
  readonly crossValidation: { readonly macro: { readonly accuracy: { readonly mean: number } } };
}

it("penguins reach 98.55 % by what the hints say", async () => {
  await folder.run(["example", "penguins"]);
  const args = ["classify", "--train", "penguins.csv", "--label", "species", "--cv", "10", "--json"];
  const summaryOf = async (...more: string[]) => {
    const { stdout, stderr } = await folder.run([...args, ...more]);
    return JSON.parse(stdout || stderr) as Summary;
  };
  const before = await summaryOf();
  const hints = before.hints ?? [];
  expect(before.crossValidation.macro.accuracy.mean).toBeCloseTo(0.7934, 4);
  expect(hints.map(({ what, file }) => `${file}: ${what}`)).toEqual([
    "penguins.csv: scale",
    "penguins.csv: gaps",
  ]);
  const after = await summaryOf(...hints.flatMap(({ option }) => option.split(" ")));
  expect(after.crossValidation.macro.accuracy.mean).toBeCloseTo(0.9855, 4);
  expect(after.hints).toBeUndefined();
});

it("movies are predicted better by what the hint on their gaps says", async () => {
  const data = new URL("../../../node_modules/vega-datasets/data/movies.json", import.meta.url);
  const movies = fileURLToPath(data);
  const features = "Rotten Tomatoes Rating,US Gross,Production Budget,Running Time min,IMDB Votes";
  const settings = ["--normalize", "z", "-k", "15", "--cv", "5", "--json", "--features", features];
  const summaryOf = async (...more: string[]) => {
    const args = ["regress", "--train", movies, "--label", "IMDB Rating", ...settings, ...more];
    return JSON.parse((await folder.run(args)).stdout) as {
      readonly hints?: Summary["hints"];
      readonly crossValidation: { readonly micro: { readonly r2: number } };
    };
  };
  const before = await summaryOf();
  expect(before.crossValidation.micro.r2).toBeCloseTo(0.41, 2);
  expect(before.hints?.map(({ what, option }) => [what, option])).toEqual([
    ["gaps", "--impute average or --metric nan_euclidean"],
  ]);
  const after = await summaryOf("--impute", "average");
  expect(after.crossValidation.micro.r2).toBeCloseTo(0.53, 2);
  expect(after.hints).toBeUndefined();
}, 60_000);

it("hints are lines of the summary, and --quiet leaves them out", async () => {
  folder.write({ "rows.csv": "x,y,kind\n1,2,a\n,,a\n3,4,b\n", "new.csv": "x,y\n1,1\n,\n,\n" });
  const args = [
    "classify",
    "--train",
    "rows.csv",
    "--test",
    "new.csv",
    "--label",
    "kind",
    "-k",
    "1",
    "--out",
    "a.csv",
  ];
  const { stderr } = await folder.run(args);
  expect(stderr.split("\n").filter((line) => line.startsWith("hint"))).toEqual([
    "hint      rows.csv: 1 row has none of the features, so no other row is nearer to it than any other (try --impute average)",
    "hint      new.csv: 2 rows have none of the features, so no other row is nearer to them than any other (try --impute average)",
  ]);
  const quiet = await folder.run([...args, "--force", "--quiet"]);
  expect(quiet).toEqual({ code: 0, stdout: "", stderr: "" });
});

it("search and predict hint, too", async () => {
  folder.write({ "rows.csv": "x,y,kind\n1,2000,a\n2,3000,a\n3,4000,b\n", "new.csv": "x,y\n,\n" });
  const search = await folder.run(["search", "--train", "rows.csv", "--ignore", "kind", "-k", "1"]);
  expect(search.stderr).toMatch(/hint .*"y" varies by 2,000 and "x" by 2.*\(try --normalize z\)/);
  await folder.run([
    "classify",
    "--train",
    "rows.csv",
    "--label",
    "kind",
    "-k",
    "1",
    "--save-model",
    "m.nfm",
  ]);
  const predict = await folder.run(["predict", "--model", "m.nfm", "--test", "new.csv"]);
  expect(predict.stderr).toMatch(/hint .*new\.csv: 1 row has none of the features/);
});

it("a label of a hundred numbers is for regress, and words that look like numbers are named", async () => {
  const lines = Array.from({ length: 150 }, (_, row) => `${row % 9};${row},50;${row}.5`);
  folder.write({ "prices.csv": ["x;price;y", ...lines].join("\n") });
  const args = ["classify", "--train", "prices.csv", "--label", "y", "--cv", "2", "-k", "1", "--json"];
  const { stdout, stderr } = await folder.run(args);
  const { hints = [] } = JSON.parse(stdout || stderr) as Summary;
  expect(hints.map(({ what, option }) => [what, option])).toEqual([
    ["words", "--decimal ,"],
    ["all different", "--ignore price"],
    ["numeric classes", "nearfield regress"],
  ]);
});

it("dates in a form that is not read, and many columns of decimal commas, are a hint each", async () => {
  const lines = Array.from(
    { length: 30 },
    (_, row) => `Oct ${(row % 28) + 1} 2002;${row},5;${row % 7},25;${row % 3}`,
  );
  folder.write({ "sold.csv": ["when;price;size;y", ...lines].join("\n") });
  const said = [
    'column "price" and 1 more are read as text, but "0,5" in line 2 looks like a number (override with --decimal ,)',
    '"when" has dates such as "Oct 1 2002", which are compared as words; those written as 2024-01-31 are compared by time (try --ignore when)',
  ];
  const args = ["regress", "--train", "sold.csv", "--label", "y", "--cv", "2", "-k", "1"];
  const { stderr } = await folder.run(args);
  const hints = stderr.split("\n").filter((line) => /"price"|"when"/.test(line));
  expect(hints).toEqual([
    ...said.map((line) => `hint      sold.csv: ${line}`),
    expect.stringMatching(/all|each/),
  ]);
  const { hints: told = [] } = JSON.parse((await folder.run([...args, "--json"])).stdout) as Summary;
  expect(told[0]).toMatchObject({ what: "words", column: "price", columns: ["price", "size"] });
  const { stdout } = await folder.run(["schema", "sold.csv"]);
  expect(stdout.split("\n").filter((line) => line.startsWith("hint"))).toEqual(
    [said[1], said[0]].map((line) => `hint: ${line}`),
  );
});
