/**
 * This module has the example tables that ship in the package: what they are and whose, and their rows. They
 * stand in examples/ beside dist/; examples/README.md has the sources in full.
 */
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";

export interface ExampleTable {
  readonly name: string;
  /** It describes the example to people in one line. */
  readonly what: string;
  readonly source: string;
  /** The gzipped file has this path below examples/. */
  readonly file: string;
  /** This command is worth trying on the files that are written; it lacks "nearfield". */
  readonly command: string;
}

export const exampleTables: readonly ExampleTable[] = [
  {
    name: "penguins",
    what: "344 penguins of three species, with words and gaps",
    source: "Gorman, Williams and Fraser 2014, palmerpenguins; CC0 1.0",
    file: "penguins.csv.gz",
    command: "classify --train penguins.csv --label species --normalize z --cv 10",
  },
  {
    name: "iris",
    what: "150 iris flowers of three species",
    source: "Fisher 1936, UCI Machine Learning Repository; CC BY 4.0",
    file: "iris.csv.gz",
    command: "classify --train iris.csv --label species --cv 10",
  },
  {
    name: "cars",
    what: "398 cars of 1970 to 1982 and their miles per gallon",
    source: "Quinlan 1993, Auto MPG, UCI Machine Learning Repository; CC BY 4.0",
    file: "cars.csv.gz",
    command: "regress --train cars.csv --label mpg --id name --normalize z --cv 10",
  },
  {
    name: "digits",
    what: "1,797 handwritten digits, each 8 x 8 pixels",
    source: "Alpaydin and Kaynak 1998, Optical Recognition of Handwritten Digits, UCI; CC BY 4.0",
    file: "digits.csv.gz",
    command:
      "classify --train digits-train.csv --test digits-test.csv --label digit --k 3 --out predicted.csv",
  },
];

export interface ExampleFile {
  /** The file has this name, with the extension .csv. */
  readonly name: string;
  readonly text: string;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Returns an example as three files: the whole table, four of five rows to learn from, and every fifth to
 * predict.
 */
export async function exampleFiles({ name, file }: ExampleTable): Promise<readonly ExampleFile[]> {
  const bytes = await readFile(new URL(`../../examples/${file}`, import.meta.url));
  const [header, ...rows] = gunzipSync(bytes).toString().trimEnd().split("\n");
  const fileOf = (ending: string, kept: readonly string[]): ExampleFile => ({
    name: `${name}${ending}.csv`,
    text: `${[header, ...kept].join("\n")}\n`,
    rows: kept.length,
    columns: header.split(",").length,
  });
  const isTest = (at: number) => at % 5 === 4;
  return [
    fileOf("", rows),
    fileOf(
      "-train",
      rows.filter((_, at) => !isTest(at)),
    ),
    fileOf(
      "-test",
      rows.filter((_, at) => isTest(at)),
    ),
  ];
}
