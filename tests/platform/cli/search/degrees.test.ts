/** `search --degrees`: places by latitude and longitude, and distances in kilometres. */
import { beforeEach, describe, expect, it } from "vitest";
import { Random, printedSeed } from "../../../oracle/random.ts";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const random = new Random(printedSeed());
const measure = ["--features", "lat,lon", "--metric", "haversine", "--degrees"];
const cpu = ["--backend", "cpu", "--threads", "1"];

interface Place {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}

/** Places all over the globe, some of them at a pole, at the same spot, or beyond the date line. */
const make = (count: number, letter: string): Place[] =>
  Array.from({ length: count }, (_, row) => ({
    name: `${letter}${row}`,
    lat: row % 9 === 0 ? 90 : row % 7 === 0 ? 10 : random.uniform(-90, 90),
    lon: row % 7 === 0 ? 20 : row % 5 === 0 ? random.uniform(180, 360) : random.uniform(-180, 180),
  }));
const train = make(60, "t");
const queries = make(20, "q");

/** The angle between two unit vectors, times the mean radius of the Earth. */
function kilometres(a: Place, b: Place): number {
  const vector = ({ lat, lon }: Place) => {
    const [up, across] = [(lat / 180) * Math.PI, (lon / 180) * Math.PI];
    return [Math.cos(up) * Math.cos(across), Math.cos(up) * Math.sin(across), Math.sin(up)];
  };
  const [p, q] = [vector(a), vector(b)];
  const half = Math.hypot(...p.map((x, axis) => x - q[axis])) / 2;
  return 2 * Math.asin(Math.min(1, half)) * 6371.0088;
}

const text = (rows: readonly Place[]) =>
  ["name,lat,lon", ...rows.map(({ name, lat, lon }) => `${name},${lat},${lon}`)].join("\n");

beforeEach(() => folder.write({ "train.csv": text(train), "queries.csv": text(queries) }));

const run = (...more: string[]) =>
  folder.run(["search", "--train", "train.csv", "--id", "name", ...measure, "--k", "1", ...cpu, ...more]);

const search = async (...more: string[]) => {
  const { stdout, stderr, code } = await run("--quiet", ...more);
  expect(code, stderr).toBe(0);
  const [, ...lines] = stdout.trimEnd().split("\n");
  return lines.map((line) => {
    const [, , , distance, query, nearest] = line.split(",");
    return { query, nearest, distance: Number(distance) };
  });
};

describe("search --degrees", () => {
  it("gives kilometres to the nearest places of another file", async () => {
    const found = await search("--queries", "queries.csv", "--k", "3");
    const expected = queries.flatMap((query) =>
      train
        .map((place) => kilometres(query, place))
        .sort((a, b) => a - b)
        .slice(0, 3),
    );
    expect(found).toHaveLength(expected.length);
    found.forEach(({ query, nearest, distance }, at) => {
      expect(distance).toBeCloseTo(expected[at], 3);
      const [from, to] = [queries, train].map((rows, side) =>
        rows.find(({ name }) => name === [query, nearest][side])!,
      );
      expect(distance).toBeCloseTo(kilometres(from, to), 3);
    });
  });

  it("takes a radius in kilometres, among the places themselves", async () => {
    const radius = 2500;
    const found = await search("--k", "59", "--radius", `${radius}`);
    const pairs = train.flatMap((a) =>
      train.filter((b) => a !== b && kilometres(a, b) <= radius).map((b) => `${a.name} ${b.name}`),
    );
    expect(pairs.length).toBeGreaterThan(0);
    expect(found.map(({ query, nearest }) => `${query} ${nearest}`).sort()).toEqual(pairs.sort());
  });

  it("says the unit", async () => {
    const { stderr } = await run("--json");
    expect(JSON.parse(stderr)).toMatchObject({ metric: "haversine", unit: "km" });
    expect((await run()).stderr).toContain("2 features, k = 1, haversine in km\n");
  });

  it.each([
    [
      ["--metric", "cosine"],
      "--degrees applies to haversine alone, but the metric is cosine; add --metric haversine",
    ],
    [["--normalize", "z"], "--normalize would change the --degrees; leave out one of them"],
    [["--features", "lat"], "haversine takes two columns, latitude and longitude"],
    [["--features", "lon,lat"], "names latitude, then longitude"],
  ])("refuses %j", async (more, message) => {
    folder.write({ "train.csv": `${text(train)}\nfar,5,-170\n` });
    const { code, stderr } = await run("--quiet", ...more);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  it.each([
    ["lat", "-90.5,3", "-90.5 is not a latitude in degrees, from -90 to 90"],
    ["lon", "2,360.5", "360.5 is not a longitude in degrees, from -360 to 360"],
  ])("names the cell of %s that is no angle", async (column, cells, what) => {
    folder.write({ "train.csv": `name,lat,lon\na,1,2\nb,${cells}\n` });
    const { stderr } = await run("--quiet");
    const place = `train.csv, line 3, column "${column}"`;
    expect(stderr).toBe(`nearfield: ${place}: ${what}; --features names latitude, then longitude\n`);
  });
});
