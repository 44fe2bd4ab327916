/** `nearfield run` and `nearfield operators`: what they print, write, refuse, and with which exit codes. */
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dataOf, examples, fingerprints, listed, processes } from "../../../backend/gallery.ts";
import { penguins } from "../../../unit/graph/penguins.ts";
import { Folder, manyRows, outcomeOf } from "../helpers.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu", "--threads", "1"];
const run = (...args: string[]) => folder.run(["run", ...args, ...cpu]);

interface Node {
  readonly operator: string;
  readonly inputs?: object;
  readonly parameters?: object;
}

const nodes: Readonly<Record<string, Node>> = {
  read: { operator: "readTable", parameters: { file: "train.csv" } },
  new: { operator: "readTable", parameters: { file: "test.csv" } },
  roles: {
    operator: "setRole",
    inputs: { table: "read.table" },
    parameters: { label: "kind", ignore: ["id"] },
  },
  knn: { operator: "knn", inputs: { train: "roles.table" }, parameters: { k: 3 } },
  apply: {
    operator: "applyModel",
    inputs: { model: "knn.model", table: "new.table" },
    parameters: { confidences: false },
  },
};
const measured = { ...nodes, performance: { operator: "performance", inputs: { table: "apply.table" } } };
const writing = {
  ...nodes,
  write: { operator: "writeTable", inputs: { table: "apply.table" }, parameters: { file: "out.csv" } },
};

function writeProcess(nodes: Readonly<Record<string, Node>>, name = "process.json"): void {
  folder.write({ [name]: JSON.stringify({ nearfield: 1, nodes }) });
}

const predicted = `id,x,y,kind,note,prediction(kind)
t1,0.5,0.5,near,"says ""hi"", twice",near
t2,10,10,far,,far
t3,4,5,far,"two
lines",near
`;

describe("nearfield run", () => {
  it("prints the last table on stdout and what each node made on stderr", async () => {
    writeProcess(nodes);
    const { code, stdout, stderr } = await run("process.json");
    expect({ code, stdout }).toEqual({ code: 0, stdout: predicted });
    expect(stderr.replace(/\d+\.\d\d s/g, "TIME").replace(/[0-9a-f]{16}/g, "HASH")).toBe(
      "new (Read Table): done, table HASH (3 rows), TIME\n" +
        "read (Read Table): done, table HASH (6 rows), TIME\n" +
        "roles (Set Role): done, table HASH (6 rows), TIME\n" +
        "knn (k-NN): done, model HASH, learner HASH, TIME\n" +
        "apply (Apply Model): done, table HASH (3 rows), TIME\n",
    );
  });

  it("prints measures of the last nodes, and says why nodes ran with --explain", async () => {
    writeProcess(measured);
    const { code, stdout, stderr } = await run("process.json", "--explain");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^accuracy {2}66.67 % \(2 of 3\)\nkappa/);
    expect(stderr).toContain("knn (k-NN): done: no result yet, model ");
    expect((await run("process.json", "--quiet")).stderr).toBe("");
  });

  it("prints what can be read as a table, and says how large it is", async () => {
    writeProcess({
      read: nodes.read,
      xs: { operator: "tableToMatrix", inputs: { table: "read.table" }, parameters: { columns: ["x"] } },
      bins: { operator: "histogram", inputs: { matrix: "xs.matrix" }, parameters: { edges: [0, 3, 20] } },
    });
    const { code, stdout, stderr } = await run("process.json");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "from,to,count\n0,3,3\n3,20,3\n" });
    expect(stderr).toMatch(/^xs .* \(6 x 1\), /m);
    expect(stderr).toMatch(/^bins .* \(1 x 2\), /m);
  });

  it("takes parameters from --set, files from --data, and runs --only what a node needs", async () => {
    writeProcess(measured);
    folder.write({ "other.csv": "id,x,y\nu1,9,9\n" });
    const { code, stdout } = await run(
      ...["process.json", "--only", "apply", "--set", "apply.confidences=true", "--data", "new=other.csv"],
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "id,x,y,prediction(kind),confidence(far),confidence(near)\nu1,9,9,far,1,0\n",
    });
  });

  it("tells all of it as one line of JSON, with whole fingerprints", async () => {
    writeProcess(measured);
    const { code, stdout, stderr } = await run("process.json", "--json");
    expect({ code, stderr, lines: stdout.split("\n").length }).toEqual({ code: 0, stderr: "", lines: 2 });
    const summary = JSON.parse(stdout) as { nodes: { node: string; key: string }[] };
    expect(summary).toMatchObject({ command: "run", process: "process.json", backend: "cpu" });
    expect(summary.nodes.map(({ node }) => node)).toEqual([
      "new",
      "read",
      "roles",
      "knn",
      "apply",
      "performance",
    ]);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    expect(summary.nodes[5]).toMatchObject({
      ...{ node: "performance", title: "Performance", state: "done", reason: "no result yet", key: hash },
      outputs: { performance: { type: "Performance", fingerprint: hash, accuracy: 2 / 3, labelledRows: 3 } },
    });
    expect(summary.nodes[4]).toMatchObject({
      outputs: { table: { type: "Table", fingerprint: hash, rows: 3 } },
    });
  });

  it("gives the penguins the fingerprints of the library", async () => {
    expect((await folder.run(["example", "penguins"])).code).toBe(0);
    folder.write({ "process.json": penguins });
    const { code, stderr } = await run("process.json");
    expect(code).toBe(0);
    expect(stderr).toContain("performance 209cc7e06f605e3e");
    expect(stderr).toContain("table cb7a24aa6cac7198 (103 rows)");
  });

  it.each(processes)("gives for examples/%s.json the fingerprints that are committed", async (name) => {
    const { code, stdout } = await run(`${examples}${name}.json`, "--json", ...dataOf(name));
    const { nodes: ran } = JSON.parse(stdout) as { nodes: { node: string; outputs: object }[] };
    expect({ code, found: listed(name, ran) }).toEqual({ code: 0, found: fingerprints[name] });
  });

  it("reads a process from stdin, in the folder at hand", async () => {
    const input = JSON.stringify({ nearfield: 1, nodes });
    const { code, stdout } = await folder.run(["run", "-", "--quiet", ...cpu], { input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: predicted });
  });
});

describe("what a process writes", () => {
  it("lies in its own folder, or below --out, and then no table is printed", async () => {
    mkdirSync(join(folder.path, "sub"));
    mkdirSync(join(folder.path, "results"));
    const inSub = { ...writing, read: nodes.read, new: nodes.new };
    writeProcess(inSub, "sub/process.json");
    folder.write({ "sub/train.csv": readFileSync(join(folder.path, "train.csv"), "utf8") });
    folder.write({ "sub/test.csv": readFileSync(join(folder.path, "test.csv"), "utf8") });
    const { code, stdout } = await run("sub/process.json", "--quiet");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(readFileSync(join(folder.path, "sub/out.csv"), "utf8")).toBe(predicted);
    expect((await run("sub/process.json", "--out", "results")).code).toBe(0);
    expect(readFileSync(join(folder.path, "results/out.csv"), "utf8")).toBe(predicted);
  });

  it("replaces nothing without --force", async () => {
    writeProcess(writing);
    folder.write({ "out.csv": "mine\n" });
    const { code, stderr } = await run("process.json");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "nearfield: node write (Write Table): out.csv: exists already; add --force to replace it, or name another file (--out)\n",
    });
    expect(readFileSync(join(folder.path, "out.csv"), "utf8")).toBe("mine\n");
    expect((await run("process.json", "--force")).code).toBe(0);
    expect(readFileSync(join(folder.path, "out.csv"), "utf8")).toBe(predicted);
  });

  it("never replaces what is read, nor the process, --force or not", async () => {
    const onto = (file: string) => ({
      ...writing,
      write: { ...writing.write, parameters: { file, format: "csv" } },
    });
    for (const file of ["train.csv", "process.json"]) {
      writeProcess(onto(file));
      const before = readFileSync(join(folder.path, file), "utf8");
      const { code, stderr } = await run("process.json", "--force");
      expect(code).toBe(1);
      expect(stderr).toContain(`${file}: is also read, as ${file}; write to another file`);
      expect(readFileSync(join(folder.path, file), "utf8")).toBe(before);
    }
  });

  it.skipIf(process.platform === "win32")("stays there through links, of folders and of files", async () => {
    mkdirSync(join(folder.path, "process"));
    mkdirSync(join(folder.path, "outside"));
    folder.write({ "process/train.csv": readFileSync(join(folder.path, "train.csv"), "utf8") });
    folder.write({ "process/test.csv": readFileSync(join(folder.path, "test.csv"), "utf8") });
    symlinkSync("../outside", join(folder.path, "process/link"));
    symlinkSync("../outside/new.csv", join(folder.path, "process/new.csv"));
    folder.write({ "outside/old.csv": "mine\n" });
    symlinkSync("../outside/old.csv", join(folder.path, "process/old.csv"));
    for (const file of ["link/out.csv", "new.csv", "old.csv"]) {
      writeProcess({ ...writing, write: { ...writing.write, parameters: { file } } }, "process/process.json");
      const { code, stderr } = await run("process/process.json", "--force");
      expect(code).toBe(1);
      expect(stderr).toMatch(/: a link leads to \S+outside\S+, outside of the folder process, below which/);
    }
    expect(readdirSync(join(folder.path, "outside"))).toEqual(["old.csv"]);
    expect(readFileSync(join(folder.path, "outside/old.csv"), "utf8")).toBe("mine\n");
  });

  it.skipIf(process.platform === "win32")(
    "is whole or not there when Ctrl-C comes, and the exit code is 130",
    async () => {
      folder.write({ "train.csv": manyRows(20_000), "test.csv": manyRows(20_000) });
      const near = {
        operator: "nearestNeighbours",
        inputs: { train: "read.table" },
        parameters: { k: 50, metric: "minkowski", p: 2.5 },
      };
      writeProcess({
        read: nodes.read,
        near,
        write: { ...writing.write, inputs: { table: "near.neighbours" } },
      });
      const child = folder.start(["run", "process.json", ...cpu]);
      child.stdin!.end();
      child.stderr!.once("data", () => setTimeout(() => child.kill("SIGINT"), 50));
      const { code, stderr } = await outcomeOf(child);
      expect(code).toBe(130);
      expect(stderr).toContain("interrupted; no output file was written");
      expect(folder.list()).toEqual(["process.json", "test.csv", "train.csv"]);
    },
  );
});

describe("mistakes", () => {
  it.each<[string, Readonly<Record<string, Node>>, string[], string]>([
    [
      "a missing file",
      { read: { operator: "readTable", parameters: { file: "no.csv" } } },
      [],
      "nearfield: node read (Read Table): no.csv: cannot be read: there is no such file",
    ],
    [
      "a parameter",
      { knn: { operator: "knn", parameters: { k: 0 } } },
      [],
      "nearfield: process.json: nodes.knn.parameters.k: is 0; expected a whole number of at least 1\n",
    ],
    [
      "two of them",
      { knn: { operator: "knn", parameters: { k: 0, kk: 1 } } },
      [],
      "(and 1 more, which --check lists)",
    ],
    ["an unknown node of --set", nodes, ["--set", "kmn.k=3"], 'there is no node "kmn" (did you mean "knn"?)'],
    ["--set without a value", nodes, ["--set", "knn.k"], "Expected a name, = and a value."],
    [
      "--data of a node that reads nothing",
      nodes,
      ["--data", "knn=a.csv"],
      '--data: the node "knn" reads no file; those that do are "read", "new"',
    ],
    [
      "an unknown node of --only",
      nodes,
      ["--only", "aply"],
      'there is no node "aply" (did you mean "apply"?)',
    ],
    [
      "a folder that is not there",
      writing,
      ["--out", "nowhere"],
      "the folder nowhere does not exist; create it first",
    ],
    [
      "more neighbours than rows",
      nodes,
      ["--set", "knn.k=7"],
      "nearfield: node apply (Apply Model): k is 7, but train has only 6 rows",
    ],
    [
      "a label that is not there",
      nodes,
      ["--set", "roles.label=knd"],
      'node roles (Set Role): train.csv: there is no column "knd" (did you mean "kind"?)',
    ],
  ])("%s: exit code 1 and nothing written", async (_, given, args, message) => {
    writeProcess(given);
    const before = folder.list();
    const { code, stdout, stderr } = await run("process.json", ...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(folder.list()).toEqual(before);
  });

  it("a file that is no process, or not there: exit code 1", async () => {
    folder.write({ "process.json": '{"nearfield": 1,\n  "nodes": {\n' });
    const { code, stderr } = await run("process.json");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "nearfield: process.json, line 3, column 1: expected a name in quotes\n",
    });
    expect((await run("no.json")).code).toBe(1);
  });

  it("a failure that is not the user's: exit code 70, with the node's name", async () => {
    writeProcess(nodes);
    // The files are hashed by then, so that a node is the one to fail.
    const late =
      "let%20n=0;SubtleCrypto.prototype.digest=async()=>{if(++n>2)throw%20Error(%22boom%22);return%20new%20ArrayBuffer(32)}";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${late}` };
    const { code, stdout, stderr } = await folder.run(["run", "process.json", ...cpu], { env });
    expect({ code, stdout, last: stderr.trimEnd().split("\n").at(-1) }).toEqual({
      code: 70,
      stdout: "",
      last: "nearfield: node new (Read Table): internal error, please report it: Error: boom",
    });
    expect(stderr).toContain("apply (Apply Model): skipped: knn has no result\n");
  });
});

it.each([[], ["--check"], ["--only", "knn"]])(
  "says that a process of nothing runs nothing: %j",
  async (...args) => {
    writeProcess({});
    expect(await run("process.json", ...args)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "nearfield: process.json: has no nodes, so there is nothing to run\n",
    });
  },
);

describe("--check", () => {
  it("runs nothing and says that nothing is wrong", async () => {
    writeProcess(writing);
    const { code, stdout } = await run("process.json", "--check");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "nothing is wrong with the 6 nodes of process.json\n",
    });
    expect(folder.list()).toEqual(["process.json", "test.csv", "train.csv"]);
  });

  it("lists every problem, those of columns in files too", async () => {
    writeProcess(nodes);
    const { code, stdout, stderr } = await run(
      "process.json",
      "--check",
      "--set",
      "roles.label=knd",
      "--set",
      "roles.ignore=ID,note",
    );
    expect(stdout.split("\n").filter((line) => line.startsWith("nodes.roles."))).toEqual([
      'nodes.roles.parameters.label: there is no column "knd" (did you mean "kind"?); the columns are "id", "x", "y", "kind"',
      'nodes.roles.parameters.ignore: there is no column "ID" (did you mean "id"?); the columns are "id", "x", "y", "kind"',
      expect.stringContaining('nodes.roles.parameters.ignore: there is no column "note"') as string,
    ]);
    expect({ code, stderr: stderr.includes("problems; nothing was run") }).toEqual({ code: 1, stderr: true });
    const json = await run("process.json", "--check", "--json", "--set", "roles.label=knd");
    expect(JSON.parse(json.stdout)).toMatchObject({
      problems: [{ path: "nodes.roles.parameters.label", mend: 'name the column "kind"' }],
    });
    expect(json.code).toBe(1);
  });
});

describe("nearfield operators", () => {
  it("lists them, describes one, and names the nearest for one that is not there", async () => {
    const all = await folder.run(["operators"]);
    expect(all.stdout).toMatch(/^Data\n {2}readTable +Reads a file/);
    const one = await folder.run(["operators", "splitData"]);
    expect(one.stdout).toContain(
      "  seed: a whole number of at least 0 and at most 281474976710655 (default: 2001). seed of the random rows\n",
    );
    expect(JSON.parse((await folder.run(["operators", "knn", "--json"])).stdout)).toMatchObject({
      id: "knn",
      version: 1,
    });
    const none = await folder.run(["operators", "splitdta"]);
    expect({ code: none.code, stderr: none.stderr.slice(0, 70) }).toEqual({
      code: 1,
      stderr: 'nearfield: there is no operator "splitdta" (did you mean splitData?); there are'.slice(0, 70),
    });
    expect(JSON.parse((await folder.run(["operators", "--schema"])).stdout)).toHaveProperty(
      "properties.nodes",
    );
  });
});
