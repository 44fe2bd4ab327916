/**
 * This module finds out whether a device multiplies matrices of bytes, which WebGPU does not have yet: by the
 * shapes that the device lists, and a self-test against whole numbers. Its maker is never asked for.
 */
import { MATRIX_FEATURE } from "./features.ts";
import type { Health } from "./health.ts";
import { encodePasses } from "./passes/encode.ts";
import { makePass, type Pass } from "./passes/pass.ts";
import { Pipelines } from "./passes/pipelines.ts";
import { scoped } from "./scopes.ts";
import { Uniforms } from "./uniforms.ts";
import { matrixDirectives } from "./matrixDirectives.ts";
import * as wgsl from "./wgsl.generated.ts";

interface MatrixConfig {
  readonly componentType: string;
  readonly resultComponentType: string;
  readonly M: number;
  readonly N: number;
  readonly K: number;
}

const ROWS = 16;
const COLUMNS = 128;
/** Each begins from zero, which a compiler may forget. */
const ROUNDS = 2;

/** Says whether the device lists the shape that our kernels use, and computes it right. */
export async function multipliesBytes(device: GPUDevice, health: Health): Promise<boolean> {
  if (!device.features.has(MATRIX_FEATURE) || !listsShape(device.adapterInfo)) return false;
  const { subgroupMinSize, subgroupMaxSize } = device.adapterInfo;
  if (subgroupMinSize !== 32 || subgroupMaxSize !== 32) return false;
  try {
    return await computesRight(device, health, [testPass()]);
  } catch {
    // A driver that lists a shape but does not compile it has no use for us.
    return false;
  }
}

/**
 * Says whether the shape is listed, or nothing is: Dawn for Node (webgpu 0.6.2) leaves the list of a device
 * empty, which its adapter fills, and refuses shaders whose shapes are not on the adapter's.
 */
export function listsShape(info: GPUAdapterInfo): boolean {
  const { subgroupMatrixConfigs = [] } = info as { subgroupMatrixConfigs?: Iterable<MatrixConfig> };
  const listed = [...subgroupMatrixConfigs];
  const isOurs = ({ componentType, resultComponentType, M, N, K }: MatrixConfig) =>
    componentType === "i8" && resultComponentType === "i32" && M === 16 && N === 16 && K === 32;
  return listed.length === 0 || listed.some(isOurs);
}

export function testPass(body: string = wgsl.matrix_test): Pass {
  return makePass(
    {
      label: "self-test of matrices",
      body,
      directives: matrixDirectives,
      uniforms: [["rounds", "u32", ROUNDS]],
      bindings: [
        { name: "left", access: "read", type: "array<vec4u>" },
        { name: "right", access: "read", type: "array<vec4u>" },
        { name: "output", access: "read_write", type: "array<vec4i>" },
      ],
      groups: 1,
    },
    { workgroupsPerDimension: 1 },
  );
}

/** Says whether the passes leave the products of two sets of bytes, twice. */
export async function computesRight(
  device: GPUDevice,
  health: Health,
  passes: readonly Pass[],
): Promise<boolean> {
  const tools = { device, pipelines: new Pipelines(device, health), uniforms: new Uniforms(device) };
  await tools.pipelines.prepare(passes);
  const [left, right] = [testBytes(1), testBytes(2)];
  const bytes = ROUNDS * ROWS * ROWS * 4;
  const { value, checked } = scoped(device, "self-test", 4 * bytes, () => {
    const upload = (data: Int8Array) => {
      const buffer = device.createBuffer({
        label: "self-test",
        size: data.byteLength,
        usage: GPUBufferUsage.STORAGE,
        mappedAtCreation: true,
      });
      new Int8Array(buffer.getMappedRange()).set(data);
      buffer.unmap();
      return buffer;
    };
    const output = device.createBuffer({
      size: bytes,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
    });
    const readable = device.createBuffer({
      size: bytes,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const [a, b] = [upload(left), upload(right)];
    const encoder = device.createCommandEncoder({ label: "self-test" });
    const bound = { left: { buffer: a }, right: { buffer: b }, output: { buffer: output } };
    encodePasses(encoder, passes, bound, tools);
    encoder.copyBufferToBuffer(output, 0, readable, 0, bytes);
    tools.uniforms.commit();
    device.queue.submit([encoder.finish()]);
    return { readable, all: [a, b, output, readable] };
  });
  try {
    await health.guard(Promise.all([checked, value.readable.mapAsync(GPUMapMode.READ)]));
    const sums = new Int32Array(value.readable.getMappedRange());
    return sums.every((sum, at) => sum === product(left, right, at % ROWS, Math.floor(at / ROWS) % ROWS));
  } finally {
    for (const buffer of value.all) buffer.destroy();
    tools.uniforms.dispose();
  }
}

/** Returns bytes within -127 and 127 in no order, so that an entry out of place shows. */
function testBytes(seed: number): Int8Array {
  return Int8Array.from(
    { length: ROWS * COLUMNS },
    (_, at) => ((Math.imul(at * 2 + seed, 0x9e3779b1) >>> 8) % 255) - 127,
  );
}

function product(left: Int8Array, right: Int8Array, row: number, column: number): number {
  let sum = 0;
  for (let k = 0; k < COLUMNS; k++) sum += left[row * COLUMNS + k] * right[column * COLUMNS + k];
  return sum;
}
