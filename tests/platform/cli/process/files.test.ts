/** `nearfield run` with files that lead elsewhere, options that lead nowhere, and models that are missing. */
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const run = (...args: string[]) => folder.run(["run", ...args, "--backend", "cpu", "--threads", "1"]);

const read = { operator: "readTable", parameters: { file: "a.csv" } };
const table = { table: "read.table" };
const write = (file: string) => ({ operator: "writeTable", inputs: table, parameters: { file } });

function writeProcess(nodes: object, name = "process.json"): void {
  folder.write({ [name]: JSON.stringify({ nearfield: 1, nodes }), "a.csv": "x,kind\n1,u\n2,v\n3,u\n" });
}

describe.skipIf(process.platform === "win32")("links", () => {
  it("lead no reading node out of the folder, and the message names the way to mean it", async () => {
    mkdirSync(join(folder.path, "process"));
    writeProcess({ read }, "process/process.json");
    symlinkSync("../a.csv", join(folder.path, "process/a.csv"));
    const { code, stdout, stderr } = await run("process/process.json");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^nearfield: node read \(Read Table\): process\/a\.csv: a link leads to \S+\/a\.csv, outside of the process's folder/,
    );
    expect((await run("process/process.json", "--check")).code).toBe(1);
    const meant = await run("process/process.json", "--data", "read=a.csv", "--quiet");
    expect(meant).toMatchObject({ code: 0, stdout: "x,kind\n1,u\n2,v\n3,u\n" });
  });

  it("may lead about within it, also where the folder is a link itself", async () => {
    mkdirSync(join(folder.path, "real"));
    writeProcess({ read }, "real/process.json");
    folder.write({ "real/b.csv": "x\n5\n" });
    symlinkSync("b.csv", join(folder.path, "real/a.csv"));
    symlinkSync("real", join(folder.path, "linked"));
    expect(await run("linked/process.json", "--quiet")).toMatchObject({ code: 0, stdout: "x\n5\n" });
  });

  it("do not lead two nodes to write one file", async () => {
    writeProcess({ read, one: write("out.csv"), two: write("here/out.csv") });
    symlinkSync(".", join(folder.path, "here"));
    const { code, stderr } = await run("process.json");
    expect(code).toBe(1);
    expect(stderr).toContain(
      "here/out.csv: links lead to the file that the node one writes; name another file",
    );
    expect(folder.list()).not.toContain("out.csv");
  });
});

it("a file whose name begins with two dots is no way out", async () => {
  writeProcess({ read, write: write("..out.csv") });
  expect(await run("process.json")).toMatchObject({ code: 0 });
  expect(readdirSync(folder.path)).toContain("..out.csv");
});

describe("options that lead nowhere", () => {
  it.each<[string, object, string[], string]>([
    [
      "--out where nothing is written",
      { read },
      ["--out", "."],
      "--out is the folder that nodes such as Write Table write to, and no node that runs does",
    ],
    [
      "stdin for two nodes",
      { read, other: read },
      ["--data", "read=-", "--data", "other=-"],
      '--data: "read", "other" would all read standard input, which can be read once; name files',
    ],
    [
      "a list whose quote does not end",
      { read },
      ["--set", 'read.columns="x'],
      'read.columns: is "\\"x"; expected column names between the commas',
    ],
  ])("%s: exit code 1", async (_, nodes, args, message) => {
    writeProcess(nodes);
    const { code, stdout, stderr } = await run("process.json", ...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });

  it("--schema of one operator: exit code 1", async () => {
    const { code, stderr } = await folder.run(["operators", "knn", "--schema"]);
    expect({ code, stderr: stderr.slice(0, 47) }).toEqual({
      code: 1,
      stderr: "nearfield: --schema describes all operators; le",
    });
  });
});

it("--data of a node that --only leaves out changes nothing", async () => {
  writeProcess({ read, other: read });
  const { code } = await run("process.json", "--only", "read", "--data", "other=nowhere.csv");
  expect(code).toBe(0);
});

it("--set takes lists of names as other commands do, with quotes around commas", async () => {
  writeProcess({ read });
  folder.write({ "a.csv": '"a, b",c\n1,2\n' });
  const { code, stdout } = await run("process.json", "--quiet", "--set", 'read.columns="a, b"');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '"a, b"\n1\n' });
});

describe("--check", () => {
  it("finds a model file that is not there", async () => {
    writeProcess({ model: { operator: "readModel", parameters: { file: "no.nfm" } } });
    const { code, stderr } = await run("process.json", "--check");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "nearfield: node model (Read Model): no.nfm: cannot be read: there is no such file; check the path\n",
    });
  });

  it("compares k with the rows of the file", async () => {
    const near = { operator: "nearestNeighbours", inputs: { train: "read.table" }, parameters: { k: 3 } };
    writeProcess({ read: { ...read, parameters: { file: "a.csv", columns: ["x"] } }, near });
    const { code, stdout } = await run("process.json", "--check");
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout:
        "nodes.near.parameters.k: is 3, but there are at most 2 other rows; give more rows or a smaller k\n",
    });
  });
});

it("a process of a file without end is read no further than a process may be long", async () => {
  const input = `{"nearfield": 1, "name": "${"x".repeat(50_000_000)}`;
  const { code, stderr } = await folder.run(["run", "-"], { input });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "nearfield: standard input: has more than 40000000 bytes, so it is not a process\n",
  });
});
