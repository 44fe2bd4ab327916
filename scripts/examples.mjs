// Makes the tables of examples/, which ship in the package, from files of other packages: penguins and cars
// of vega-datasets, iris and digits of scikit-learn. Run once; the tables are committed, packed again
// where zopfli is there, which takes a tenth less. No part of the build.
//
//   node scripts/examples.mjs [FOLDER]   where scikit-learn has iris.csv and digits.csv.gz
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const learn = process.argv[2] ?? "/usr/lib/python3/dist-packages/sklearn/datasets/data";

write("penguins.csv.gz", penguins());
write("cars.csv.gz", cars());
write("iris.csv.gz", iris());
write("digits.csv.gz", digits());

function penguins() {
  const header = "species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex";
  const rows = vega("penguins").map((row) => [
    row.Species,
    row.Island,
    row["Beak Length (mm)"],
    row["Beak Depth (mm)"],
    row["Flipper Length (mm)"],
    row["Body Mass (g)"],
    row.Sex === "." ? null : row.Sex?.toLowerCase(), // "." where nobody could tell
  ]);
  return [header, ...rows];
}

/**
 * Lists the cars without the rows that have no mpg, as UCI does, and puts right what vega-datasets got wrong:
 * 1981 and the name "accord".
 */
function cars() {
  const header = "name,mpg,cylinders,displacement,horsepower,weight,acceleration,year,origin";
  const known = vega("cars").filter((row) => row.Miles_per_Gallon !== null);
  const first1982 = known.findIndex(({ Name }) => Name === "chevrolet cavalier");
  const rows = known.map((row, at) => [
    row.Name.replace("Acceleration", "acc"),
    row.Miles_per_Gallon,
    row.Cylinders,
    row.Displacement,
    row.Horsepower,
    row.Weight_in_lbs,
    row.Acceleration,
    row.Year.startsWith("1982") && at < first1982 ? 1981 : Number(row.Year.slice(0, 4)),
    row.Origin,
  ]);
  return [header, ...rows];
}

function iris() {
  const [first, ...lines] = readFileSync(join(learn, "iris.csv"), "utf8").trim().split("\n");
  const kinds = first.split(",").slice(2);
  const rows = lines.map((line) => line.split(",").map((cell, at) => (at === 4 ? kinds[cell] : cell)));
  return ["sepal_length,sepal_width,petal_length,petal_width,species", ...rows];
}

function digits() {
  const lines = gunzipSync(readFileSync(join(learn, "digits.csv.gz")))
    .toString()
    .trim()
    .split("\n");
  const pixels = Array.from({ length: 64 }, (_, at) => `pixel_${Math.floor(at / 8)}_${at % 8}`);
  return [[...pixels, "digit"].join(","), ...lines.map((line) => line.split(",").map(Number))];
}

function vega(name) {
  return JSON.parse(readFileSync(join(root, `node_modules/vega-datasets/data/${name}.json`), "utf8"));
}

function write(name, [header, ...rows]) {
  const text = [header, ...rows.map((row) => row.map((cell) => cell ?? "").join(",")), ""].join("\n");
  const packed = spawnSync("zopfli", ["--i100", "-c", "/dev/stdin"], { input: text }).stdout;
  writeFileSync(join(root, "examples", name), packed?.length ? packed : gzipSync(text, { level: 9 }));
}
