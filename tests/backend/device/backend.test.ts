/**
 * GpuBackend beyond what its kernels compute: memory, transfers, errors, abort, progress, profiles, and the
 * process.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Segment } from "../../../dist/runtime/backend.js";
import type { HostSource } from "../../../dist/runtime/source.js";
import { openGpu, type GpuBackend, type GpuOptions } from "../../../dist/runtime/gpu/backend.js";
import { measurePeak } from "../../../dist/runtime/gpu/peak.js";
import { eventually } from "../helpers.ts";
import { exactProblem, filter, filterSegment, lists, naiveList, rowsIn } from "./filter.ts";
import { copySegment, gpu, hasGpu, openTestGpu, rejection, rowsOf } from "./gpu.ts";
import { isRunOf } from "../../../dist/runtime/primitive.js";
import { knnFilter } from "../../../dist/ops/knn/primitives.js";

const MiB = 2 ** 20;
const problem = exactProblem({ queryRows: 8, refRows: 600, dims: 6, k: 3, seed: 30 }, { core: "l1" });
const right = Array.from({ length: 8 }, (_, query) => naiveList(problem, query));

async function opened(options: GpuOptions = {}): Promise<GpuBackend> {
  const backend = await openTestGpu(options);
  onTestFinished(() => backend.dispose());
  return backend;
}

describe.skipIf(!hasGpu)("GpuBackend", () => {
  /** For tests that leave a backend as it was; it saves compiling the same shaders again. */
  let shared: GpuBackend;
  beforeAll(async () => {
    shared = await openTestGpu();
  });
  afterAll(() => shared.dispose());

  it("says what it is", async () => {
    const { info } = shared;
    expect(info).toMatchObject({ kind: "gpu", threads: 1 });
    expect(info.name).not.toBe("");
    expect(info.initialRate).toBe(info.software ? 1e8 : 2e10);
    expect(info.bufferBytes).toBeLessThanOrEqual(info.budgetBytes);
  });

  it("says that a segment's shaders are there once they were compiled ahead", async () => {
    const backend = await opened();
    const { segment } = filterSegment(problem, [600]);
    const { segment: other } = filterSegment({ ...problem, core: "linf" }, [600]);
    expect(await backend.isCompiled(segment)).toBe(false);
    await backend.compileAhead(segment).done;
    expect(await backend.isCompiled(segment)).toBe(true);
    expect(await backend.isCompiled(other)).toBe(false);
  });

  describe("transfers", () => {
    it("uploads and downloads more than all staging slots together", async () => {
      const backend = await opened({ budgetBytes: 8 * MiB });
      const data = Uint32Array.from({ length: MiB }, (_, i) => i * 2654435761);
      const session = await backend.open([]);
      const segment = copySegment(MiB, { begin: 0, end: MiB / 4 });
      const { downloads, ms } = await session.run(segment, { data: rowsOf(data, 4) });
      expect(new Uint32Array(downloads.get("copy")!)).toEqual(data);
      expect(ms).toBeGreaterThan(0);
      expect(backend.counters).toMatchObject({
        uploadedBytes: 4 * MiB,
        downloadedBytes: 4 * MiB,
        peakBytes: 4 * MiB,
      });
    });

    it("uploads rows in the order asked for, also rows longer than a slot", async () => {
      const backend = await opened({ budgetBytes: MiB });
      const rowWords = 8192;
      const data = Uint32Array.from({ length: rowWords * 5 }, (_, i) => i);
      const session = await backend.open([]);
      const rows = Uint32Array.of(4, 0, 4, 2);
      const segment = copySegment(4 * rowWords, rows);
      const { downloads } = await session.run(segment, { data: rowsOf(data, rowWords) });
      const got = new Uint32Array(downloads.get("copy")!);
      expect([0, 1, 2, 3].map((i) => got[i * rowWords] / rowWords)).toEqual([4, 0, 4, 2]);
    });

    it("downloads what a buffer held at that step, not later", async () => {
      const backend = shared;
      const session = await backend.open([{ name: "kept", bytes: 8 }]);
      const upload = {
        kind: "upload",
        to: "kept",
        source: "data",
        part: "",
        rows: { begin: 0, end: 2 },
      } as const;
      const steps = [
        upload,
        { kind: "download", from: "kept", bytes: 8 },
        { kind: "clear", buffer: "kept" },
      ] as const;
      const first = await session.run(
        { label: "", buffers: [], steps },
        { data: rowsOf(Uint32Array.of(7, 8), 1) },
      );
      expect(new Uint32Array(first.downloads.get("kept")!)).toEqual(Uint32Array.of(7, 8));
      const second = await session.run({ label: "", buffers: [], steps: [steps[1]] }, {});
      expect(new Uint32Array(second.downloads.get("kept")!)).toEqual(Uint32Array.of(0, 0));
    });

    it("passes on what a source throws, and can go on afterwards", async () => {
      const backend = shared;
      const session = await backend.open([]);
      const { segment, sources } = filterSegment(problem, [600]);
      const failure = new Error("no such row");
      const broken = {
        ...sources.refs,
        fill: () => {
          throw failure;
        },
      };
      for (let i = 0; i < 6; i++)
        expect(await rejection(session.run(segment, { ...sources, refs: broken }))).toBe(failure);
      expect(lists(problem, await session.run(segment, sources))).toEqual(right);
    });
  });

  describe("memory", () => {
    it("refuses a segment beyond its budget, keeps nothing of it, and runs smaller ones", async () => {
      const backend = await opened({ budgetBytes: 50_000 });
      const session = await backend.open([]);
      const buffers = ["a", "b", "c"].map((name) => ({ name, bytes: 20_000 }));
      const steps = [{ kind: "download", from: "a", bytes: 4 }] as const;
      const error = await rejection(session.run({ label: "queries 0-9", buffers, steps }, {}));
      expect(error).toMatchObject({ tag: "OutOfMemory", bytes: 20_000 });
      expect((error as Error).message).toBe(
        "queries 0-9: c needs 20000 bytes, but 40000 of the budget of 50000 are in use",
      );
      await session.run({ label: "", buffers: [{ name: "a", bytes: 50_000 }], steps }, {});
      expect(backend.counters.peakBytes).toBe(50_000);
    });

    it("runs segments that fill the budget to the last byte, one after the other, in any sizes", async () => {
      const backend = await opened({ budgetBytes: 100_000 });
      const session = await backend.open([{ name: "resident", bytes: 40_000 }]);
      for (const bytes of [60_000, 30_000, 59_996, 60_000, 4, 25_000, 60_000]) {
        const rest = { name: "rest", bytes: 60_000 - bytes };
        const buffers = [{ name: "b", bytes }, ...(rest.bytes > 0 ? [rest] : [])];
        const steps = [
          { kind: "clear", buffer: "b" },
          { kind: "download", from: "b", bytes },
        ] as const;
        const { downloads } = await session.run({ label: "fill", buffers, steps }, {});
        expect(new Uint8Array(downloads.get("b")!).every((byte) => byte === 0)).toBe(true);
      }
      expect(backend.counters.peakBytes).toBe(100_000);
    });

    it("refuses a single buffer that could not be bound", async () => {
      const backend = await opened({ budgetBytes: 2 ** 40 });
      const bytes = backend.info.bufferBytes + 4;
      expect(await rejection(backend.open([{ name: "huge", bytes }]))).toMatchObject({
        tag: "OutOfMemory",
        bytes,
      });
    });

    it("learns from a driver that refuses memory", async () => {
      const backend = await opened({ budgetBytes: 10 * MiB });
      const create = backend.device.createBuffer.bind(backend.device);
      const pop = backend.device.popErrorScope.bind(backend.device);
      backend.device.createBuffer = (descriptor) => {
        let scope = 0;
        backend.device.popErrorScope = async () => {
          const error = await pop();
          return scope++ === 0 ? new GPUOutOfMemoryError("the driver says no") : error;
        };
        return create(descriptor);
      };
      const error = await rejection(backend.open([{ name: "b", bytes: 4 * MiB }]));
      Object.assign(backend.device, { createBuffer: create, popErrorScope: pop });
      expect(error).toMatchObject({ tag: "OutOfMemory", bytes: 4 * MiB });
      expect(backend.info.budgetBytes).toBe(2 * MiB);
      await backend.open([{ name: "b", bytes: 2 * MiB }]);
    });

    it("uses buffers again instead of making new ones", async () => {
      const session = await shared.open([]);
      const { segment, sources } = filterSegment(problem, [600]);
      await session.run(segment, sources);
      const create = shared.device.createBuffer.bind(shared.device);
      const made: string[] = [];
      shared.device.createBuffer = (descriptor) => (made.push(descriptor.label!), create(descriptor));
      for (let i = 0; i < 3; i++) await session.run(segment, sources);
      shared.device.createBuffer = create;
      expect(made).toEqual([]);
    });
  });

  /** Counts the buffers of a backend. */
  function countBuffers({ device }: GpuBackend): { made: number; destroyed: number } {
    const counts = { made: 0, destroyed: 0 };
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      const destroy = buffer.destroy.bind(buffer);
      buffer.destroy = () => (counts.destroyed++, destroy());
      counts.made++;
      return buffer;
    };
    return counts;
  }

  it("keeps buffers for a session that follows and has the same, and not for long", async () => {
    const backend = await opened();
    const counts = countBuffers(backend);
    const rows = [{ name: "rows", bytes: 2 ** 20 }];
    (await backend.open(rows)).dispose();
    (await backend.open(rows)).dispose();
    expect(counts).toEqual({ made: 1, destroyed: 0 });
    (await backend.open([{ name: "rows", bytes: 2 ** 20 - 4 }])).dispose();
    expect(counts.made).toBe(2);
    await eventually(() => counts.destroyed, 2);
    (await backend.open(rows)).dispose();
    expect(counts.made).toBe(3);
  });

  it("does not keep buffers for long after a session was refused", async () => {
    const backend = await opened();
    const counts = countBuffers(backend);
    (await backend.open([{ name: "rows", bytes: 2 ** 20 }])).dispose();
    await expect(backend.open([{ name: "rows", bytes: 2 ** 50 }])).rejects.toThrow(
      "a buffer here has at most",
    );
    await eventually(() => counts.destroyed, 1);
  });

  it("times a segment whole while one of another session comes and goes", async () => {
    const backend = await opened();
    const [session, other] = [await backend.open([]), await backend.open([])];
    const slow: HostSource = {
      rows: 1,
      rowBytes: () => 4,
      fill() {
        for (const began = performance.now(); performance.now() - began < 60;);
      },
    };
    const upload = { kind: "upload", to: "a", source: "slow", part: "", rows: { begin: 0, end: 1 } } as const;
    const segment: Segment = { label: "", buffers: [{ name: "a", bytes: 4 }], steps: [upload] };
    let between: Promise<unknown> | undefined;
    const onBusy = () => (between = other.run({ label: "", buffers: [], steps: [] }, {}));
    const { ms } = await session.run(segment, { slow }, { onBusy });
    await between;
    expect(ms).toBeGreaterThan(59);
  });

  it("asks for the shaders of later steps before those of the first are there", async () => {
    const backend = await opened();
    const create = backend.device.createComputePipelineAsync.bind(backend.device);
    const asked: string[] = [];
    let [before, compiled] = [0, false];
    backend.device.createComputePipelineAsync = async (descriptor) => {
      asked.push(descriptor.label!);
      const pipeline = await create(descriptor);
      if (!compiled) before = asked.length;
      compiled = true;
      return pipeline;
    };
    const shape = { queryRows: 8, refRows: 600, dims: 6, k: 3, seed: 31 };
    const [{ segment, sources }, other] = (["l1", "linf"] as const).map((core) =>
      filterSegment(exactProblem(shape, { core }), [600]),
    );
    const later = other.segment.steps.filter(({ kind }) => kind === "run");
    const session = await backend.open([]);
    await session.run({ ...segment, steps: [...segment.steps, ...later] }, sources);
    session.dispose();
    expect(asked.length).toBeGreaterThan(1);
    expect(before).toBe(asked.length);
  });

  it("counts dispatches, pairs and bytes", async () => {
    const { dispatches, work: pairs, uploadedBytes, downloadedBytes } = shared.counters;
    await filter(shared, problem, [100, 500]);
    const { segment } = filterSegment(problem, [100, 500]);
    const bytes = (names: RegExp) =>
      segment.buffers.reduce((sum, { name, bytes }) => (names.test(name) ? sum + bytes : sum), 0);
    const { counters } = shared;
    expect(counters.dispatches - dispatches).toBe(4);
    expect(counters.work - pairs).toBe(8 * 600);
    expect(counters.uploadedBytes - uploadedBytes).toBe(bytes(/./) + bytes(/queries|refs|Meta/));
    expect(counters.downloadedBytes - downloadedBytes).toBe(bytes(/heads|candidates|intervals/));
  });

  it("reports all work, submit by submit", async () => {
    const session = await shared.open([]);
    const { segment, sources } = filterSegment(problem, Array<number>(6).fill(100));
    const steps = segment.steps.map((step) => (step.kind === "run" ? { ...step, cost: 1e12 } : step));
    const reports: number[] = [];
    await session.run({ ...segment, steps }, sources, { onCost: (cost) => reports.push(cost) });
    expect(reports).toEqual(Array(6).fill(1e12));
  });

  it("gives every pass its own parameters, however many share a submit", async () => {
    const session = await shared.open([]);
    const { segment, sources } = filterSegment(problem, Array<number>(150).fill(4));
    const steps = segment.steps.map((step) => (step.kind === "run" ? { ...step, work: 0 } : step));
    expect(lists(problem, await session.run({ ...segment, steps }, sources))).toEqual(right);
  });

  it("passes on what a listener throws", async () => {
    const session = await shared.open([]);
    const { segment, sources } = filterSegment(problem, [600]);
    const failure = new Error("not interested");
    const onCost = (): void => {
      throw failure;
    };
    expect(await rejection(session.run(segment, sources, { onCost }))).toBe(failure);
  });

  it("keeps runs apart that happen at the same time", async () => {
    const backend = shared;
    const problems = [40, 41, 42, 43].map((seed) =>
      exactProblem(
        { queryRows: 3 + (seed % 3), refRows: 300, dims: 5 + (seed % 7), k: 4, seed },
        { core: "l2" },
      ),
    );
    const got = await Promise.all(problems.map((each) => filter(backend, each, [100, 200], true)));
    problems.forEach((each, i) => {
      expect(got[i].map(({ rows }) => rows)).toEqual(got[i].map((_, query) => naiveList(each, query).rows));
    });
  });

  describe("abort", () => {
    it("rejects at once with the signal's reason when aborted before", async () => {
      const session = await shared.open([]);
      const { segment, sources } = filterSegment(problem, [600]);
      const reason = new Error("enough");
      expect(await rejection(session.run(segment, sources, { signal: AbortSignal.abort(reason) }))).toBe(
        reason,
      );
    });

    it("does not wait for a GPU that never answers", async () => {
      const backend = await opened();
      const session = await backend.open([{ name: "kept", bytes: 4 }]);
      backend.device.queue.onSubmittedWorkDone = () => new Promise(() => undefined);
      const segment: Segment = { label: "", buffers: [], steps: [{ kind: "clear", buffer: "kept" }] };
      const reason = new Error("too long");
      const aborter = new AbortController();
      setTimeout(() => aborter.abort(reason), 20);
      expect(await rejection(session.run(segment, {}, { signal: aborter.signal }))).toBe(reason);
    });

    it("stops between submits, releases its buffers and leaves the backend usable", async () => {
      const backend = shared;
      const session = await backend.open([]);
      const { segment, sources } = filterSegment(problem, Array<number>(60).fill(10));
      const steps = segment.steps.map((step) => (step.kind === "run" ? { ...step, cost: 1e12 } : step));
      const aborter = new AbortController();
      const reports: number[] = [];
      const { dispatches } = backend.counters;
      const onCost = (cost: number): void => {
        reports.push(cost);
        aborter.abort("stop");
      };
      expect(
        await rejection(session.run({ ...segment, steps }, sources, { signal: aborter.signal, onCost })),
      ).toBe("stop");
      expect(reports.length).toBe(1);
      expect(backend.counters.dispatches - dispatches).toBeLessThan(20);
      const whole = filterSegment(problem, [600]);
      expect(lists(problem, await session.run(whole.segment, whole.sources))).toEqual(right);
    });
  });

  describe("failure", () => {
    it("rejects what runs and what comes later when the device is lost", async () => {
      const backend = await opened();
      const session = await backend.open([]);
      const { segment, sources } = filterSegment(problem, [600]);
      const running = rejection(session.run(segment, sources));
      backend.device.destroy();
      expect(await running).toMatchObject({ tag: "DeviceLost" });
      expect(await rejection(session.run(segment, sources))).toMatchObject({ tag: "DeviceLost" });
      expect(await rejection(backend.open([]))).toMatchObject({ tag: "DeviceLost" });
    });

    it.each([1, 15])("notices a loss %i ms into a run that is under way", async (ms) => {
      const backend = await opened();
      const session = await backend.open([]);
      const { segment, sources } = filterSegment(problem, Array<number>(60).fill(10));
      const warm = filterSegment(problem, [600]);
      await session.run(warm.segment, warm.sources);
      const running = rejection(session.run(segment, sources));
      setTimeout(() => backend.device.destroy(), ms);
      expect(await running).toMatchObject({ tag: "DeviceLost" });
    });

    it("throws a DeviceError with the segment's name for what the device finds invalid", async () => {
      const backend = shared;
      const session = await backend.open([]);
      const { segment, sources } = filterSegment(problem, [600]);
      const steps = segment.steps.map((step) =>
        isRunOf(step, knnFilter) ? { ...step, bindings: { ...step.bindings, candidates: "heads" } } : step,
      );
      const error = await rejection(session.run({ ...segment, steps }, sources));
      expect(error).toMatchObject({ tag: "Device" });
      expect((error as Error).message).toContain("test filter");
      expect(lists(problem, await session.run(segment, sources))).toEqual(right);
    });

    it("rejects everything after an error outside any operation", async () => {
      const backend = await opened();
      const session = await backend.open([]);
      backend.device.createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE });
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await rejection(session.run({ label: "", buffers: [], steps: [] }, {}))).toMatchObject({
        tag: "Device",
      });
    });

    it("rejects what runs when it is disposed of", async () => {
      const backend = await openTestGpu();
      const session = await backend.open([]);
      const { segment, sources } = filterSegment(problem, [600]);
      const running = rejection(session.run(segment, sources));
      await new Promise((resolve) => setTimeout(resolve, 5));
      backend.dispose();
      expect(await running).toMatchObject({ tag: "DeviceLost" });
    });
  });

  it("measures every pass when asked to", async () => {
    const backend = await opened({ profile: true });
    await filter(backend, problem, [300, 300]);
    const spans = backend.takeSpans();
    expect(spans !== undefined).toBe(backend.device.features.has("timestamp-query"));
    if (!spans) return;
    expect(spans.map(({ label }) => label)).toEqual([
      "knn.distance",
      "knn.select",
      "knn.distance",
      "knn.select",
    ]);
    for (const { ms } of spans) expect(ms).toBeGreaterThanOrEqual(0);
    expect(spans.some(({ ms }) => ms > 0)).toBe(true);
    expect(backend.takeSpans()).toEqual([]);
  });

  it("measures nothing unless asked to", async () => {
    const backend = shared;
    await filter(backend, problem);
    expect(backend.takeSpans()).toBeUndefined();
  });

  it("measures a peak that no filter exceeds", async () => {
    const peak = await shared.onDevice((device) => measurePeak(device, 1));
    const began = performance.now();
    await filter(shared, problem);
    const { dims } = problem;
    const operations = 2 * rowsIn(problem.queryMeta) * rowsIn(problem.refMeta) * dims;
    expect(operations / ((performance.now() - began) / 1000)).toBeLessThan(peak);
  });

  it("works on a device of the caller and leaves it alive", async () => {
    const device = await (await gpu.requestAdapter())!.requestDevice();
    const backend = await openGpu({ device });
    expect(await filter(backend, problem)).toEqual(right);
    backend.dispose();
    const buffer = device.createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ });
    await buffer.mapAsync(GPUMapMode.READ);
    device.destroy();
  });

  it.each(["dispose", "forget"])("lets the process end by itself (%s)", async (how) => {
    const script = fileURLToPath(new URL("leave.mjs", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, how], {
      timeout: 20_000,
    });
    expect(stdout.trim()).toBe("ran");
  });
});
