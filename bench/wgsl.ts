/**
 * Kernels of the histogram and selection benches: buffers filled from a seed, and reading a buffer, which is
 * their limit.
 */
import { storage } from "./gpu.ts";

const GROUPS = 4096;

/** A buffer of `words` words, each made by a WGSL expression of its number `i` and the hash `h` of that. */
export function fillWith(device: GPUDevice, words: number, expression: string): GPUBuffer {
  const buffer = storage(device, Math.ceil(words / 4) * 16);
  const record = recorder(
    device,
    `fn hash(x: u32) -> u32 {
      var h = x * 0x9e3779b1u;
      h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
      h = (h ^ (h >> 12u)) * 0x297a2d39u;
      return h ^ (h >> 15u);
    }
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(256)
    fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
      for (var i = id.x; i < ${words}u; i += n.x * 256u) { let h = hash(i); data[i] = ${expression}; }
    }`,
    [buffer],
  );
  const encoder = device.createCommandEncoder();
  record(encoder);
  device.queue.submit([encoder.finish()]);
  return buffer;
}

/** Records a kernel that reads every vec4u of a buffer and does next to nothing with it. */
export function readRecorder(device: GPUDevice, input: GPUBuffer): (encoder: GPUCommandEncoder) => void {
  const code = `
    @group(0) @binding(0) var<storage, read> data: array<vec4u>;
    @group(0) @binding(1) var<storage, read_write> result: array<u32>;
    @compute @workgroup_size(256)
    fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
      var sum = vec4u();
      let step = n.x * 256u;
      for (var i = id.x; i < ${input.size / 16}u; i += 4u * step) {
        sum += data[i] ^ data[i + step] ^ data[i + 2u * step] ^ data[i + 3u * step];
      }
      if (all(sum == vec4u(1u, 2u, 3u, 4u))) { result[0] = 1u; }
    }`;
  return recorder(device, code, [input, storage(device, 16)]);
}

function recorder(device: GPUDevice, code: string, buffers: readonly GPUBuffer[]) {
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return (encoder: GPUCommandEncoder): void => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(GROUPS);
    pass.end();
  };
}
