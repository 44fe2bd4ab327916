/**
 * This module sorts lists of entries (key, index) in storage by a bitonic network. Its passes sort blocks in
 * workgroup memory, then merge ever longer runs in storage. It is for lists of results, such as those of the
 * smallest elements, and not made for whole arrays.
 */
import { ceilDiv } from "../../../../core/math.ts";
import type { Binding, ShaderParts, UniformField } from "../../passes/compose.ts";
import { makePass, type KernelLimits, type Pass } from "../../passes/pass.ts";
import { sortPolicy } from "../policy.ts";
import * as wgsl from "./wgsl.generated.ts";

export interface EntryLists {
  readonly rows: number;
  /** Every list has so many entries. */
  readonly length: number;
  /** The first list begins at this entry of the binding; the others follow. */
  readonly begin: number;
}

/** This is a source or a target of entries: its snippet, with what it needs. */
export interface EntryStage {
  readonly snippets: readonly string[];
  readonly constants?: ShaderParts["constants"];
  readonly uniforms?: readonly UniformField[];
  readonly bindings: readonly Binding[];
}

/** Takes the entries of all lists from a source to a target. @param bindings of both, in their order */
export function entriesPass(
  label: string,
  { rows, length }: Pick<EntryLists, "rows" | "length">,
  stages: readonly EntryStage[],
  limits: KernelLimits,
): Pass {
  const { threads } = sortPolicy;
  const count = rows * length;
  return makePass(
    {
      label,
      body: wgsl.write_entries,
      snippets: [...stages.flatMap(({ snippets }) => snippets)],
      constants: {
        THREADS: threads,
        ...Object.fromEntries(stages.flatMap(({ constants = {} }) => Object.entries(constants))),
      },
      uniforms: [
        ["count", "u32", count],
        ["k", "u32", length],
        ...stages.flatMap(({ uniforms = [] }) => uniforms),
      ],
      bindings: stages.flatMap(({ bindings }) => bindings),
      groups: ceilDiv(count, threads),
    },
    limits,
  );
}

/**
 * Takes the entries of all lists from a source to `scratch`, sorts every list there, and takes them to a
 * target.
 * @param operator the operator that labels of passes name
 */
export function sortThroughPasses(
  operator: string,
  lists: EntryLists,
  source: EntryStage,
  target: EntryStage,
  limits: KernelLimits,
): readonly Pass[] {
  const toScratch = { snippets: [wgsl.entries_to_scratch], bindings: [entries] };
  const fromScratch = { snippets: [wgsl.entries_from_scratch], bindings: [entries] };
  return [
    entriesPass(`${operator}.keys`, lists, [source, toScratch], limits),
    ...sortListsPasses(operator, lists, limits),
    entriesPass(`${operator}.write`, lists, [fromScratch, target], limits),
  ];
}

/**
 * Sorts every list. Entries are vec2u in the binding `scratch`.
 * @param operator the operator that labels of passes name
 */
export function sortListsPasses(operator: string, lists: EntryLists, limits: KernelLimits): readonly Pass[] {
  const { block } = sortPolicy;
  const passes = [blockPass(operator, lists, false, limits)];
  for (let run = block; run < lists.length; run *= 2) {
    passes.push(exchangePass(operator, lists, Math.log2(run), true, limits));
    for (let stride = run / 2; stride >= block; stride /= 2) {
      passes.push(exchangePass(operator, lists, Math.log2(stride), false, limits));
    }
    passes.push(blockPass(operator, lists, true, limits));
  }
  return passes;
}

const entries = { name: "scratch", access: "read_write", type: "array<vec2u>" } as const;

function blockPass(
  operator: string,
  { rows, length, begin }: EntryLists,
  merge: boolean,
  limits: KernelLimits,
): Pass {
  const { block, threads } = sortPolicy;
  const blocks = ceilDiv(length, block);
  const groups = rows * blocks;
  return makePass(
    {
      label: `${operator}.sort`,
      body: wgsl.sort_block,
      snippets: [wgsl.workgroup_sort],
      constants: { THREADS: threads, CAPACITY: block, MERGE: merge },
      uniforms: [
        ["groups", "u32", groups],
        ["blocks", "u32", blocks],
        ["length", "u32", length],
        ["lists", "u32", begin],
      ],
      bindings: [entries],
      groups,
    },
    limits,
  );
}

function exchangePass(
  operator: string,
  { rows, length, begin }: EntryLists,
  stride: number,
  mirrored: boolean,
  limits: KernelLimits,
): Pass {
  const { threads } = sortPolicy;
  // Every comparison whose first entry is in the list; those past its end are idle.
  const pairs = ceilDiv(length, 2 ** (stride + 1)) * 2 ** stride;
  const parts = ceilDiv(pairs, threads);
  const groups = rows * parts;
  return makePass(
    {
      label: `${operator}.exchange`,
      body: wgsl.sort_exchange,
      constants: { THREADS: threads },
      uniforms: [
        ["groups", "u32", groups],
        ["parts", "u32", parts],
        ["length", "u32", length],
        ["lists", "u32", begin],
        ["stride", "u32", stride],
        ["mirrored", "u32", mirrored ? 1 : 0],
      ],
      bindings: [entries],
      groups,
    },
    limits,
  );
}
