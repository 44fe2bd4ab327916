/** Passes that run again are bound once, as long as they are given the same parts of the same buffers. */
import { expect, it } from "vitest";
import { encodePasses, type EncodeTools } from "../../../src/runtime/gpu/passes/encode.ts";
import type { Pass } from "../../../src/runtime/gpu/passes/pass.ts";

const pass: Pass = {
  label: "a pass",
  code: "",
  bindings: [{ name: "rows", access: "read" }],
  uniform: [1],
  workgroups: [1, 1, 1],
};

it("binds a pass again only where a buffer, or its part, is another one", () => {
  let made = 0;
  const bound: unknown[] = [];
  const computePass = {
    setPipeline: () => undefined,
    setBindGroup: (_: number, group: unknown) => void bound.push(group),
    dispatchWorkgroups: () => undefined,
    end: () => undefined,
  };
  const encoder = { beginComputePass: () => computePass } as unknown as GPUCommandEncoder;
  const [uniforms, first, second] = [{}, {}, {}] as GPUBuffer[];
  const place = { buffer: uniforms, offset: 0, size: 16 };
  const tools = {
    device: { createBindGroup: () => ++made },
    pipelines: { get: () => ({}) },
    uniforms: { place: () => ({ ...place }) },
  } as unknown as EncodeTools;
  const groups: Parameters<typeof encodePasses>[4] = [];
  const run = (rows: GPUBufferBinding) => encodePasses(encoder, [pass], { rows }, tools, groups);
  for (const rows of [
    { buffer: first },
    { buffer: first },
    { buffer: second },
    { buffer: second, offset: 256 },
  ])
    run(rows);
  place.offset = 256;
  run({ buffer: second, offset: 256 });
  expect(bound).toEqual([1, 1, 2, 3, 4]);
});
