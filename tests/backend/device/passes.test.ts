/**
 * The layer under the backend: passes as data, folded grids, every tile shape, and encodePasses on a
 * program's own device, buffers and encoder.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodePasses } from "../../../dist/runtime/gpu/passes/encode.js";
import { Health } from "../../../dist/runtime/gpu/health.js";
import { Pipelines } from "../../../dist/runtime/gpu/passes/pipelines.js";
import { Uniforms } from "../../../dist/runtime/gpu/uniforms.js";
import { compose, packUniforms, prelude } from "../../../dist/runtime/gpu/passes/compose.js";
import { knnFilterPasses } from "../../../dist/ops/knn/gpu/filter/filter.js";
import {
  defaultKernelLimits,
  foldGroups,
  makePass,
  type Pass,
} from "../../../dist/runtime/gpu/passes/pass.js";
import {
  choosePairTile,
  pairTileBytes,
  pairTiles,
  pairTileThreads,
  type PairTile,
} from "../../../dist/distance/gpu/policy.js";
import { chooseKnnGroup, knnGroups } from "../../../dist/ops/knn/gpu/policy.js";
import { knnFilterScratchBytes } from "../../../dist/ops/knn/contract/filter.js";
import { knn_select } from "../../../dist/ops/knn/gpu/filter/wgsl.generated.js";
import { exactProblem, naiveList, rowsIn, value64, type Problem } from "./filter.ts";
import { printedSeed } from "../../oracle/random.ts";
import { oneIn } from "../helpers.ts";
import { gpu, hasGpu, rejection } from "./gpu.ts";

const seed = printedSeed();

describe("passes", () => {
  it("folds any number of workgroups into sides that fit, wasting less than a row", () => {
    for (const [groups, side] of [
      [1, 3],
      [3, 3],
      [4, 3],
      [10, 3],
      [27, 3],
      [65_536, 65_535],
      [5e9, 65_535],
    ] as const) {
      const [x, y, z] = foldGroups(groups, side);
      expect(Math.max(x, y, z)).toBeLessThanOrEqual(side);
      expect(x * y * z).toBeGreaterThanOrEqual(groups);
      expect(x * y * z - groups).toBeLessThan(y * z);
    }
    expect(() => foldGroups(28, 3)).toThrow(RangeError);
  });

  it("lays out arrays of uniforms behind scalars as WGSL does, vector by vector", () => {
    const uniforms = [
      ["count", "u32", 3],
      ["taps", "vec4f", [1, 2, 3, 0, 5, 6, 7, 8]],
      ["last", "i32", -1],
    ] as const;
    expect(prelude({ body: "", uniforms, bindings: [] })).toContain(
      "struct Params { count: u32, taps: array<vec4f, 2>, last: i32 }",
    );
    const words = Uint32Array.from(packUniforms(uniforms));
    expect([words[0], words[12]]).toEqual([3, 0xffffffff]);
    expect([...new Float32Array(words.buffer, 16, 8)]).toEqual([1, 2, 3, 0, 5, 6, 7, 8]);
    expect(() => packUniforms([["taps", "vec4f", [1, 2, 3]]])).toThrow("make no vectors");
  });

  it("declares in the prelude everything that varies", () => {
    const parts = {
      body: knn_select,
      constants: { THREADS: 256, CUT: true },
      aliases: { Key: "u32" },
      uniforms: [
        ["count", "u32", 5],
        ["slack", "f32", 1],
        ["shift", "i32", -1],
      ],
      bindings: [{ name: "heads", access: "read_write", type: "array<vec2u>" }],
    } as const;
    expect(prelude(parts)).toBe(
      `const THREADS: u32 = 256u;
const CUT: bool = true;
alias Key = u32;
struct Params { count: u32, slack: f32, shift: i32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> heads: array<vec2u>;
`,
    );
    expect(packUniforms(parts.uniforms)).toEqual([5, 0x3f800000, 0xffffffff]);
    expect(compose(parts).startsWith(prelude(parts))).toBe(true);
  });

  it("writes out entry points that are in short, and numbers workgroups where a body does", () => {
    const textOf = (body: string) => compose({ body, uniforms: [["rows", "u32", 5]], bindings: [] });
    const group = textOf("@each_workgroup(params.rows)\nfn main(row: u32, thread: u32) {\n  work(row);\n}\n");
    expect(group).toContain("@compute @workgroup_size(THREADS)\nfn main(");
    expect(group).toContain("@builtin(local_invocation_index) thread: u32,");
    expect(group).toContain(
      "let row = linearGroup(groupId, groupCounts);\nif (row >= params.rows) { return; }\n\n  work(row);",
    );
    expect(group).toContain("fn linearGroup(");
    const lane = textOf("@each_lane\nfn main(at: u32) {\n  work(at);\n}\n");
    expect(lane).toContain("let at = linearGroup(groupId, groupCounts) * THREADS + lane;\n\n  work(at);");
    const written = "@compute @workgroup_size(1)\nfn main() {}\n";
    expect(textOf(written).endsWith(written)).toBe(true);
    expect(textOf(written)).not.toContain("linearGroup");
  });

  it("tells parts apart that differ in one piece, or in where a piece ends", () => {
    const parts = [
      { body: "b", snippets: ["s", "t"] },
      { body: "b", snippets: ["t", "s"] },
      { body: "b", snippets: ["s\nt"] },
      { body: "b", snippets: ["s"] },
      { body: "b" },
      { body: "s", snippets: ["b"] },
      { body: "b", constants: { ROOM: 1 } },
      { body: "b", constants: { ROOM: 2 } },
    ].map((each) => ({ uniforms: [], bindings: [], ...each }));
    const joined = (each: (typeof parts)[number]) =>
      prelude(each) + ["", ...(each.snippets ?? []), each.body].join("\n");
    for (let round = 0; round < 2; round++) expect(parts.map(compose)).toEqual(parts.map(joined));
  });

  it("has a tile for few queries and a large one that fit the limits that every WebGPU device has", () => {
    const small = ["standard", "queries32", "queries16"];
    for (const [name, tile] of Object.entries<PairTile>(pairTiles)) {
      const large = name === "widest";
      expect([name, pairTileThreads(tile) <= 256]).toEqual([name, !large]);
      expect([name, pairTileBytes(tile) <= 16_384]).toEqual([name, small.includes(name)]);
      expect([name, pairTileBytes(tile) <= 32_768]).toEqual([name, !large]);
      expect([name, pairTileBytes(tile) <= 49_152]).toEqual([name, true]);
    }
  });

  it("takes each tile where it is meant for and fits", () => {
    const chosen = ["queries16", "queries16", "queries32", "medium"];
    const large = { workgroupBytes: 49_152, workgroupThreads: 1024 };
    expect([1, 16, 32, 50].map((count) => choosePairTile(count, 1e6, large))).toEqual(chosen);
    expect(choosePairTile(1000, 1000, large)).toBe("standard");
    expect(choosePairTile(10_000, 100_000, large)).toBe("widest");
    expect(choosePairTile(10_000, 100_000, { ...large, workgroupThreads: 256 })).toBe("wide");
    expect(choosePairTile(10_000, 100_000, { ...large, workgroupBytes: 32_768 })).toBe("wide");
    expect(choosePairTile(10_000, 100_000)).toBe("standard");
    expect(choosePairTile(16, 100_000)).toBe("queries16");
    expect(choosePairTile(16, 100_000, { workgroupBytes: 4096 })).toBe("standard");
  });

  it("takes groups that every tile can make, and none where k is too large a share", () => {
    for (const group of knnGroups) {
      for (const { refs } of Object.values<PairTile>(pairTiles))
        expect([refs % group, group % 4]).toEqual([0, 0]);
    }
    expect([1, 10, 100, 1000, 10_000].map((k) => chooseKnnGroup(k, 1e6))).toEqual([64, 64, 64, 64, 16]);
    expect([1, 40, 100, 1000].map((k) => chooseKnnGroup(k, 8000))).toEqual([64, 32, 16, 0]);
    expect(chooseKnnGroup(1, 4000)).toBe(0);
  });

  it("is empty for no queries or no references", () => {
    const params = paramsOf(exactProblem({ queryRows: 1, refRows: 1, dims: 1, k: 1, seed: 0 }));
    expect(knnFilterPasses({ ...params, queryRows: 0 }, defaultKernelLimits)).toEqual([]);
    expect(knnFilterPasses({ ...params, refRows: 0 }, defaultKernelLimits)).toEqual([]);
  });
});

describe.skipIf(!hasGpu)("encodePasses on a device of the caller", () => {
  let device: GPUDevice;
  let least: Machine;
  let large: Machine;
  beforeAll(async () => {
    least = await open({});
    const { maxComputeWorkgroupStorageSize } = (await gpu.requestAdapter())!.limits;
    large = await open({ maxComputeWorkgroupStorageSize });
    device = least.device;
  });
  afterAll(() => {
    least.device.destroy();
    large.device.destroy();
  });

  interface Machine {
    readonly device: GPUDevice;
    readonly pipelines: Pipelines;
    readonly uniforms: Uniforms;
  }

  async function open(requiredLimits: Record<string, number>): Promise<Machine> {
    const device = await (await gpu.requestAdapter())!.requestDevice({ requiredLimits });
    return { device, pipelines: new Pipelines(device, new Health(device)), uniforms: new Uniforms(device) };
  }

  async function runPasses(
    problem: Problem,
    passes: readonly Pass[],
    { device, pipelines, uniforms }: Machine = least,
  ): Promise<Record<string, ArrayBuffer>> {
    const queryRows = rowsIn(problem.queryMeta);
    const scratchWords = knnFilterScratchBytes(paramsOf(problem)) / 4;
    const contents: Record<string, Float32Array | Uint32Array> = {
      queries: problem.queries,
      queryMeta: problem.queryMeta,
      refs: problem.refs,
      refMeta: problem.refMeta,
      heads: new Uint32Array(queryRows * 2),
      candidates: new Uint32Array(queryRows * problem.capacity),
      intervals: new Float32Array(queryRows * problem.capacity * 2),
      scratch: new Float32Array(scratchWords).fill(NaN),
    };
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const buffers = Object.fromEntries(
      Object.entries(contents).map(([name, data]) => {
        const buffer = device.createBuffer({ size: data.byteLength, usage });
        device.queue.writeBuffer(buffer, 0, data);
        return [name, { buffer }];
      }),
    );
    await pipelines.prepare(passes);
    const encoder = device.createCommandEncoder();
    encodePasses(encoder, passes, buffers, { device, pipelines, uniforms });
    uniforms.commit();
    const outputs = ["heads", "candidates", "scratch"].map((name) => {
      const { buffer } = buffers[name];
      const copy = device.createBuffer({
        size: buffer.size,
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      });
      encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
      return [name, copy] as const;
    });
    device.queue.submit([encoder.finish()]);
    const read = outputs.map(async ([name, copy]) => {
      await copy.mapAsync(GPUMapMode.READ);
      return [name, copy.getMappedRange().slice(0)] as const;
    });
    return Object.fromEntries(await Promise.all(read));
  }

  function expectNaive(problem: Problem, { heads, candidates }: Record<string, ArrayBuffer>): void {
    for (let query = 0; query < rowsIn(problem.queryMeta); query++) {
      const { rows, count } = naiveList(problem, query);
      expect(new Uint32Array(heads)[query * 2]).toBe(count);
      const kept = new Uint32Array(candidates, query * problem.capacity * 4, count);
      expect([...kept].sort((a, b) => a - b)).toEqual(rows);
    }
  }

  it("reads arrays of uniforms where they were placed", async () => {
    const { device, pipelines, uniforms } = least;
    const pass = makePass(
      {
        label: "taps",
        body: `@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lane: u32) {
          sums[lane] = dot(params.taps[lane], vec4f(1, 10, 100, 1000)) + f32(params.more);
        }`,
        uniforms: [
          ["count", "u32", 3],
          ["taps", "vec4f", [1, 2, 3, 4, 5, 6, 7, 8]],
          ["more", "u32", 20_000],
        ],
        bindings: [{ name: "sums", access: "read_write", type: "array<f32>" }],
        groups: 1,
      },
      defaultKernelLimits,
    );
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    const sums = device.createBuffer({ size: 8, usage });
    const copy = device.createBuffer({ size: 8, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    await pipelines.prepare([pass]);
    const encoder = device.createCommandEncoder();
    encodePasses(encoder, [pass], { sums: { buffer: sums } }, { device, pipelines, uniforms });
    encoder.copyBufferToBuffer(sums, 0, copy, 0, 8);
    uniforms.commit();
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    expect([...new Float32Array(copy.getMappedRange())]).toEqual([24_321, 28_765]);
  });

  it.each([
    ["standard", 65_535],
    ["standard", 5],
  ] as const)(
    "computes the same values with the tile %s, on a grid of sides up to %i",
    async (name, workgroupsPerDimension) => {
      const problem = exactProblem({ queryRows: 67, refRows: 131, dims: 19, k: 5, seed: 20 }, { core: "l2" });
      const pitch = 132;
      const values = Array.from({ length: 67 * 131 }, (_, at) =>
        value64(problem, Math.floor(at / 131), at % 131),
      );
      const limits = { workgroupsPerDimension };
      const passes = knnFilterPasses(paramsOf(problem), limits, { tile: pairTiles[name] });
      expect(passes.some(({ workgroups }) => workgroups[2] > 1)).toBe(workgroupsPerDimension === 5);
      const got = await runPasses(problem, passes);
      const scratch = new Float32Array(got["scratch"]);
      expect(values.map((_, at) => scratch[Math.floor(at / 131) * pitch + (at % 131)])).toEqual(values);
      expectNaive(problem, got);
    },
  );

  // It is as wide as `widest`, which few software GPUs have lanes for.
  const oblong = { ...pairTiles.wide, queries: 64, refs: 256 };

  // 32 of 700 references have their values stored; with k = 40 that is no threshold yet, and all that follow
  // wait. A workgroup makes up to four tiles.
  const appending = [
    ["standard", { k: 5, room: 64 }, pairTiles.standard],
    ["oblong", { k: 40, room: 128 }, oblong],
    ["standard", { k: 5, room: 8 }, pairTiles.standard],
    ["queries32", { k: 40, room: 128 }, pairTiles.queries32],
    ["standard", { k: 40, room: 128 }, pairTiles.standard],
  ] as const;
  it.each(oneIn(3, appending, seed))(
    "gives the same lists through appended pairs with the tile %s and %o",
    async (name, { k, room }, tile) => {
      const shape = { queryRows: Math.min(67, tile.queries), refRows: 700, dims: 19, k, seed: 21 };
      const problem = exactProblem(shape, { core: "l2", group: 64 });
      const variant = { tile, enoughGroups: 1, caps: { first: 32, room } };
      const passes = knnFilterPasses(paramsOf(problem), defaultKernelLimits, variant);
      expect(passes.some(({ label }) => label === "knn.append")).toBe(true);
      expectNaive(problem, await runPasses(problem, passes, name === "oblong" ? large : least));
    },
  );

  it("refuses groups that a tile cannot make", () => {
    const params = paramsOf(
      exactProblem({ queryRows: 1, refRows: 1, dims: 1, k: 1, seed: 0 }, { group: 48 }),
    );
    const tile = pairTiles.standard;
    expect(() => knnFilterPasses(params, defaultKernelLimits, { tile })).toThrow(/groups of 48 do not fit/);
  });

  it("compiles one text once, also when it is asked for twice at the same time", async () => {
    const fresh = new Pipelines(device, new Health(device));
    const [pass] = knnFilterPasses(
      paramsOf(exactProblem({ queryRows: 1, refRows: 1, dims: 1, k: 1, seed: 0 })),
      {
        workgroupsPerDimension: 65_535,
      },
    );
    const create = device.createComputePipelineAsync.bind(device);
    let compilations = 0;
    device.createComputePipelineAsync = (descriptor) => {
      compilations++;
      return create(descriptor);
    };
    try {
      await Promise.all([fresh.prepare([pass, pass]), fresh.prepare([pass])]);
      await fresh.prepare([{ ...pass, uniform: [] }]);
      expect(compilations).toBe(1);
      expect(fresh.get(pass)).toBe(fresh.get({ ...pass, label: "again" }));
    } finally {
      device.createComputePipelineAsync = create;
    }
  });

  it("shows the lines of a text that does not compile, and tries again when asked again", async () => {
    const code =
      "struct Params { a: u32 }\n\n@compute @workgroup_size(1)\nfn main() {\n  let x: u32 = 1.5f;\n}\n";
    const pass: Pass = { label: "broken", code, bindings: [], uniform: [0], workgroups: [1, 1, 1] };
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = (await rejection(least.pipelines.prepare([pass]))) as Error;
      expect(error).toMatchObject({ tag: "Device" });
      expect(error.message).toContain("broken does not compile");
      expect(error.message).toContain(">    5 |   let x: u32 = 1.5f;");
      expect(error.message).toContain("     4 | fn main() {");
    }
  });
});

function paramsOf(problem: Problem) {
  const { queries: _q, refs: _r, queryMeta, refMeta, ...rest } = problem;
  return { ...rest, queryRows: rowsIn(queryMeta), refBegin: 0, refRows: rowsIn(refMeta), refOffset: 0 };
}
