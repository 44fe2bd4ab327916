/**
 * The kernels of matrix units, which no software GPU has: a compiler must take their text. Dawn has one
 * without a device behind it.
 */
import { expect, it } from "vitest";
import { create } from "webgpu";
import { byteBoundOf } from "../../../../dist/distance/bound/bytes.js";
import { boundOf } from "../../../../dist/distance/bound/bound.js";
import { knnByteFilterPasses } from "../../../../dist/ops/knn/gpu/bytes/bytes.js";
import { byteRowsKernel, unpackShaders } from "../../../../dist/ops/knn/gpu/bytes/rows.js";
import { hasGpu } from "../gpu.ts";

const limits = {
  ...{ workgroupsPerDimension: 65_535, workgroupBytes: 49_152, workgroupThreads: 256 },
  traits: { forwardProgress: true, subgroups: true, byteMatrices: true },
};
const MATRIX = "chromium-experimental-subgroup-matrix" as GPUFeatureName;

it.skipIf(!hasGpu).each([20, 128, 200])(
  "compiles the kernels of matrix units for %i columns",
  async (dims) => {
    await unpackShaders();
    const gpu = create(["backend=null", "enable-dawn-features=allow_unsafe_apis"]);
    const adapter = await gpu.requestAdapter();
    const { maxComputeWorkgroupStorageSize } = adapter!.limits;
    const device = await adapter!.requestDevice({
      requiredFeatures: ["subgroups", MATRIX],
      requiredLimits: { maxComputeWorkgroupStorageSize },
    });
    const rows = { k: 5, capacity: 50, dims, queryRows: 300, refRows: 9000, refOffset: 0 };
    const bound = boundOf({
      ...{ core: "dot", dot: "squared", dims, p: 2, rounded: false, underflow: 0, largest: 1 },
    })!;
    const filter = {
      ...{ ...rows, core: "dot" as const, p: 0, weight: -2, slack: 0, cut: false, stride: dims, refBegin: 0 },
      ...{ group: 32, bytes: byteBoundOf(1, dims, bound)! },
    };
    const passes = [
      ...byteRowsKernel.passes({ ...rows, packed: false, held: 9000 }, limits),
      ...knnByteFilterPasses(filter, limits, {}, "matrix"),
    ];
    const ofSubgroups = passes.filter(({ code }) => code.startsWith("enable subgroups"));
    expect(ofSubgroups.length).toBeGreaterThan(3);
    for (const { code } of ofSubgroups) {
      device.pushErrorScope("validation");
      device.createShaderModule({ code });
      expect((await device.popErrorScope())?.message).toBeUndefined();
    }
    device.destroy();
  },
);
