/**
 * GpuPrimitives: on buffers and encoders of the caller, whose rest is poisoned, on grids of any shape, with
 * chained scans that give up, and what it says of buffers that will not do. Also the self-test of a device.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BufferArgument } from "../../../dist/node.js";
import { GpuPrimitives } from "../../../dist/node.js";
import { encodePasses } from "../../../dist/runtime/gpu/passes/encode.js";
import { Health } from "../../../dist/runtime/gpu/health.js";
import type { KernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { Pipelines } from "../../../dist/runtime/gpu/passes/pipelines.js";
import { assumeTraits, scansRight } from "../../../dist/runtime/gpu/traits.js";
import { Uniforms } from "../../../dist/runtime/gpu/uniforms.js";
import { reducePasses, unpack as unpackReduce } from "../../../dist/ops/reduce/gpu.js";
import { scanPasses, unpack as unpackScan } from "../../../dist/ops/scan/gpu.js";
import { naiveReduce } from "../../oracle/reduce.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { naiveScan, type Elements } from "../../oracle/scan.ts";
import { elementsOf, firstWrong, scanVariants, typeNames } from "../arrays/elements.ts";
import { hasSubgroups } from "../helpers.ts";
import { gpu, hasGpu } from "./gpu.ts";

const POISON = 0xdeadbeef;
/** On an adapter in software the tile that one waits for may be a thread that is not running. */
const PATIENCE = 2 ** 31;
const seed = printedSeed();

describe.skipIf(!hasGpu)("GpuPrimitives on buffers of the caller", () => {
  let device: GPUDevice;
  let primitives: GpuPrimitives;
  beforeAll(async () => {
    await Promise.all([unpackReduce(), unpackScan()]);
    device = await (await gpu.requestAdapter())!.requestDevice({
      requiredFeatures: hasSubgroups ? ["subgroups"] : [],
    });
    primitives = await GpuPrimitives.create(device);
  });
  afterAll(() => device.destroy());

  function filled(words: Uint32Array<ArrayBuffer>, usage = GPUBufferUsage.STORAGE): GPUBuffer {
    const all = usage | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const buffer = device.createBuffer({ size: words.byteLength, usage: all });
    device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  }

  function poisoned(bytes: number): GPUBuffer {
    return filled(new Uint32Array(bytes / 4).fill(POISON));
  }

  /** The input, followed by poison up to `bytes`. */
  function padded(input: Elements, bytes: number): GPUBuffer {
    const words = new Uint32Array(bytes / 4).fill(POISON);
    words.set(new Uint32Array(input.buffer, input.byteOffset, input.length));
    return filled(words);
  }

  async function read(buffer: GPUBuffer): Promise<Uint32Array<ArrayBuffer>> {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const copy = device.createBuffer({ size: buffer.size, usage });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    return new Uint32Array(copy.getMappedRange().slice(0));
  }

  function submit(record: (encoder: GPUCommandEncoder) => void): void {
    const encoder = device.createCommandEncoder();
    record(encoder);
    device.queue.submit([encoder.finish()]);
  }

  it.each([1, 2, 3, 4, 5, 4095, 4097, 12_289])(
    "scans %i elements and changes nothing past them",
    async (count) => {
      const random = new Random(seed + count);
      for (const type of typeNames) {
        const input = elementsOf(type, "random", count, random);
        const operation = await primitives.scan({ type, op: "max", count });
        const [from, to] = [padded(input, operation.bytes.input), poisoned(operation.bytes.output + 16)];
        const scratch = poisoned(operation.scratchBytes);
        submit((encoder) => operation.encode(encoder, { input: from, output: to, scratch }));
        const words = await read(to);
        const { values } = naiveScan(input, "max", false);
        expect(
          firstWrong(
            new (input.constructor as never as Uint32ArrayConstructor)(words.buffer, 0, count),
            values,
          ),
        ).toBeUndefined();
        expect([...words.subarray(count)].every((word) => word === POISON)).toBe(true);
        expect(
          firstWrong(await read(from), await read(padded(input, operation.bytes.input))),
        ).toBeUndefined();
        operation.dispose();
      }
    },
  );

  it("runs twice in one encoder, the second time on the first one's result, without scratch of the caller", async () => {
    const input = new Uint32Array(10_000).fill(1);
    const operation = await primitives.scan({
      type: "u32",
      op: "sum",
      exclusive: true,
      count: 10_000,
      initial: 5,
    });
    const [a, b, c] = [filled(input), poisoned(40_000), poisoned(40_000)];
    submit((encoder) => {
      operation.encode(encoder, { input: a, output: b });
      operation.encode(encoder, { input: b, output: c });
    });
    const once = Array.from(input, (_, at) => at + 5);
    const twice = once.map((_, at) => (5 + at * 5 + (at * (at - 1)) / 2) >>> 0);
    expect(firstWrong(await read(b), once)).toBeUndefined();
    expect(firstWrong(await read(c), twice)).toBeUndefined();
    operation.dispose();
  });

  it("reduces parts of buffers, and leaves the total of a scan in its scratch", async () => {
    const input = elementsOf("i32", "random", 2 * 70_000, new Random(seed));
    const words = new Uint32Array(input.buffer as ArrayBuffer);
    const large = poisoned(256 + input.byteLength + 64);
    device.queue.writeBuffer(large, 256, words);
    const reduce = await primitives.reduce({ type: "i32", op: "argmin", rows: 2, cols: 70_000 });
    const output = poisoned(256 + 16);
    submit((encoder) =>
      reduce.encode(encoder, {
        input: { buffer: large, offset: 256 },
        output: { buffer: output, offset: 256, size: 8 },
        scratch: poisoned(reduce.scratchBytes),
      }),
    );
    const results = await read(output);
    expect([...results.subarray(64)]).toEqual([...naiveReduce(input, "argmin", 2).values, POISON, POISON]);
    expect([...results.subarray(0, 64)].every((word) => word === POISON)).toBe(true);

    const scan = await primitives.scan({ type: "i32", op: "sum", count: input.length });
    const scratch = poisoned(scan.scratchBytes);
    submit((encoder) =>
      scan.encode(encoder, {
        input: { buffer: large, offset: 256 },
        output: poisoned(scan.bytes.output),
        scratch,
      }),
    );
    const [total] = await read(scratch);
    expect(total | 0).toBe(naiveReduce(input, "sum", 1).values[0]);
  });

  it("does nothing for no elements", async () => {
    const operation = await primitives.scan({ type: "f32", op: "sum", count: 0 });
    const output = poisoned(16);
    submit((encoder) => operation.encode(encoder, { input: poisoned(16), output }));
    expect([...(await read(output))]).toEqual([POISON, POISON, POISON, POISON]);
  });

  it("says which buffer lacks what", async () => {
    const operation = await primitives.scan({ type: "u32", op: "sum", count: 9 });
    const [input, output] = [poisoned(48), poisoned(48)];
    const wrong =
      (buffers: { input: BufferArgument; output: BufferArgument; scratch?: BufferArgument }) => () =>
        operation.encode(device.createCommandEncoder(), buffers);
    expect(wrong({ input, output: poisoned(44) })).toThrow(
      "scan, buffer output: 44 bytes from offset 0 on; expected at least 48",
    );
    expect(wrong({ input, output: { buffer: poisoned(512), offset: 4 } })).toThrow(
      "offset 4 is no multiple of 256",
    );
    expect(wrong({ input, output: input })).toThrow("buffer output: the same GPUBuffer as input");
    expect(wrong({ input, output: filled(new Uint32Array(12), GPUBufferUsage.VERTEX) })).toThrow(
      "expected the usage STORAGE",
    );
    expect(wrong({ input, output, scratch: poisoned(8) })).toThrow("buffer scratch: 8 bytes");
    expect(wrong({ output } as never)).toThrow("buffer input: missing");
  });

  it("names the largest count that a call can take", async () => {
    const most = device.limits.maxStorageBufferBindingSize;
    await expect(primitives.scan({ type: "u32", op: "sum", count: most / 4 + 1 })).rejects.toThrow(
      `this device binds at most ${most} at a time: ${most / 4} elements per call`,
    );
    await expect(primitives.reduce({ type: "u32", op: "sum", cols: most / 4 + 1 })).rejects.toThrow(
      "elements per call",
    );
    await expect(primitives.scan({ type: "u8" as never, op: "sum", count: 1 })).rejects.toThrow(
      "unknown type",
    );
    await expect(primitives.scan({ type: "u32", op: "sum", count: 1.5 })).rejects.toThrow("count is 1.5");
    await expect(primitives.reduce({ type: "u32", op: "sum", cols: 0 })).rejects.toThrow("cols is 0");
  });

  it("fills grids of three dimensions", async () => {
    const tools = {
      device,
      pipelines: new Pipelines(device, new Health(device)),
      uniforms: new Uniforms(device),
    };
    const limits: KernelLimits = { workgroupsPerDimension: 3 };
    const input = elementsOf("u32", "random", 25 * 4096, new Random(seed));
    const { values } = naiveScan(input, "sum", false);
    const base = { type: "u32", op: "sum", initial: 0 } as const;
    for (const traits of scanVariants.slice(0, 2)) {
      const params = { ...base, exclusive: false, count: input.length };
      const passes = scanPasses(params, { ...limits, traits });
      expect(passes.some(({ workgroups }) => workgroups[2] > 1)).toBe(true);
      const output = poisoned(input.byteLength);
      await tools.pipelines.prepare(passes);
      const buffers = {
        input: { buffer: padded(input, input.byteLength) },
        output: { buffer: output },
        scratch: { buffer: poisoned(4096) },
      };
      submit((encoder) => {
        encodePasses(encoder, passes, buffers, tools);
        tools.uniforms.commit();
      });
      expect(firstWrong(await read(output), values), JSON.stringify(traits)).toBeUndefined();
    }
    const passes = reducePasses({ type: "u32", op: "sum", rows: 25, cols: 4096 }, limits);
    expect(passes[0].workgroups[2]).toBeGreaterThan(1);
    await tools.pipelines.prepare(passes);
    const output = poisoned(100);
    submit((encoder) => {
      const buffers = { input: { buffer: padded(input, input.byteLength) }, output: { buffer: output } };
      encodePasses(encoder, passes, buffers, tools);
      tools.uniforms.commit();
    });
    expect(firstWrong(await read(output), naiveReduce(input, "sum", 25).values)).toBeUndefined();
  });

  it("does a chained scan again that gave up, and says in scratch that it did", async () => {
    const input = elementsOf("u32", "random", 9 * 4096 + 1, new Random(seed));
    const { values } = naiveScan(input, "sum", false);
    for (const patience of [0, PATIENCE]) {
      assumeTraits(device, { ...scanVariants[0], patience });
      const operation = await primitives.scan({ type: "u32", op: "sum", count: input.length });
      const [output, scratch] = [poisoned(operation.bytes.output), poisoned(operation.scratchBytes)];
      const from = padded(input, operation.bytes.input);
      submit((encoder) => operation.encode(encoder, { input: from, output, scratch }));
      expect((await read(scratch))[2]).toBe(patience === 0 ? 1 : 0);
      expect(firstWrong((await read(output)).subarray(0, input.length), values)).toBeUndefined();
    }
  });

  it("tests whether a device scans right, and notices when it does not", async () => {
    const health = new Health(device);
    const count = 20 * 4096;
    for (const traits of scanVariants.filter(({ forwardProgress }) => forwardProgress)) {
      expect(await scansRight(device, health, { ...traits, patience: PATIENCE }, count)).toBe(true);
      expect(await scansRight(device, health, { ...traits, patience: 0 }, count)).toBe(false);
    }
  });
});
