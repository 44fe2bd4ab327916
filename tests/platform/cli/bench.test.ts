/**
 * What the benches print: that their figures fit each other, that they check what they time, and what they
 * refuse.
 */
import { describe, expect, it } from "vitest";
import { checkSample, randomRows } from "../../../dist/cli/bench/knnData.js";
import type { KnnSummary } from "../../../dist/cli/bench/knnText.js";
import type { ConvolveSummary } from "../../../dist/cli/bench/convolve.js";
import type { CloudSummary } from "../../../dist/cli/bench/cloudText.js";
import type { CopySummary } from "../../../dist/cli/bench/copy.js";
import { kneighbors } from "../../../dist/node.js";
import { isAbsent } from "../../backend/helpers.ts";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const shape = (queries: number, references: number, columns: number) =>
  Object.entries({ queries, references, columns }).flatMap(([name, size]) => [`--${name}`, String(size)]);
const small = ["bench", "knn", ...shape(20, 300, 5), "--backend", "cpu"];

describe("nearfield bench knn", () => {
  it("gives one JSON object whose figures fit each other", async () => {
    const { code, stdout } = await folder.run([...small, "--repeat", "3", "--peak", "0.05", "--json"]);
    const summary = JSON.parse(stdout) as KnnSummary;
    const { seconds, queriesPerSecond, operationsPerSecond, peak } = summary;
    expect(summary).toMatchObject({ backend: "cpu", queries: 20, references: 300, columns: 5, k: 10 });
    expect(seconds.searches.length).toBe(3);
    expect([...seconds.searches].sort((a, b) => a - b)[1]).toBe(seconds.median);
    expect(queriesPerSecond).toBe(20 / seconds.median);
    expect(operationsPerSecond).toBe(60_000 / seconds.median);
    expect(peak).toEqual({
      operationsPerSecond: 5e10,
      measured: false,
      fraction: operationsPerSecond / 5e10,
    });
    expect(summary.check).toEqual({ queries: 10, wrongQueries: 0, largestError: 0 });
    expect(code).toBe(0);
  });

  it("says the same to people, and how the search was done", async () => {
    const { code, stdout } = await folder.run([...small, "--metric", "manhattan", "-k", "3"]);
    expect(stdout).toMatch(/^searched +20 queries in 300 x 5, k = 3, manhattan, certified in float64\n/);
    expect(stdout).toMatch(/\nchecked +10 queries, all equal float64/);
    expect(stdout).toMatch(/\ntechnique +direct form/);
    expect(code).toBe(0);
  });

  it("refuses more neighbours than references", async () => {
    const { code, stderr } = await folder.run([...small, "--k", "301"]);
    expect([code, stderr]).toEqual([
      1,
      "nearfield: --references: has only 300 rows, but k is 301; choose --k of at most 300\n",
    ]);
  });

  it("points to its help when an option is wrong", async () => {
    const { code, stderr } = await folder.run([...small, "--repeat", "0"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^nearfield: option '--repeat <number>' .*whole number of at least 1/);
    expect(stderr).toContain("nearfield bench knn --help shows every option");
  });

  it.each(["euclidean", "rapidminer:KLDivergence"] as const)(
    "would notice one wrong neighbour (%s)",
    async (metric) => {
      const train = { data: randomRows(50, 3, 1), rows: 50, cols: 3 };
      const queries = { data: randomRows(4, 3, 2), rows: 4, cols: 3 };
      const result = await kneighbors(train, queries, { k: 3, metric, backend: "cpu" });
      expect(checkSample(train, queries, result, { metric, sample: 4 })?.wrongQueries).toBe(0);
      result.indices[7] = (result.indices[7] + 1) % 50;
      expect(checkSample(train, queries, result, { metric, sample: 4 })?.wrongQueries).toBe(1);
    },
  );
});

describe("nearfield bench copy", () => {
  const copy = ["bench", "copy", "--bytes", "4M", "--backend", "cpu"];

  it("gives one JSON object whose figures fit each other", async () => {
    const { code, stdout } = await folder.run([...copy, "--repeat", "3", "--json"]);
    const summary = JSON.parse(stdout) as CopySummary;
    expect(summary).toMatchObject({ command: "bench copy", backend: "cpu", bytes: 2 ** 22, runs: 3 });
    expect(summary.bytesPerSecond).toBe(2 ** 23 / summary.seconds);
    expect(code).toBe(0);
  });

  it("says the same to people, and who copied", async () => {
    const { code, stdout } = await folder.run(copy);
    expect(stdout).toMatch(
      /^copied +4,194,304 bytes by one thread, with the set of typed arrays\ndevice +.+ \(cpu\)\n/,
    );
    expect(stdout).toMatch(/\none copy +[\d.]+ ms \(median of 10 runs\)\n/);
    expect(stdout).toMatch(/\nbandwidth +[\d.]+ GB\/s, read and written\n$/);
    expect(code).toBe(0);
  });

  it.skipIf(isAbsent("gpu"))("copies on a GPU from buffer to buffer", async () => {
    const { code, stdout } = await folder.run(["bench", "copy", "--bytes", "4M", "--backend", "gpu"]);
    expect(stdout).toMatch(/^copied +4,194,304 bytes from buffer to buffer\ndevice +.+ \(gpu\)\n/);
    expect(code).toBe(0);
  });
});

describe("nearfield bench cloud", () => {
  const sizes = ["--points", "3000", "--queries", "700", "-k", "2", "--cells", "auto,1,9,256"];
  const cloud = ["bench", "cloud", ...sizes, "--backend", "cpu", "--repeat", "1", "--pairs", "600000"];

  it("gives one JSON object whose figures fit each other", async () => {
    const { code, stdout, stderr } = await folder.run([...cloud, "--json"]);
    const { rows, ...summary } = JSON.parse(stdout) as CloudSummary;
    expect(summary).toEqual({ command: "bench cloud", points: 3000, queries: 700, k: 2, runs: 1 });
    expect(rows.map(({ cells, queries, wrong }) => [cells, queries, wrong])).toEqual([
      ["auto", 700, 0],
      [1, 200, 0],
      [9, 700, 0],
      [256, 700, 0],
    ]);
    expect(rows.map(({ pointsPerCell }) => pointsPerCell)).toEqual([
      undefined,
      3000,
      3000 / 729,
      3000 / 2 ** 24,
    ]);
    const [auto, whole, some] = rows.map(({ pairsPerQuery }) => pairsPerQuery);
    expect(auto).toBeLessThanOrEqual(3000);
    expect(whole).toBeLessThanOrEqual(3008);
    expect(some).toBeLessThan(whole / 2);
    expect(code, stderr).toBe(0);
  });

  it("says the same to people", async () => {
    const { code, stdout } = await folder.run(cloud);
    expect(stdout).toMatch(
      /^searched {2}700 queries in 3,000 points, k = 2 \(median of 1 run\)\ndevice +.*\(cpu\)\n/,
    );
    expect(stdout).toMatch(/\nchecked {3}all answers equal\n\n +cells +points\/cell +queries +build s/);
    expect(stdout).toMatch(/\ncpu +1 +3\.00e\+3 +200 +[\d.]+ +[\d.]+ /);
    expect(code).toBe(0);
  });

  it.each(["0", "257", "auto,x", ""])("refuses --cells %j", async (cells) => {
    const { code, stderr } = await folder.run([...cloud, "--cells", cells]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Expected auto and whole numbers from 1 to 256/),
    ]);
  });
});

describe("nearfield bench", () => {
  it("lists its benches", async () => {
    const { code, stdout } = await folder.run(["bench", "--help"]);
    expect(stdout).toMatch(
      /\n {2}knn .*Times an exact k-nearest-neighbour search[^]*\n {2}copy .*Times a copy/,
    );
    expect(code).toBe(0);
  });

  it("names the nearest bench to one that there is not", async () => {
    const { code, stderr } = await folder.run(["bench", "cpy"]);
    expect([code, stderr]).toEqual([
      1,
      'nearfield: there is no bench "cpy" (did you mean copy?); the benches are knn, copy, convolve, sort, cloud, ' +
        "distances\n" +
        "(nearfield bench --help lists the benches)\n",
    ]);
  });

  it.each([
    {
      name: "more rows than main memory holds",
      args: [...small, "--references", "1000000000", "--columns", "10000"],
      message:
        /^nearfield: the sizes take 36\.4 TiB of main memory \(--references 1000000000 x --columns 10000: 36\.4 TiB, --queries 20 x --columns 10000: 781\.3 KiB, --queries 20 x --k 10: 2\.3 KiB\), but only [\d.]+ \w+ may be used; choose smaller sizes\n$/,
    },
    {
      name: "more rows than --memory",
      args: [...small, "--memory", "4K"],
      message: /^nearfield: the sizes take 8\.6 KiB of main memory .*, but only 4 KiB may be used; choose/,
    },
    {
      name: "rows that the device has no room for",
      args: ["bench", "knn", ...shape(1, 2, 1000), "--k", "1", "--backend", "cpu", "--memory", "13K"],
      message:
        /^nearfield: --queries 1 and --references 2 of --columns 1000, --k 1, do not fit: .*memory.*; or choose smaller/,
    },
    {
      name: "more bytes than the device holds twice",
      args: ["bench", "copy", "--bytes", "1T", "--backend", "cpu"],
      message: /^nearfield: 1099511627776 bytes do not fit twice into .+; choose at most \d+ bytes\n$/,
    },
  ])("refuses $name as a mistake of the user", async ({ args, message }) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(message);
  });
});

describe("nearfield bench convolve", () => {
  const convolve = ["bench", "convolve", "--samples", "5000", "--repeat", "2", "--json"];

  it("times sums and spectra on a CPU, with figures that fit each other", async () => {
    const { code, stdout, stderr } = await folder.run([...convolve, "--taps", "63", "--backend", "cpu"]);
    expect(code, stderr).toBe(0);
    const summary = JSON.parse(stdout) as ConvolveSummary;
    expect(summary).toMatchObject({
      command: "bench convolve",
      backend: "cpu",
      samples: 5000,
      taps: 63,
      runs: 2,
    });
    expect(summary.techniques.map(({ technique }) => technique)).toEqual(["tiled", "fft"]);
    for (const { seconds, bytesPerSecond, ofCopy, error } of summary.techniques) {
      expect(bytesPerSecond).toBe(40_000 / seconds);
      expect(ofCopy).toBe(summary.copySeconds / seconds);
      expect(error).toBeLessThan(1e-4);
      expect(error).toBeGreaterThan(0);
    }
  });

  it.skipIf(isAbsent("gpu"))("prints the table of every technique of a GPU, in tiles as asked", async () => {
    const args = [...convolve, "--taps", "5", "--backend", "gpu", "--tile", "4"];
    const { code, stdout, stderr } = await folder.run(args);
    expect(code, stderr).toBe(0);
    const summary = JSON.parse(stdout) as ConvolveSummary;
    expect(summary.constantBytes).toBeGreaterThanOrEqual(16_384);
    const loads = summary.techniques.map(({ technique, loads }) => [technique, loads]);
    expect(loads).toEqual([
      ["plain", 10],
      ["uniform", 5],
      ["tiled", 2],
      ["fft", 4096 / 4092],
    ]);
  });

  it.skipIf(isAbsent("gpu")).each([
    { taps: 10, techniques: { plain: 20, uniform: 10, tiled: 1 + 9 / 4 } },
    { taps: 2049, techniques: { plain: 4098, tiled: 5 + 2044 / 3072 } },
  ])("times $taps taps on a GPU as convolve would go about them", async ({ taps, techniques }) => {
    const { code, stdout, stderr } = await folder.run([...convolve, "--taps", `${taps}`, "--backend", "gpu"]);
    expect(code, stderr).toBe(0);
    const found = (JSON.parse(stdout) as ConvolveSummary).techniques;
    const loads = found.filter(({ technique }) => technique !== "fft");
    expect(Object.fromEntries(loads.map(({ technique, loads }) => [technique, loads]))).toEqual(techniques);
    expect(found.length).toBe(loads.length + 1);
  });

  it("refuses tiles and taps that mean nothing", async () => {
    const { code, stderr } = await folder.run([...convolve, "--tile", "6", "--backend", "cpu"]);
    expect([code, stderr]).toEqual([1, "nearfield: tile is 6; expected a multiple of 4 from 4 to 1024\n"]);
  });
});
