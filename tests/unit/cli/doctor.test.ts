/**
 * `nearfield doctor` says this of machines that are not at hand: facts made up here, and
 * a file system in a folder.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adviceFor } from "../../../src/cli/doctor/advice.ts";
import { linuxFacts, type HostFacts, type LinuxFacts } from "../../../src/cli/doctor/host.ts";
import { naiveMinima, naiveNeighbors, naivePrefixSums, seededRows } from "../../../src/selfTest/naive.ts";
import { exitCodes, statusOf, type BackendReport } from "../../../src/cli/doctor/report.ts";
import { doctorText } from "../../../src/cli/doctor/text.ts";
import { bytesText } from "../../../src/cli/format.ts";
import type { AdapterReport, MachineReport } from "../../../src/runtime/inspect.ts";

const limits: AdapterReport["limits"] = {
  maxBufferSize: 4 * 2 ** 30,
  maxStorageBufferBindingSize: 2 * 2 ** 30,
  maxUniformBufferBindingSize: 65_536,
  maxStorageBuffersPerShaderStage: 10,
  maxUniformBuffersPerShaderStage: 12,
  maxBindGroups: 4,
  maxComputeWorkgroupStorageSize: 49_152,
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupSizeY: 1024,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65_535,
  minStorageBufferOffsetAlignment: 32,
  minUniformBufferOffsetAlignment: 64,
};
const adapter: AdapterReport = {
  gpu: 0,
  name: "NVIDIA H200",
  vendor: "nvidia",
  architecture: "hopper",
  device: "0x2335",
  description: "NVIDIA H200",
  software: false,
  subgroupSizes: { min: 32, max: 32 },
  features: ["depth-clip-control", "shader-f16", "subgroups", "timestamp-query"],
  limits,
};
const machine: MachineReport = {
  runtime: "node",
  threads: 16,
  memory: 32 * 2 ** 30,
  simd: true,
  relaxedSimd: true,
  sharedMemory: true,
  adapters: [adapter],
  noWebGpu: undefined,
};
const linux: LinuxFacts = {
  family: ["debian"],
  version: "13",
  container: false,
  musl: false,
  vulkanLoader: true,
  vulkanDrivers: ["/usr/share/vulkan/icd.d/radeon_icd.json"],
  missingDrivers: [],
  renderNodes: [{ path: "/dev/dri/renderD128", allowed: true }],
  nvidia: false,
};
const host: HostFacts = { node: "22.12.0", platform: "linux", arch: "x64", linux, memoryLimit: null };
const cpu: BackendReport = {
  backend: "cpu",
  gpu: null,
  name: "WASM SIMD, 16 workers",
  status: "ok",
  reason: null,
  traits: null,
  checks: [
    {
      name: "k-NN",
      status: "ok",
      job: "512 x 20,000 x 64, k = 10",
      difference: null,
      rates: { pairs: 1.2e8, flops: 1.54e10 },
    },
    { name: "scan", status: "ok", job: "4,194,304 u32", difference: null, rates: { bytes: 2.9e9 } },
  ],
};
const gpu: BackendReport = {
  ...cpu,
  backend: "gpu",
  gpu: 0,
  name: "NVIDIA H200",
  traits: { forwardProgress: true, subgroups: false },
  checks: [
    {
      name: "transfer",
      status: "ok",
      job: "64 MiB up and back",
      difference: null,
      rates: { uploadBytes: 8e9, readBackBytes: 999 },
    },
    {
      name: "k-NN",
      status: "failed",
      job: "2,048 x 50,000 x 64, k = 10",
      difference: "query 0, rank 1: row 7",
      rates: {},
    },
  ],
  status: "failed",
};

/** Problems and remedies, one string each. */
function advised(
  more: { host?: Partial<HostFacts>; linux?: Partial<LinuxFacts>; machine?: Partial<MachineReport> },
  wantsGpu = true,
): string[] {
  const facts = { ...host, linux: { ...linux, ...more.linux }, ...more.host };
  return adviceFor(facts, { ...machine, ...more.machine }, [], wantsGpu).map(
    ({ level, problem, remedy }) => `${level}: ${problem} -> ${remedy}`,
  );
}

describe("the advice", () => {
  const none = { adapters: [] };

  it("is none where everything is there", () => {
    expect(advised({})).toEqual([]);
    expect(advised({ machine: none }, false)).toEqual([]);
  });

  it("knows the oldest Node", () => {
    expect(advised({ host: { node: "20.19.0" } })).toEqual([]);
    expect(advised({ host: { node: "20.18.9" } })[0]).toMatch(
      /problem: Node 20.18.9 is older than 20.19.*Node 22/,
    );
    expect(advised({ host: { node: "18.20.0" } })[0]).toMatch(/problem: Node 18.20.0 is older/);
  });

  it("tells a processor without SIMD from one without relaxed SIMD", () => {
    expect(advised({ machine: { simd: false, relaxedSimd: false } })).toEqual([
      expect.stringMatching(/^problem: there is no WebAssembly SIMD.*SSE4.1 or NEON/),
    ]);
    expect(advised({ host: { node: "20.19.0" }, machine: { relaxedSimd: false } })).toEqual([
      expect.stringMatching(/^hint: .*relaxed SIMD.* -> use Node 22 or later$/),
    ]);
  });

  it("says how much memory a container leaves", () => {
    expect(advised({ host: { memoryLimit: 2 ** 30 } })).toEqual([
      expect.stringMatching(/^hint: .*1024 MiB.* 32768 MiB -> add --memory 614M /),
    ]);
    expect(advised({ host: { memoryLimit: 2 ** 40 } })).toEqual([]);
  });

  it("installs the package webgpu, and with musl says what is in its way", () => {
    const noWebGpu = "no WebGPU in this Node: run `npm install webgpu` to use a GPU";
    expect(advised({ machine: { ...none, noWebGpu } })).toEqual([
      expect.stringMatching(/^problem: .*-> `npm install webgpu` beside nearfield \(132 MB\)/),
    ]);
    expect(advised({ machine: { ...none, noWebGpu }, host: { platform: "darwin", linux: null } })).toEqual([
      expect.stringMatching(/-> `npm install webgpu`/),
    ]);
    expect(advised({ machine: { ...none, noWebGpu }, linux: { musl: true } })).toEqual([
      expect.stringMatching(/node:22-slim instead of node:22-alpine/),
    ]);
  });

  it("asks for no large package where Linux sees no GPU", () => {
    const without = { machine: { ...none, noWebGpu: "no WebGPU" } };
    const unseen = { renderNodes: [], nvidia: false };
    expect(advised({ ...without, linux: unseen })).toEqual([
      expect.stringMatching(/^hint: Linux sees no GPU/),
    ]);
    expect(advised({ ...without, linux: { ...unseen, container: true } })).toEqual([
      expect.stringMatching(/^hint: this is a container, and no GPU is passed into it/),
    ]);
    expect(advised({ ...without, linux: { ...unseen, nvidia: true } })).toEqual([
      expect.stringMatching(/npm install webgpu/),
    ]);
  });

  it.each<[string, Partial<LinuxFacts>, RegExp[]]>([
    [
      "without a loader",
      { vulkanLoader: false },
      [/libvulkan.so.1, is not installed -> `apt install libvulkan1`/],
    ],
    [
      "without a loader on Fedora",
      { vulkanLoader: false, family: ["fedora"] },
      [/`dnf install vulkan-loader`/],
    ],
    ["without a loader on Mint", { vulkanLoader: false, family: ["linuxmint", "ubuntu"] }, [/`apt install/]],
    [
      "without a loader on NixOS",
      { vulkanLoader: false, family: ["nixos"] },
      [/-> install the Vulkan loader$/],
    ],
    [
      "with a wrong variable",
      { missingDrivers: ["/x.json"] },
      [/names \/x.json, which does not exist -> correct/],
    ],
    [
      "in a container",
      { renderNodes: [], container: true },
      [/no GPU is passed into it -> NVIDIA: `docker run --gpus all/],
    ],
    [
      "in a container without a loader",
      { renderNodes: [], container: true, vulkanLoader: false },
      [/loader/, /no GPU is passed/],
    ],
    ["without a kernel driver", { renderNodes: [] }, [/Linux sees no GPU.*lspci -k/]],
    [
      "without permission",
      { renderNodes: [{ path: "/dev/dri/renderD128", allowed: false }] },
      [/may not use \/dev\/dri\/renderD128 -> `sudo usermod -aG render/],
    ],
    [
      "without Mesa",
      { vulkanDrivers: [] },
      [/no Vulkan driver is installed -> `apt install mesa-vulkan-drivers`$/],
    ],
    ["without Mesa on Debian 12", { vulkanDrivers: [], version: "12" }, [/too old for Dawn/]],
    [
      "with half of NVIDIA's driver",
      { nvidia: true },
      [/not its Vulkan driver -> `apt install nvidia-vulkan-icd`/],
    ],
    [
      "with half of NVIDIA's driver in a container",
      { nvidia: true, container: true },
      [/NVIDIA_DRIVER_CAPABILITIES=all .*libegl1/],
    ],
    ["with everything but an adapter", {}, [/WebGPU finds no GPU -> update the card's Vulkan driver/]],
  ])("mends Linux %s", (_, facts, expected) => {
    const found = advised({ linux: facts, machine: none });
    expect(found).toEqual(expected.map((each) => expect.stringMatching(each) as string));
  });

  it("says so when there is only software, on every system", () => {
    const software = { adapters: [{ ...adapter, software: true }] };
    expect(advised({ machine: software })[0]).toMatch(/only a software GPU/);
    const without = (platform: string) => advised({ host: { platform, linux: null }, machine: software })[0];
    expect(without("win32")).toMatch(/Direct3D 12/);
    expect(without("darwin")).toMatch(/Metal/);
  });

  it("gives problems before hints", () => {
    const found = advised({ machine: { relaxedSimd: false, adapters: [] } });
    expect(found.map((each) => each.split(":")[0])).toEqual(["problem", "hint"]);
  });

  it("names the backends that failed", () => {
    const found = adviceFor(host, machine, [cpu, gpu, { ...cpu, status: "failed" }], true);
    expect(found.map(({ problem }) => problem)).toEqual([
      "GPU 0 failed its self-test",
      "the CPU backend failed its self-test",
    ]);
    const old = adviceFor({ ...host, node: "18.20.8" }, machine, [gpu], true);
    expect(old.map(({ problem }) => problem)).toEqual([expect.stringContaining("Node 18.20.8 is older")]);
  });
});

describe("the verdict", () => {
  it("is the worst there is, but one working backend is enough", () => {
    const of = (...all: BackendReport["status"][]) => exitCodes[statusOf(all.map((status) => ({ status })))];
    expect(of("ok")).toBe(0);
    expect(of("ok", "unavailable")).toBe(0);
    expect(of("ok", "failed")).toBe(70);
    expect(of("unavailable")).toBe(1);
    expect(of()).toBe(1);
  });
});

describe("the text", () => {
  const report = { nearfield: "0.1.0", host, machine, advice: [] };

  it("is aligned and short", () => {
    const advice = [{ level: "hint", problem: "a", remedy: "b" }] as const;
    expect(doctorText({ ...report, status: "failed", backends: [cpu, gpu], advice }, false))
      .toMatchInlineSnapshot(`
      "nearfield 0.1.0, Node 22.12.0, linux x64

      CPU           16 threads
        WASM        SIMD, relaxed SIMD, SharedArrayBuffer
        memory      up to 32 GiB
        OK          k-NN      512 x 20,000 x 64, k = 10    120 M pairs/s, 15.4 GFLOP/s
        OK          scan      4,194,304 u32                2.90 GB/s

      GPU 0         NVIDIA H200
        adapter     nvidia, hopper, 0x2335
        limits      buffers 4 GiB, bound 2 GiB, constants 64 KiB
        workgroups  1024 invocations, 48 KiB, subgroups of 32
        features    timestamp-query, subgroups, shader-f16, 1 more (--json)
        traits      forward progress yes, subgroups in order no, matrix units of bytes no
        OK          transfer  64 MiB up and back           up 8.00 GB/s, back 999 B/s
        FAILED      k-NN      2,048 x 50,000 x 64, k = 10  query 0, rank 1: row 7

      hint          a
        remedy      b

      FAILED        GPU 0"
    `);
  });

  it("cuts long remedies between alternatives", () => {
    const remedy = `AMD: \`${"x".repeat(50)}\`; NVIDIA: \`${"y".repeat(50)}\``;
    const advice = [{ level: "problem", problem: "a", remedy }] as const;
    const text = doctorText({ ...report, status: "ok", backends: [cpu], advice }, false);
    expect(text).toContain(`\n  remedy      AMD: \`${"x".repeat(50)}\`\n              NVIDIA: \`yy`);
  });

  it("says what could not be opened, and that there is no GPU", () => {
    const broken = {
      ...cpu,
      status: "unavailable",
      reason: "UnavailableError: no SIMD",
      checks: [],
    } as const;
    const text = doctorText(
      { ...report, machine: { ...machine, adapters: [] }, status: "unavailable", backends: [broken] },
      false,
    );
    expect(text).toMatch(/\n {2}FAILED +UnavailableError: no SIMD\n/);
    expect(text).toMatch(/\nGPU +none\n/);
    expect(text).toMatch(/\nFAILED +no backend/);
  });

  it("takes the next unit for what rounds up to a thousand", () => {
    const rated = (bytes: number) => {
      const scan = { ...cpu.checks[1], rates: { bytes } };
      return doctorText(
        { ...report, status: "ok", backends: [{ ...cpu, checks: [scan] }], advice: [] },
        false,
      );
    };
    expect(rated(999.4e6)).toContain("999 MB/s");
    expect(rated(999.6e6)).toContain("1.00 GB/s");
    expect(rated(999.6)).toContain("1.00 kB/s");
  });

  it("is coloured only when asked, and then no wider", () => {
    const all = { ...report, status: "ok", backends: [cpu] } as const;
    expect(doctorText(all, true)).toContain("\x1b[32mOK");
    expect(doctorText(all, true).replace(/\x1b\[\d+m/g, "")).toBe(doctorText(all, false));
  });

  it("counts bytes in powers of 1024", () => {
    expect([0, 1023, 1024, 65_536, 1.5 * 2 ** 30].map(bytesText)).toEqual([
      "0 B",
      "1023 B",
      "1 KiB",
      "64 KiB",
      "1.5 GiB",
    ]);
  });
});

describe("the facts of Linux", () => {
  let root = "";
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), "nearfield-doctor-"))));
  afterEach(() => rmSync(root, { recursive: true }));
  const put = (path: string, text = "") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };

  it("are read from files", () => {
    put("etc/os-release", 'ID=ubuntu\nID_LIKE="debian x"\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu"\n');
    put("usr/lib64/libvulkan.so.1");
    put("usr/share/vulkan/icd.d/radeon_icd.json");
    put("usr/share/vulkan/icd.d/notes.txt");
    put("dev/dri/renderD128");
    put("dev/dri/card0");
    put("dev/nvidiactl");
    put(".dockerenv");
    put("lib/ld-musl-x86_64.so.1");
    expect(linuxFacts(root, {})).toEqual({
      family: ["ubuntu", "debian", "x"],
      version: "24.04",
      container: true,
      musl: true,
      vulkanLoader: true,
      vulkanDrivers: [join(root, "usr/share/vulkan/icd.d/radeon_icd.json")],
      missingDrivers: [],
      renderNodes: [{ path: "/dev/dri/renderD128", allowed: true }],
      nvidia: true,
    });
  });

  it("are none in an empty system", () => {
    expect(linuxFacts(root, {})).toEqual({
      family: [],
      version: "",
      container: false,
      musl: false,
      vulkanLoader: false,
      vulkanDrivers: [],
      missingDrivers: [],
      renderNodes: [],
      nvidia: false,
    });
  });

  it("heed the variables that name drivers and libraries", () => {
    put("driver.json");
    put("own/libvulkan.so.1");
    const [driver, missing] = [join(root, "driver.json"), join(root, "missing.json")];
    const env = { VK_ICD_FILENAMES: `${driver}:${missing}`, LD_LIBRARY_PATH: join(root, "own") };
    expect(linuxFacts(root, env)).toMatchObject({
      vulkanDrivers: [driver],
      missingDrivers: [missing],
      vulkanLoader: true,
    });
  });
});

describe("the naive answers", () => {
  it("are right where one can see it", () => {
    const train = { data: Float32Array.of(0, 0, 3, 4, 0, 0, 6, 8), rows: 4, cols: 2 };
    const queries = { data: Float32Array.of(0, 0), rows: 1, cols: 2 };
    expect(naiveNeighbors(train, queries, 0, 3)).toEqual({ indices: [0, 2, 1], distances: [0, 0, 5] });
    expect([...naivePrefixSums(Uint32Array.of(1, 2 ** 32 - 1, 5))]).toEqual([1, 0, 5]);
    expect([...naiveMinima(Float32Array.of(3, -1, 2, 5), 2)]).toEqual([-1, 2]);
  });

  it("are of rows of which some are equal, so that ties are tested", () => {
    const { data } = seededRows(120, 3, 1);
    const row = (at: number) => [...data.subarray(at * 3, at * 3 + 3)];
    expect(row(50)).toEqual(row(1));
    expect(row(49)).not.toEqual(row(1));
  });
});
