/**
 * This module makes the passes of `reduce`: over rows, or over parts of rows and then over the parts. The
 * contract is ops/reduce/contract.ts.
 */
import { ceilDiv, clamp } from "../../core/math.ts";
import { elementBytes } from "../../runtime/element.ts";
import { isArg, REDUCE_PART, reduceScratchBytes, type ReduceParams, type ReduceBinding } from "./contract.ts";
import { valueSnippets, valueType } from "../../runtime/gpu/collectives/element.ts";
import type { GpuKernel } from "../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../runtime/gpu/passes/pass.ts";
import { reducePolicy } from "./policy.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

export const reduceKernel: GpuKernel<ReduceParams, ReduceBinding> = {
  passes: reducePasses,
  bytes: (params) => ({
    input: elementBytes(params.rows * params.cols),
    output: params.rows * 4,
    scratch: reduceScratchBytes(params),
  }),
};

export function reducePasses(params: ReduceParams, limits: KernelLimits): readonly Pass[] {
  const { rows, cols } = params;
  if (rows === 0) return [];
  const parts = ceilDiv(cols, REDUCE_PART);
  return parts > 1
    ? [rowsPass(params, parts, limits), partsPass(params, parts, limits)]
    : [rowsPass(params, 1, limits)];
}

function rowsPass(params: ReduceParams, parts: number, limits: KernelLimits): Pass {
  const { threads } = reducePolicy;
  const lanes = lanesPerRow(params.cols);
  const split = parts > 1;
  return makePass(
    {
      label: "reduce.rows",
      body: wgsl("reduce_rows"),
      snippets: [...totalSnippets(params), split ? wgsl("keep_total") : wgsl("keep_result")],
      constants: { ...constantsOf(params), PART: REDUCE_PART },
      aliases: { Value: valueOf(params) },
      uniforms: [
        ["rows", "u32", params.rows],
        ["cols", "u32", params.cols],
        ["parts", "u32", parts],
        ["lanes", "u32", lanes],
      ],
      bindings: [
        { name: "input", access: "read", type: "array<vec4u>" },
        split
          ? { name: "scratch", access: "read_write", type: "array<Total>" }
          : { name: "output", access: "read_write", type: "array<u32>" },
      ],
      groups: ceilDiv(params.rows * parts * lanes, threads),
    },
    limits,
  );
}

function partsPass(params: ReduceParams, parts: number, limits: KernelLimits): Pass {
  return makePass(
    {
      label: "reduce.parts",
      body: wgsl("reduce_parts"),
      snippets: totalSnippets(params),
      constants: constantsOf(params),
      aliases: { Value: valueOf(params) },
      uniforms: [
        ["rows", "u32", params.rows],
        ["parts", "u32", parts],
      ],
      bindings: [
        { name: "scratch", access: "read", type: "array<Total>" },
        { name: "output", access: "read_write", type: "array<u32>" },
      ],
      groups: params.rows,
    },
    limits,
  );
}

/**
 * Returns as many lanes as have a few vectors each. The number depends on the columns alone, and with it the
 * order of a sum.
 */
function lanesPerRow(cols: number): number {
  const wanted = ceilDiv(cols, reducePolicy.columnsPerLane);
  return clamp(2 ** Math.ceil(Math.log2(wanted)), 1, reducePolicy.threads);
}

function totalSnippets({ type, op }: ReduceParams): string[] {
  const values = op === "argmin" ? "min" : op === "argmax" ? "max" : op;
  const totals = isArg(op) ? wgsl("total_columns") : wgsl("total_values");
  return [...valueSnippets(type, values), totals, wgsl("reduce_lanes")];
}

function constantsOf({ op }: ReduceParams): Record<string, number | boolean> {
  return { THREADS: reducePolicy.threads, ...(isArg(op) ? { LARGEST: op === "argmax" } : {}) };
}

function valueOf({ type, op }: ReduceParams): string {
  return isArg(op) ? "u32" : valueType(type, op);
}
