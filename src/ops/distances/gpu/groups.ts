/** This is `distances.groups` as one pass. Its promise stands in deviceContract.ts. */
import { ceilDiv } from "../../../core/math.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass } from "../../../runtime/gpu/passes/pass.ts";
import { GROUP_ROWS, groupBytes, type GroupsBinding, type GroupsParams } from "../deviceContract.ts";
import { distancesPolicy } from "./policy.ts";
import { wgsl } from "./shaders/wgsl.ts";

export const groupsKernel: GpuKernel<GroupsParams, GroupsBinding> = {
  passes({ rows }, limits) {
    const { threads } = distancesPolicy;
    const count = ceilDiv(rows, GROUP_ROWS);
    if (count === 0) return [];
    return [
      makePass(
        {
          label: "distances.groups",
          body: wgsl("distances_groups"),
          constants: { THREADS: threads, GROUP: GROUP_ROWS },
          uniforms: [
            ["count", "u32", count],
            ["rows", "u32", rows],
          ],
          bindings: [
            { name: "metas", access: "read", type: "array<vec4f>" },
            { name: "refGroups", access: "read_write", type: "array<vec2f>" },
          ],
          groups: ceilDiv(count, threads),
        },
        limits,
      ),
    ];
  },
  bytes: ({ rows }) => ({ metas: rows * 16, refGroups: groupBytes(rows) }),
};
