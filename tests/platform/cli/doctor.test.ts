/** `nearfield doctor` on this machine: the CPU, SwiftShader, no GPU, and backends that give wrong answers. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DoctorReport } from "../../../dist/cli/doctor/report.js";
import { Device, kneighbors, reduce, scan } from "../../../dist/node.js";
import type { SelfTestOperators as Operators } from "../../../dist/node.js";
import { runSelfTest } from "../../../dist/selfTest/run.js";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const { CI, NEARFIELD_TEST_GPU, VK_ICD_FILENAMES } = process.env;
const expectsGpu = NEARFIELD_TEST_GPU === "1" || Boolean(VK_ICD_FILENAMES) || Boolean(CI);
/** A driver that is not there, so that there is no adapter, whatever the machine has. */
const noGpu = { VK_ICD_FILENAMES: "/nowhere/driver.json", VK_DRIVER_FILES: "/nowhere/driver.json" };

async function reportOf(
  args: readonly string[],
  env = {},
): Promise<{ code: number | null; report: DoctorReport }> {
  const { code, stdout, stderr } = await folder.run(["doctor", "--json", ...args], { env });
  expect(stderr.replace(/^Warning: .*\n( +at .*\n)?/gm, "").trim()).toBe(""); // Dawn's own warnings
  return { code, report: JSON.parse(stdout) as DoctorReport };
}

/** Fields that docs/doctor.md does not name, limits aside, which are WebGPU's. */
function undocumented(report: DoctorReport): string[] {
  const page = readFileSync(new URL("../../../docs/doctor.md", import.meta.url), "utf8");
  const limits = new Set(report.machine.adapters.flatMap((adapter) => Object.keys(adapter.limits)));
  const named = new Set([...page.matchAll(/`[^`\n]+`/g)].flatMap(([code]) => code.match(/\w+/g) ?? []));
  return fieldsOf(report).filter((field) => !limits.has(field) && !named.has(field));
}

/** The names of all fields, of nested objects too. */
function fieldsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  return Object.entries(value).flatMap(([name, inner]) => [name, ...fieldsOf(inner)]);
}

describe("doctor", () => {
  it("tests the CPU against float64 loops and tells its rates, as text", async () => {
    const { code, stdout, stderr } = await folder.run(["doctor", "--backend", "cpu"], { env: noGpu });
    expect(stdout).toMatch(/^nearfield [\d.]+, Node [\d.]+, \w+ \w+\n\nCPU +\d+ threads?\n/);
    expect(stdout).toMatch(
      /\n {2}OK +k-NN +512 x 20,000 x 64, k = 10 +[\d.]+ [kMGT] pairs\/s, [\d.]+ [kMGT]FLOP\/s\n/,
    );
    expect(stdout).toMatch(/\n {2}OK +scan .* [kMGT]B\/s\n {2}OK +reduce .* [kMGT]B\/s\n/);
    expect(stdout).toMatch(/\nOK +equal to a float64 loop: the CPU\n$/);
    expect([code, stderr.includes("nearfield:")]).toEqual([0, false]);
  });

  it("is well without a GPU, but says what is missing", async () => {
    const { code, report } = await reportOf([], noGpu);
    expect([code, report.status]).toEqual([0, "ok"]);
    expect(Object.keys(report)).toEqual(["status", "nearfield", "host", "machine", "backends", "advice"]);
    expect(undocumented(report)).toEqual([]);
    expect(report.machine).toMatchObject({ noWebGpu: null, adapters: [] });
    expect(report.backends[0]).toMatchObject({ gpu: null, reason: null, traits: null });
    expect(report.backends.map(({ backend, status }) => [backend, status])).toEqual([["cpu", "ok"]]);
    const problems = report.advice.filter(({ level }) => level === "problem");
    expect(problems.length).toBeGreaterThan(0);
    if (process.platform === "linux")
      expect(problems.map(({ problem }) => problem).join()).toContain("/nowhere/driver.json");
  });

  it("ends with 1 when a GPU is asked for and there is none", async () => {
    for (const args of [
      ["--backend", "gpu"],
      ["--backend", "gpu", "--gpu", "0"],
      ["--gpu", "5"],
    ]) {
      const { code, report } = await reportOf(args, noGpu);
      expect([code, report.status, report.backends]).toEqual([1, "unavailable", []]);
    }
  });

  it("ends with 1 when Node may not run WebAssembly", async () => {
    const forbids =
      "--import=data:text/javascript,WebAssembly.compile=async()=>{throw%20Error(%22forbidden%22)}";
    const { code, report } = await reportOf(["--backend", "cpu"], { ...noGpu, NODE_OPTIONS: forbids });
    expect([code, report.status]).toEqual([1, "unavailable"]);
    expect(report.backends[0].reason).toMatch(/may not compile WebAssembly here.*\(Error: forbidden\)$/);
  });

  it("ends with 70 when a backend breaks", async () => {
    const breaks = "--import=data:text/javascript,globalThis.atob=()=>{throw%20Error(%22boom%22)}";
    const { code, report } = await reportOf(["--backend", "cpu"], { ...noGpu, NODE_OPTIONS: breaks });
    expect([code, report.status]).toEqual([70, "failed"]);
    expect(report.backends[0]).toMatchObject({ status: "failed", reason: "Error: boom", checks: [] });
  });

  it("refuses --gpu with the CPU", async () => {
    const { code, stderr } = await folder.run(["doctor", "--backend", "cpu", "--gpu", "0"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("leave out one of --gpu and --backend")]);
  });
});

describe.skipIf(!expectsGpu)("doctor on the GPU", () => {
  it("tests every adapter under its number, and tells limits and features", async () => {
    const { code, report } = await reportOf(["--backend", "gpu"]);
    expect([code, report.status]).toEqual([0, "ok"]);
    expect(report.backends.map(({ gpu }) => gpu)).toEqual(report.machine.adapters.map(({ gpu }) => gpu));
    for (const { checks, status, name } of report.backends) {
      expect([status, checks.map((check) => [check.name, check.status, check.difference])], name).toEqual([
        "ok",
        ["transfer", "k-NN", "scan", "reduce"].map((check) => [check, "ok", null]),
      ]);
      for (const { rates } of checks) expect(Math.min(...Object.values(rates))).toBeGreaterThan(0);
    }
    expect(undocumented(report)).toEqual([]);
    expect(report.machine.adapters[0].limits.maxUniformBufferBindingSize).toBeGreaterThanOrEqual(65_536);
  });

  it("tests only the adapter asked for", async () => {
    const { code, report } = await reportOf(["--gpu", "0"]);
    expect([code, report.backends.map(({ backend, gpu }) => [backend, gpu])]).toEqual([0, [["gpu", 0]]]);
  });

  it("names the adapters there are when another is asked for", async () => {
    const { code, stdout, stderr } = await folder.run(["doctor", "--gpu", "99"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/nearfield: there is no GPU 99; the GPUs are: 0: /);
  });
});

describe("a self-test", () => {
  const sizes = { queries: 8, rows: 200, cols: 3, k: 3, elements: 1024, bytes: 4096 };
  const honest: Operators = { kneighbors, scan, reduce };
  const lies: readonly [string, Partial<Operators>, string, RegExp][] = [
    [
      "a wrong row",
      { kneighbors: async (...args) => lieAbout(await kneighbors(...args), ({ indices }) => indices[7]++) },
      "k-NN",
      /^query 2, rank 1: row \d+ at distance .* but a float64 loop gives row \d+ at /,
    ],
    [
      "a distance that is one bit off",
      {
        kneighbors: async (...args) =>
          lieAbout(await kneighbors(...args), ({ distances }) => (distances[23] *= 1 + 2 ** -52)),
      },
      "k-NN",
      /^query 7, rank 2: /,
    ],
    [
      "a wrong prefix sum",
      { scan: async (...args) => lieAbout(await scan(...args), (sums) => sums[999]++) },
      "scan",
      /^element 999 is \d+, but a plain loop gives \d+$/,
    ],
    [
      "a wrong minimum",
      { reduce: async (input: Float32Array) => new Float32Array(input.length) },
      "reduce",
      /^row 0 is 0, but a plain loop gives /,
    ],
    ["what it throws", { scan: () => Promise.reject(new RangeError("lost")) }, "scan", /^RangeError: lost$/],
  ];

  function lieAbout<T>(value: T, lie: (value: T) => void): T {
    lie(value);
    return value;
  }

  it.each(lies)("tells %s", async (_, lie, check, difference) => {
    const device = await Device.create({ backend: "cpu", threads: 1 });
    const run = (operators: Operators) => runSelfTest(device, operators, {}, sizes);
    expect((await run(honest)).status).toBe("ok");
    const { status, checks } = await run({ ...honest, ...lie });
    device.dispose();
    expect(status).toBe("failed");
    const failed = checks.filter((each) => each.status === "failed");
    expect(failed).toEqual([
      {
        name: check,
        job: expect.any(String) as string,
        status: "failed",
        difference: expect.stringMatching(difference) as string,
        rates: {},
      },
    ]);
  });

  it("ends at once when it is interrupted", async () => {
    const device = await Device.create({ backend: "cpu", threads: 1 });
    const controller = new AbortController();
    const onCheck = () => controller.abort(new Error("enough"));
    const run = runSelfTest(device, honest, { signal: controller.signal, onCheck }, sizes);
    await expect(run).rejects.toThrow("enough");
    device.dispose();
  });
});
