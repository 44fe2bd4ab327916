/**
 * Array primitives as streams of pieces: how they are cut, what follows a failure, and as segments on every
 * backend.
 */
import { describe, expect, it } from "vitest";
import type { BackendInfo } from "../../../dist/runtime/backend.js";
import type { ReduceParams } from "../../../dist/ops/reduce/contract.js";
import type { ScanParams } from "../../../dist/ops/scan/contract.js";
import {
  DeviceLostError,
  explanationText,
  flatnonzero,
  histogram,
  OutOfMemoryError,
  reduce,
  scan,
  unique,
} from "../../../dist/node.js";
import type { Device, Explanation } from "../../../dist/node.js";
import type { Step } from "../../../dist/runtime/backend.js";
import { run, type RunStep } from "../../../dist/runtime/primitive.js";
import { rowsOf } from "../device/gpu.ts";
import { reduceStream } from "../../../dist/ops/reduce/plan.js";
import { SpanCutter } from "../../../dist/runtime/spans.js";
import { scanStream } from "../../../dist/ops/scan/plan.js";
import { planStream, streamProgram, type Stream } from "../../../dist/runtime/stream.js";
import { naiveReduce } from "../../oracle/reduce.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { naiveScan } from "../../oracle/scan.ts";
import { elementsOf, firstWrong } from "./elements.ts";
import { isAbsent, onEachBackend, openBeside, openDevice } from "../helpers.ts";
import { reducePrimitive } from "../../../dist/ops/reduce/primitive.js";
import { scanPrimitive } from "../../../dist/ops/scan/primitive.js";

const group = 2 ** 20;
const seed = printedSeed();
const params: ScanParams = { type: "u32", op: "sum", exclusive: false, count: 5 * group + 3, initial: 0 };
const gpuInfo: BackendInfo = {
  kind: "gpu",
  name: "none",
  software: false,
  budgetBytes: 40 * group,
  bufferBytes: 40 * group,
  uploadBytes: 64 * group,
  threads: 1,
  initialRate: 1,
};

const nothing = {
  kind: "done",
  ms: 1,
  downloads: new Map<string, ArrayBuffer>(),
  dispatches: 1,
  work: 0,
} as const;

describe("a stream", () => {
  const program = streamProgram(scanStream(params));
  const done = (total: number) =>
    ({ ...nothing, downloads: new Map([["scratch", Uint32Array.of(total).buffer]]) }) as const;

  it("is cut at whole groups into pieces that fit, each starting with what the last one left", () => {
    let plan = planStream(gpuInfo, params.initial);
    const pieces: number[][] = [];
    for (let job = program.nextJob(plan); job; job = program.nextJob(plan)) {
      const run = job.segment.steps.find((step) => step.kind === "run")!;
      pieces.push([job.begin, job.end, (run.params as ScanParams).initial]);
      const bytes = job.segment.buffers.reduce((sum, buffer) => sum + buffer.bytes, 0);
      expect(bytes).toBeLessThanOrEqual(gpuInfo.budgetBytes);
      plan = program.next(plan, job, done(job.end));
    }
    expect(pieces).toEqual([
      [0, 4 * group, 0],
      [4 * group, params.count, 4 * group],
    ]);
  });

  it("halves its pieces when memory runs out, and says so when that does not help", () => {
    let plan = planStream(gpuInfo, params.initial);
    const error = new OutOfMemoryError("full", 1);
    const job = () => program.nextJob(plan)!;
    plan = program.next(plan, job(), { kind: "outOfMemory", error });
    expect(job().end).toBe(2 * group);
    plan = program.next(plan, job(), { kind: "outOfMemory", error });
    expect(job().end).toBe(group);
    expect(() => program.next(plan, job(), { kind: "outOfMemory", error })).toThrow(
      "halved 2 times, which did not help",
    );
  });

  it("repeats the piece of a lost device, but not for ever", () => {
    let plan = planStream(gpuInfo, params.initial);
    const lost = { kind: "deviceLost", error: new DeviceLostError("gone") } as const;
    for (let i = 0; i < 3; i++) plan = program.next(plan, program.nextJob(plan)!, lost);
    const job = program.nextJob(plan)!;
    expect(job.begin).toBe(0);
    expect(() => program.next(plan, job, lost)).toThrow("opened again 3 times");
    expect(program.next(plan, job, done(0)).lostInARow).toBe(0);
  });

  it("never has a span of a long row beside one that is shorter, or of another row", () => {
    const matrix: ReduceParams = { type: "f32", op: "sum", rows: 2, cols: 25 };
    expect(cuts(reduceStream(matrix, new SpanCutter(25, 10)))).toEqual([
      [0, 2],
      [2, 3],
      [3, 5],
      [5, 6],
    ]);
    expect(cuts(reduceStream({ ...matrix, rows: 7 }, new SpanCutter(25, 25)))).toEqual([[0, 7]]);
  });

  function cuts(stream: Stream<undefined>): number[][] {
    const steps = streamProgram(stream);
    const pieces: number[][] = [];
    let plan = planStream(gpuInfo, undefined);
    for (let job = steps.nextJob(plan); job; job = steps.nextJob(plan)) {
      pieces.push([job.begin, job.end]);
      plan = steps.next(plan, job, nothing);
    }
    return pieces;
  }
});

describe.skipIf(isAbsent("gpu"))("a device that fails on the way", () => {
  /** Calls `fail` in place of the second segment. */
  function failSecond(device: Device, fail: () => void): void {
    const { backend } = device;
    const open = backend.open.bind(backend);
    let left = 2;
    backend.open = async (resident) => {
      const session = await open(resident);
      const run = session.run.bind(session);
      session.run = (...args) => {
        if (--left === 0) fail();
        return run(...args);
      };
      return session;
    };
  }

  const input = elementsOf("u32", "random", 3 * group + 1, new Random(seed));
  const tuning = { piece: group };

  it("is opened again when it is lost, and the rest is done", async () => {
    const device = await openDevice("gpu");
    failSecond(device, () => (device.backend as unknown as { device: GPUDevice }).device.destroy());
    const result = await scan(input, { tuning, device });
    expect(device.counters.reopened).toBe(1);
    expect(firstWrong(result, naiveScan(input, "sum", false).values)).toBeUndefined();
    device.dispose();
  });

  it("goes on with smaller pieces when memory runs out", async () => {
    const device = await openBeside("gpu", { deviceMemory: 2 ** 20 });
    failSecond(device, () => {
      throw new OutOfMemoryError("full", 1);
    });
    const short = input.subarray(0, 300_000);
    const result = await reduce(short, { op: "max", rows: 30, device });
    expect(firstWrong(result, naiveReduce(short, "max", 30).values)).toBeUndefined();
    device.dispose();
  });
});

onEachBackend((device) => {
  it("binds, fills and downloads parts of buffers", async () => {
    const input = elementsOf("u32", "random", 300, new Random(seed)) as Uint32Array;
    const session = await device().backend.open([]);
    const scanOf = (from: number, to: number): RunStep =>
      run(scanPrimitive, {
        params: { type: "u32", op: "sum", exclusive: false, count: 64, initial: 0 },
        bindings: {
          input: { buffer: "data", offset: from, bytes: 256 },
          output: { buffer: "sums", offset: to, bytes: 256 },
          scratch: "scratch",
        },
        cost: 1,
      });
    const { downloads } = await session.run(
      {
        label: "parts",
        buffers: ["data", "sums", "scratch"].map((name) => ({ name, bytes: 2048 })),
        steps: [
          { kind: "upload", to: "data", at: 256, source: "input", part: "", rows: { begin: 3, end: 67 } },
          { kind: "upload", to: "data", at: 1280, source: "input", part: "", rows: { begin: 200, end: 264 } },
          scanOf(256, 512),
          scanOf(1280, 1024),
          { kind: "download", from: "sums", begin: 512, bytes: 256, as: "first" },
          { kind: "download", from: "sums", begin: 1024, bytes: 256, as: "second" },
        ],
      },
      { input: rowsOf(input, 1) },
    );
    session.dispose();
    const words = (name: string) => new Uint32Array(downloads.get(name)!);
    expect(firstWrong(words("first"), naiveScan(input.subarray(3, 67), "sum", false).values)).toBeUndefined();
    expect(
      firstWrong(words("second"), naiveScan(input.subarray(200, 264), "sum", false).values),
    ).toBeUndefined();
  });

  it("refuses parts that begin where WebGPU binds none, or end behind the buffer", async () => {
    const session = await device().backend.open([{ name: "data", bytes: 1024 }]);
    const attempt = (offset: number, bytes: number) =>
      session.run(
        {
          label: "parts",
          buffers: [{ name: "scratch", bytes: 1024 }],
          steps: [
            run(scanPrimitive, {
              params: { type: "u32", op: "sum", exclusive: false, count: 4, initial: 0 },
              bindings: { input: { buffer: "data", offset, bytes }, output: "scratch", scratch: "scratch" },
              cost: 1,
            }),
          ],
        },
        {},
      );
    for (const [offset, bytes] of [
      ...[
        [128, 16],
        [768, 512],
        [-256, 256],
        [256, 0],
        [256, 6],
        [1024, 4],
      ],
    ]) {
      await expect(attempt(offset, bytes)).rejects.toThrow('"data"');
    }
    session.dispose();
  });

  it("refuses uploads and downloads of parts of words, and outside the buffer", async () => {
    const session = await device().backend.open([{ name: "data", bytes: 64 }]);
    const rows = { begin: 0, end: 1 };
    const attempt = (step: Step) =>
      session.run({ label: "parts", buffers: [], steps: [step] }, { input: rowsOf(new Uint32Array(16), 1) });
    for (const at of [2, -4, 64]) {
      await expect(
        attempt({ kind: "upload", to: "data", at, source: "input", part: "", rows }),
      ).rejects.toThrow('"data"');
    }
    for (const [begin, bytes] of [
      ...[
        [2, 4],
        [-4, 4],
        [0, 68],
        [4, 6],
      ],
    ]) {
      await expect(attempt({ kind: "download", from: "data", begin, bytes })).rejects.toThrow('"data"');
    }
    session.dispose();
  });

  it("says how array operators went about it", async () => {
    const told: Explanation[] = [];
    const onExplanation = (each: Explanation) => void told.push(each);
    const { kind } = device().info;
    await scan(Uint32Array.of(3, 1, 2), { device: device(), onExplanation });
    await unique(Uint32Array.of(3, 3, 2), { device: device(), onExplanation });
    await scan(new Uint32Array(0), { device: device(), onExplanation });
    await flatnonzero(Uint8Array.of(0, 1), { device: device(), onExplanation });
    await histogram(Float32Array.of(1, 2, 4), { bins: 2, device: device(), onExplanation });
    // The CPU finds the range by two reductions of its own.
    const ranges = kind === "cpu" ? 2 : 0;
    expect(told.map(({ operator, backend, jobs }) => [operator, backend, jobs])).toEqual([
      ["scan", kind, 1],
      ["unique", kind, 1],
      ["flatnonzero", kind, 1],
      ["histogram", kind, 1 + ranges],
    ]);
    expect(told[3].dispatches).toBeGreaterThan(ranges);
    for (const each of told) {
      expect(each.dispatches).toBeGreaterThanOrEqual(1);
      expect(explanationText(each)).toContain(`(${kind})`);
    }
  });
});

onEachBackend((device) => {
  it("runs a scan and a reduce as steps of one segment", async () => {
    const input = elementsOf("i32", "random", 8192, new Random(seed));
    const bytes = new Uint8Array(input.buffer);
    const session = await device().backend.open([]);
    const { downloads } = await session.run(
      {
        label: "scan, then reduce",
        buffers: ["input", "output", "result", "scratch"].map((name) => ({ name, bytes: 32_768 })),
        steps: [
          { kind: "upload", to: "input", source: "input", part: "", rows: { begin: 0, end: 8192 } },
          {
            kind: "run",
            primitive: scanPrimitive,
            params: { type: "i32", op: "max", exclusive: false, count: 8192, initial: 0x8000_0005 },
            bindings: { input: "input", output: "output", scratch: "scratch" },
            cost: 1,
          },
          { kind: "download", from: "scratch", bytes: 4 },
          {
            kind: "run",
            primitive: reducePrimitive,
            params: { type: "i32", op: "sum", rows: 64, cols: 128 },
            bindings: { input: "output", output: "result", scratch: "scratch" },
            cost: 1,
          },
          { kind: "download", from: "output", bytes: 32_768 },
          { kind: "download", from: "result", bytes: 256 },
        ],
      },
      {
        input: {
          rows: 8192,
          rowBytes: () => 4,
          fill: (_, rows, target) => {
            if ("begin" in rows) target.set(bytes.subarray(rows.begin * 4, rows.end * 4));
          },
        },
      },
    );
    session.dispose();
    const values = naiveScan(input, "max", false).values.map((value) => Math.max(5, value));
    const output = Int32Array.from(values);
    expect(firstWrong(new Int32Array(downloads.get("output")!), values)).toBeUndefined();
    expect(
      firstWrong(new Int32Array(downloads.get("result")!), naiveReduce(output, "sum", 64).values),
    ).toBeUndefined();
    expect(new Uint32Array(downloads.get("scratch")!)[0]).toBe((values.at(-1)! + 2 ** 31) % 2 ** 32);
  });
});
