/**
 * What `nearfield search` writes, the program's own help and version, and the GPU behind the same command.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Folder, classifyArgs } from "./helpers.ts";

const folder = new Folder();
const { CI, NEARFIELD_TEST_GPU, VK_ICD_FILENAMES } = process.env;
const expectsGpu = NEARFIELD_TEST_GPU === "1" || Boolean(VK_ICD_FILENAMES) || Boolean(CI);

describe("the result of search", () => {
  it("has query, rank, index and distance, all from 0, in shortest round-trip form", async () => {
    const { code, stdout, stderr } = await folder.search(["--k", "2"]);
    expect(stdout).toBe(
      "query,rank,index,distance\n" +
        "0,0,0,0.7071067811865476\n0,1,1,0.7071067811865476\n" +
        "1,0,3,0\n1,1,4,1\n" +
        "2,0,1,5.656854249492381\n2,1,2,5.830951894845301\n",
    );
    expect(stderr).toMatch(/^searched 3 rows against 6, 2 features, k = 2, euclidean\n/);
    expect(code).toBe(0);
  });

  it("compares all columns but --id, in the training file's order", async () => {
    folder.write({ "train.csv": "sku,x,y\nA-1,0,9\nA-2,9,0\n", "test.csv": "y,x,sku\n9,1,A-2\n" });
    const args = ["search", "--train", "train.csv", "--queries", "test.csv", "--id", "sku", "--k", "1"];
    const { stdout } = await folder.run([...args, "--metric", "manhattan", "--backend", "cpu"]);
    expect(stdout).toBe("query,rank,index,distance,sku,nearest(sku)\n0,0,0,1,A-2,A-1\n");
  });

  it("takes nominal columns, gaps and values unseen in training, by mixed_euclidean", async () => {
    folder.write({ "train.csv": "x,colour\n1,red\n,blue\n", "test.csv": "colour,x\nblue,3\ngreen,\n" });
    const args = ["search", "--train", "train.csv", "--queries", "test.csv", "--k", "2", "--backend", "cpu"];
    const { stdout } = await folder.run([...args, "--metric", "mixed_euclidean"]);
    expect(stdout).toBe("query,rank,index,distance\n0,0,1,0\n0,1,0,2.23606797749979\n1,0,0,1\n1,1,1,1\n");
  });

  it("gives a JSON summary without a classification", async () => {
    const { stdout } = await folder.search(["--k", "2", "--json", "--out", "out.csv"]);
    const summary = JSON.parse(stdout) as Record<string, unknown>;
    expect(summary).toMatchObject({ command: "search", k: 2, metric: "euclidean", output: "out.csv" });
    expect(summary).not.toHaveProperty("classification");
  });
});

describe("the program", () => {
  it("prints the version of the package", async () => {
    const { version } = JSON.parse(
      readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
    ) as {
      version: string;
    };
    for (const option of ["--version", "-V"])
      expect(await folder.run([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("helps on stdout, with examples", async () => {
    for (const args of [["--help"], ["help", "classify"], ["search", "--help"]]) {
      const { code, stdout, stderr } = await folder.run(args);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("Examples:\n  nearfield ");
    }
  });

  it("lists the metrics of others in the help, and all by --metric list, one in a line", async () => {
    const { stdout } = await folder.run(["search", "--help"]);
    expect(stdout.match(/rapidminer:\w+/g)).toEqual(["rapidminer:CamberraDistance"]);
    const listed = await folder.run(["search", "--metric", "list"]);
    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    // Two of the 29 measures share names.
    expect(listed.stdout.match(/^rapidminer:\w+$/gm)).toHaveLength(27);
    expect(listed.stdout).toMatch(/^euclidean +root of the sum of squared differences \(also l2\)\n/);
  });

  it("names the metric that was meant, and takes the names that others have for it", async () => {
    const { code, stderr } = await folder.search(["--metric", "euclidian"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("Did you mean euclidean or sqeuclidean? See --metric list"),
    ]);
    const [own, other] = [
      await folder.search(["--metric", "manhattan"]),
      await folder.search(["--metric", "l1"]),
    ];
    expect([other.code, other.stdout]).toEqual([0, own.stdout]);
  });

  it("names the commands when none is given", async () => {
    const { code, stdout, stderr } = await folder.run([]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/classify .*\n(.*\n)* +search /);
  });

  it("suggests the command that was meant", async () => {
    const { code, stderr } = await folder.run(["clasify"]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      "nearfield: unknown command 'clasify'\n(Did you mean classify?)\n(nearfield --help lists the commands)\n",
    );
  });

  it.each([
    [
      ["help", "nonsense"],
      "unknown command 'nonsense'; nearfield has example, schema, doctor, classify, regress, predict, ",
    ],
    [
      ["help", "bench", "nonsense"],
      "unknown command 'nonsense'; bench has knn, copy, convolve, sort, cloud, distances\n",
    ],
    [["help", "search", "nonsense"], "unknown command 'nonsense'; search has no commands\n"],
    [["nonsense"], "unknown command 'nonsense'\n(nearfield --help lists the commands)\n"],
    [
      ["bench", "nonsense"],
      'there is no bench "nonsense"; the benches are knn, copy, convolve, sort, cloud, distances\n(nearfield bench --help lists the benches)\n',
    ],
  ])("says which commands there are for: %j", async (args, expected) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`nearfield: ${expected}`);
  });

  it("helps with a command of a command", async () => {
    const { code, stdout } = await folder.run(["help", "bench", "knn"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--references");
  });
});

/** A process with this option finds neither a device of a GPU nor a file that describes a driver. */
const withoutDrivers = `--import data:text/javascript,${encodeURIComponent(`
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const list = fs.readdirSync;
fs.readdirSync = (folder, ...more) =>
  /^\\/dev$|vulkan\\/icd\\.d$/.test(folder) ? [] : list(folder, ...more);
syncBuiltinESMExports();`)}`;

describe("on a machine without a GPU or a driver", () => {
  it("says nothing but its summary, although Dawn is installed", async () => {
    const without = { VK_ICD_FILENAMES: undefined, VK_DRIVER_FILES: undefined, NODE_OPTIONS: withoutDrivers };
    const args = ["search", "--train", "train.csv", "--queries", "train.csv", "--features", "x,y"];
    const { code, stdout, stderr } = await folder.run([...args, "--k", "1", "--out", "alone.csv"], {
      env: without,
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^device +WASM/m);
    const doctor = await folder.run(["doctor", "--json"], { env: without });
    expect(doctor.stderr).toBe("");
  });
});

describe.skipIf(!expectsGpu)("on the GPU", () => {
  it("classifies to the same bytes as on the CPU", async () => {
    const gpuArgs = [...classifyArgs, "--json", "--out", "gpu.csv", "--backend", "gpu"].filter(
      (arg) => arg !== "cpu",
    );
    const gpu = await folder.run(
      gpuArgs.filter((arg, at) => !(arg === "--backend" && at < classifyArgs.length)),
    );
    expect(gpu.code, gpu.stderr).toBe(0);
    expect(JSON.parse(gpu.stdout)).toMatchObject({
      backend: "gpu",
      explanation: { backend: "gpu", pairs: 18 },
    });
    const cpu = await folder.classify(["--quiet"]);
    expect(readFileSync(`${folder.path}/gpu.csv`, "utf8")).toBe(cpu.stdout);
  });
});
