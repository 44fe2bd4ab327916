/**
 * This module makes the passes of `select`. For small k a filter goes over the rows, in pieces when there are
 * few rows, and over what the pieces left until one piece is left. For large k the k-th entry is found eight
 * bits at a time, then everything up to it is gathered and sorted. The contract is ops/select/contract.ts.
 */
import { ceilDiv } from "../../core/math.ts";
import { elementBytes } from "../../runtime/element.ts";
import { type SelectParams, type SelectBinding } from "./contract.ts";
import {
  chooseSelectVariant,
  SELECT_BINS,
  selectLayout,
  selectLevels,
  selectScratchBytes,
  type SelectLevel,
  type SelectVariant,
} from "./variants.ts";
import type { Binding, UniformField } from "../../runtime/gpu/passes/compose.ts";
import type { GpuKernel } from "../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../runtime/gpu/passes/pass.ts";
import { chooseSelectFilter, selectPolicy, type SelectFilter } from "./policy.ts";
import { entriesPass, sortListsPasses } from "../../runtime/gpu/collectives/sort/sortLists.ts";
import * as collectives from "../../runtime/gpu/collectives/wgsl.generated.ts";
import * as sorting from "../../runtime/gpu/collectives/sort/wgsl.generated.ts";
import * as keys from "../../runtime/gpu/collectives/keys/elements/wgsl.generated.ts";
import { wgsl } from "./wgsl.ts";

export type { SelectParams } from "./contract.ts";
export { chooseSelectVariant, selectScratchBytes } from "./variants.ts";
export type { SelectVariant } from "./variants.ts";
export { unpack } from "./wgsl.ts";

/** Returns the text of writeEntry that leaves the selected entries as they are. */
export const toResult = (): string => wgsl("select_to_result");

export const selectKernel: GpuKernel<SelectParams, SelectBinding> = {
  passes: selectPasses,
  bytes: (params) => ({
    input: elementBytes(params.rows * params.cols),
    values: params.rows * params.k * 4,
    indices: params.rows * params.k * 4,
    scratch: selectScratchBytes(params),
  }),
};

/** Tests, and kernels that select for themselves, choose by these. */
export interface SelectChoices {
  readonly variant?: SelectVariant;
  readonly filter?: SelectFilter | undefined;
  /** It is the text of writeEntry; default select_to_result. */
  readonly result?: string;
  /**
   * It is true where `input` is a part of the same buffer as `scratch`, which WebGPU then takes only if both
   * are writable.
   */
  readonly oneBuffer?: boolean;
}

export function selectPasses(
  params: SelectParams,
  limits: KernelLimits,
  {
    variant = chooseSelectVariant(params),
    filter,
    result = toResult(),
    oneBuffer = false,
  }: SelectChoices = {},
): readonly Pass[] {
  if (params.rows === 0) return [];
  const target: SelectTarget = { result, input: { ...input, access: oneBuffer ? "read_write" : "read" } };
  return variant.filtered
    ? filterPasses(params, variant, limits, filter, target)
    : radixPasses(params, limits, target);
}

interface SelectTarget {
  readonly result: string;
  readonly input: Binding;
}

function filterPasses(
  params: SelectParams,
  variant: SelectVariant,
  limits: KernelLimits,
  filter: SelectFilter | undefined,
  target: SelectTarget,
): Pass[] {
  const levels = selectLevels(params, variant);
  return levels.map((level, at) =>
    filterPass(
      params,
      level,
      filter ?? chooseSelectFilter(level.pieceCols, params.k, limits),
      at === 0,
      at === levels.length - 1,
      limits,
      target,
    ),
  );
}

function filterPass(
  params: SelectParams,
  level: SelectLevel,
  { threads, capacity }: SelectFilter,
  first: boolean,
  last: boolean,
  limits: KernelLimits,
  { result, input }: SelectTarget,
): Pass {
  const { rows, cols, k } = params;
  const groups = rows * level.pieces;
  return makePass(
    {
      label: "select.filter",
      body: wgsl("select_filter"),
      snippets: [
        ...(first ? keySnippets : []),
        first ? wgsl("select_from_values") : wgsl("select_from_lists"),
        last ? result : wgsl("select_to_lists"),
        sorting.workgroup_sort,
        collectives.workgroup_scan,
        wgsl("workgroup_kth"),
      ],
      constants: {
        THREADS: threads,
        CAPACITY: capacity,
        DIGIT_BITS: Math.log2(threads),
        ...(first ? keyConstants(params) : {}),
      },
      uniforms: [
        ["groups", "u32", groups],
        ["pieces", "u32", level.pieces],
        ["pieceCols", "u32", level.pieceCols],
        ["cols", "u32", level.cols],
        ["inputCols", "u32", cols],
        ["k", "u32", k],
        ["rank", "u32", sampleRank(level.pieceCols, k, capacity)],
        ["readAt", "u32", level.from],
        ["writeAt", "u32", level.to],
        flipOf(params),
      ],
      bindings: [
        ...(first || last ? [input] : []),
        ...(first && last ? [] : [{ name: "scratch", access: "read_write", type: "array<vec2u>" } as const]),
        ...(last ? results : []),
      ],
      groups,
    },
    limits,
  );
}

const input = { name: "input", access: "read", type: "array<vec4u>" } as const;
const results = [
  { name: "values", access: "read_write", type: "array<u32>" },
  { name: "indices", access: "read_write", type: "array<u32>" },
] as const;
const work = { name: "scratch", access: "read_write", type: "array<atomic<u32>>" } as const;

const keySnippets: readonly string[] = [keys.float_key, keys.element_key];

function keyConstants({ type }: SelectParams): Record<string, number | boolean> {
  return { FLOAT: type === "f32" };
}

/**
 * Returns the rank of a limit in a sample of twice the capacity. Hardly ever are fewer than k entries of the
 * piece up to that limit, or more than the capacity. The rank is at most k, since k of the sample are k of
 * the piece.
 */
export function sampleRank(pieceCols: number, k: number, capacity: number): number {
  const ratio = Math.max(1, pieceCols / (2 * capacity));
  // This is the root of the m for which m - 3 sqrt(m ratio) = k: the limit's rank in the piece deviates by
  // sqrt(m ratio).
  const root = (3 * Math.sqrt(ratio) + Math.sqrt(9 * ratio + 4 * k)) / 2;
  const expected = Math.min(root ** 2, k + SHARE * (capacity - k));
  // In a sorted piece the runs of the sample are runs of ranks, too.
  const inRuns = SAMPLE_RUN * ceilDiv(k, SAMPLE_RUN * ratio) + 1;
  return Math.min(k, Math.max(Math.ceil(expected / ratio), inRuns));
}

/** The limit is expected at most this share of the way from k to the capacity. */
const SHARE = 0.45;

/** So many elements lie together in the sample of select_filter. */
const SAMPLE_RUN = 8;

/** Returns the bits that element_key.wgsl flips. */
function flipOf({ type, largest }: SelectParams): UniformField {
  const flip = (type === "i32" ? 0x80000000 : 0) ^ (largest ? -1 : 0);
  return ["flip", "u32", flip >>> 0];
}

function radixPasses(params: SelectParams, limits: KernelLimits, target: SelectTarget): Pass[] {
  const { rows, cols, k } = params;
  const { partCols } = selectPolicy;
  const { lists, states, bins } = selectLayout(params);
  const parts = ceilDiv(cols, partCols);
  const shared: UniformField[] = [
    ["groups", "u32", rows * parts],
    ["parts", "u32", parts],
    ["partCols", "u32", partCols],
    ["rows", "u32", rows],
    ["cols", "u32", cols],
    ["k", "u32", k],
    ["lists", "u32", lists],
    ["states", "u32", states],
    ["bins", "u32", bins],
    flipOf(params),
  ];
  const make = (name: "count" | "pick" | "gather", groups: number, fields: UniformField[]): Pass =>
    makePass(
      {
        label: `select.${name}`,
        body: wgsl(`select_${name}`),
        snippets: [
          ...(name === "pick" ? [] : keySnippets),
          ...(name === "count" ? [] : [collectives.workgroup_scan]),
        ],
        constants: { THREADS: SELECT_BINS, ...(name === "pick" ? {} : keyConstants(params)) },
        uniforms: [...shared, ...fields],
        bindings: name === "pick" ? [{ ...work, type: "array<u32>" }] : [target.input, work],
        groups,
      },
      limits,
    );
  const turn = (fields: UniformField[]): Pass[] => [
    make("count", rows * parts, fields),
    make("pick", rows, fields),
  ];
  return [
    make("pick", rows, turnFields({ first: true, byColumn: false, shift: 0 })),
    ...radixTurns(cols).flatMap((each) => turn(turnFields(each))),
    make("gather", rows * parts, []),
    ...sortListsPasses("select", { rows, length: k, begin: 0 }, limits),
    writePass(params, limits, target),
  ];
}

interface Turn {
  readonly first: boolean;
  readonly byColumn: boolean;
  /** It is the lowest of the eight bits that the turn finds. */
  readonly shift: number;
}

/** Returns the turns for all bits of a key, then for as many as columns have. */
function radixTurns(cols: number): Turn[] {
  const shifts = (bits: number) =>
    Array.from({ length: ceilDiv(bits, 8) }, (_, i, last = ceilDiv(bits, 8) - 1) => 8 * (last - i));
  const columnBits = Math.max(1, 32 - Math.clz32(cols - 1));
  return [
    ...shifts(32).map((shift) => ({ first: false, byColumn: false, shift })),
    ...shifts(columnBits).map((shift) => ({ first: false, byColumn: true, shift })),
  ];
}

function turnFields({ first, byColumn, shift }: Turn): UniformField[] {
  return [
    ["first", "u32", first ? 1 : 0],
    ["byColumn", "u32", byColumn ? 1 : 0],
    ["shift", "u32", shift],
    // The mask covers the bits above those eight, which are found already.
    ["mask", "u32", shift === 24 ? 0 : 2 ** 32 - 2 ** (shift + 8)],
  ];
}

function writePass(
  { rows, cols, k }: SelectParams,
  limits: KernelLimits,
  { result, input }: SelectTarget,
): Pass {
  const sorted = {
    snippets: [sorting.entries_from_scratch],
    bindings: [{ name: "scratch", access: input.access, type: "array<vec2u>" }],
  };
  const chosen = {
    snippets: [result],
    uniforms: [["inputCols", "u32", cols]] as const,
    bindings: [input, ...results],
  };
  return entriesPass("select.write", { rows, length: k }, [sorted, chosen], limits);
}
