/** `nearfield search` of the rows of one file among themselves, with names, preparation and a radius. */
import { describe, expect, it } from "vitest";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu", "--quiet"];
const towns = "code,town,east,north\n007,Aa,0,0\n008,Bb,3,4\n009,Cc,0,1\n010,Aa,3,4\n";

function search(args: readonly string[], files: Readonly<Record<string, string>> = { "towns.csv": towns }) {
  folder.write(files);
  return folder.run(["search", "--train", "towns.csv", ...cpu, ...args]);
}

describe("search without queries", () => {
  it("finds for each row its nearest other rows, and writes names of both", async () => {
    const { code, stdout, stderr } = await search(["--k", "2", "--id", "code", "--carry", "town"]);
    expect(stdout).toBe(
      "query,rank,index,distance,code,town,nearest(code),nearest(town)\n" +
        "0,0,2,1,007,Aa,009,Cc\n0,1,1,5,007,Aa,008,Bb\n" +
        "1,0,3,0,008,Bb,010,Aa\n1,1,2,4.242640687119285,008,Bb,009,Cc\n" +
        "2,0,0,1,009,Cc,007,Aa\n2,1,1,4.242640687119285,009,Cc,008,Bb\n" +
        "3,0,1,0,010,Aa,008,Bb\n3,1,2,4.242640687119285,010,Aa,009,Cc\n",
    );
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("lets rows find themselves by --no-exclude-self, and not by --exclude-self with the same file twice", async () => {
    const names = ["--id", "code", "--ignore", "town", "--k", "1"];
    const places = ({ stdout }: { readonly stdout: string }) =>
      stdout
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.split(",")[2]);
    expect(places(await search([...names, "--no-exclude-self"]))).toEqual(["0", "1", "2", "1"]);
    const others = ["2", "3", "0", "1"];
    expect(places(await search([...names, "--exclude-self", "--queries", "towns.csv"]))).toEqual(others);
    expect(places(await search([...names, "--queries", "towns.csv"]))).toEqual(["0", "1", "2", "1"]);
  });

  it("reads stdin once", async () => {
    const { code, stdout } = await folder.run(["search", "--train", "-", "--k", "1", ...cpu], {
      input: "x\n1\n2\n4\n",
    });
    expect([code, stdout]).toEqual([0, "query,rank,index,distance\n0,0,1,1\n1,0,0,1\n2,0,1,2\n"]);
  });

  it("takes matrices, and writes their indices", async () => {
    const rows = folder.run(["sort", "-", "--out", "rows.npy", "--quiet"], { input: "x\n1\n2\n4\n" });
    expect((await rows).code).toBe(0);
    const { code, stdout } = await folder.run(["search", "--train", "rows.npy", "--k", "1", ...cpu]);
    expect([code, stdout]).toEqual([0, "query,rank,index,distance\n0,0,1,1\n1,0,0,1\n2,0,1,2\n"]);
    const named = await folder.run(["search", "--train", "rows.npy", "--carry", "x", ...cpu]);
    expect([named.code, named.stderr]).toEqual([
      1,
      "nearfield: --carry names columns, but the file is a matrix without names; leave it out\n",
    ]);
  });
});

describe("search", () => {
  it("leaves out what is farther than --radius", async () => {
    const { stdout } = await search(["--features", "east,north", "--k", "3", "--radius", "4.2"]);
    expect(stdout).toBe("query,rank,index,distance\n0,0,2,1\n1,0,3,0\n2,0,0,1\n3,0,1,0\n");
  });

  it("compares what --normalize and --impute make of the rows, by the training rows alone", async () => {
    const files = { "towns.csv": "a,b\n0,0\n10,1000\n,2000\n", "new.csv": "a,b\n0,1000\n" };
    const args = ["--k", "3", "--impute", "average", "--normalize", "range"];
    const { code, stdout } = await search([...args, "--queries", "new.csv"], files);
    expect([code, stdout]).toEqual([
      0,
      "query,rank,index,distance\n0,0,0,0.5\n0,1,2,0.7071067811865476\n0,2,1,1\n",
    ]);
  });

  it("compares carried columns where --features names them", async () => {
    const { stdout } = await search(["--features", "east", "--carry", "east", "--k", "1"]);
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "query,rank,index,distance,east,nearest(east)",
      "0,0,2,0,0,0",
      "1,0,3,0,3,3",
    ]);
  });

  it("hints at names of rows, but not where they are carried or left out", async () => {
    folder.write({ "dump.csv": ",x\na,1\nb,2\n" });
    const said = async (...args: string[]) => {
      const { stderr } = await folder.run([
        "search",
        "--train",
        "dump.csv",
        "--k",
        "1",
        ...cpu.slice(0, 2),
        ...args,
      ]);
      return stderr.includes("hint ");
    };
    expect(await said()).toBe(true);
    expect(await said("--carry", "column 1")).toBe(false);
    expect(await said("--ignore", "column 1")).toBe(false);
    expect(await said("--id", "column 1")).toBe(false);
  });

  it.each([
    [["--k", "4"], "towns.csv: has 4 rows, so that each has 3 others, but k is 4; choose a smaller --k"],
    [["--carry", "twon"], 'there is no column "twon" (did you mean "town"?)'],
    [["--id", "code", "--carry", "code"], 'column "code" would be written twice'],
    [
      ["--ignore", "east", "--features", "east"],
      'column "east" is both one of --features and one of --ignore',
    ],
    [["--radius", "-1"], "Expected a number of at least 0"],
    [
      ["--k", "1", "--carry", "town", "--format", "npy"],
      "--carry writes columns, but npy holds only the k indices",
    ],
    [["--k", "1", "--radius", "1", "--format", "ivecs"], "--radius may leave a row fewer than k neighbours"],
    [["--exclude-self", "--queries", "two.csv", "--k", "1"], "two.csv: has 2 rows and towns.csv has 4"],
    [
      ["--columns", "east", "--carry", "town", "--k", "1"],
      'column "town" is named by --carry, but not among',
    ],
  ])("refuses %j", async (args, message) => {
    const { code, stdout, stderr } = await search(args, {
      "towns.csv": towns,
      "two.csv": towns.slice(0, 42),
    });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(message);
  });

  it("says where a column of the result would stand twice", async () => {
    const files = { "towns.csv": "rank,x\na,1\nb,2\n" };
    const { code, stdout, stderr } = await search(["--id", "rank", "--k", "1"], files);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain('the result would have two columns "rank"');
  });
});
