/**
 * This module makes the passes of `sort`. Rows that fit a tile are sorted in one dispatch, a workgroup each.
 * The digits of a longer row are counted in one read; then its keys are moved once for each digit that is not
 * the same in all of them, in one pass whose tiles wait for those before them, or in three that never wait.
 * The contract is ops/sort/contract.ts.
 */
import { ceilDiv } from "../../core/math.ts";
import { combine_sum, workgroup_scan } from "../../runtime/gpu/collectives/wgsl.generated.ts";
import { wgsl as ofScan } from "../../runtime/gpu/collectives/tileScan/wgsl.ts";
import type { Binding, UniformField } from "../../runtime/gpu/passes/compose.ts";
import type { GpuKernel } from "../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass, type PassParts } from "../../runtime/gpu/passes/pass.ts";
import {
  cutDigits,
  flips,
  isFloat,
  keyBytes,
  keyWords,
  maskOf,
  rowBegin,
  type Digit,
  type SortBinding,
  type SortParams,
} from "./contract.ts";
import { DIGIT_BITS, RADIX, scratchWords } from "./layout.ts";
import { counterWords, slabWords, sortPolicy, tileOf, variantOf, type SortVariant } from "./policy.ts";
import { unroll } from "../../runtime/gpu/passes/unroll.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

export const sortKernel: GpuKernel<SortParams, SortBinding> = {
  passes: sortPasses,
  bytes: sortBytes,
  wantsTraits: () => true,
};

function sortBytes(params: SortParams, limits: KernelLimits): Record<SortBinding, number> {
  const { type, values, offsets } = params;
  const variant = variantOf(type, limits);
  const [keys, words] = [keyBytes(params.count, keyWords(type)), keyBytes(params.count)];
  const longest = longestRow(params);
  const isLong = longest > tileOf(variant);
  return {
    keys,
    values: values === "given" ? words : 0,
    sortedKeys: keys,
    sortedValues: values === "none" ? 0 : words,
    offsets: offsets ? offsets.length * 4 : 0,
    scratch: isLong ? scratchWords(longest, tileOf(variant)) * 4 : 0,
    scratchKeys: isLong ? keys : 0,
    scratchValues: isLong && values !== "none" ? words : 0,
  };
}

export function longestRow(params: SortParams): number {
  const { count, rows, offsets } = params;
  if (!offsets) return rows === 0 ? 0 : count / rows;
  let longest = 0;
  for (let row = 0; row < rows; row++) longest = Math.max(longest, offsets[row + 1] - offsets[row]);
  return longest;
}

export function sortPasses(params: SortParams, limits: KernelLimits): readonly Pass[] {
  const { count, rows, beginBit, endBit } = params;
  if (count === 0) return [];
  const variant = variantOf(params.type, limits);
  const cut = cutDigits(beginBit, endBit, DIGIT_BITS);
  const digits = cut.length > 0 ? cut : [{ word: 0, shift: 0, bits: 0 }];
  const sorting = new Sorting(params, variant, digits, limits);
  const passes: Pass[] = [];
  const { few } = sortPolicy;
  let [hasFew, hasShort] = [false, false];
  for (let row = 0; row < rows; row++) {
    const [begin, end] = [rowBegin(params, row), rowBegin(params, row + 1)];
    const length = end - begin;
    if (length > tileOf(variant)) passes.push(...sorting.longRow(begin, length));
    hasFew ||= length > 0 && length <= few;
    hasShort ||= length > few && length <= tileOf(variant);
  }
  return [...(hasFew ? [sorting.fewKeys()] : []), ...(hasShort ? [sorting.shortRows()] : []), ...passes];
}

/** Makes the passes of one sort. */
class Sorting {
  readonly #params: SortParams;
  readonly #variant: SortVariant;
  readonly #digits: readonly Digit[];
  readonly #limits: KernelLimits;
  readonly #key: readonly string[];

  constructor(params: SortParams, variant: SortVariant, digits: readonly Digit[], limits: KernelLimits) {
    this.#params = params;
    this.#variant = variant;
    this.#digits = digits;
    this.#limits = limits;
    this.#key = [keyWords(params.type) === 1 ? wgsl("sort_key_narrow") : wgsl("sort_key_wide")];
  }

  /** Makes the pass over all rows of few keys. */
  fewKeys(): Pass {
    const { count, beginBit, endBit, type } = this.#params;
    const [maskLow, maskHigh] = maskOf(beginBit, endBit);
    const rows = this.#rows();
    return this.#pass("few", {
      ...rows,
      body: wgsl("sort_few"),
      snippets: [...this.#key, wgsl("sort_order"), valuesOf(this.#params), ...rows.snippets],
      constants: { THREADS: RADIX, FEW: sortPolicy.few, FLOAT: isFloat(type) },
      uniforms: [
        ...this.#flips(),
        ...rows.uniforms,
        ["count", "u32", count],
        ["maskLow", "u32", maskLow],
        ["maskHigh", "u32", maskHigh],
      ],
      groups: ceilDiv(count, RADIX),
    });
  }

  /** Makes the pass over all other rows that fit a tile. */
  shortRows(): Pass {
    const rows = this.#rows();
    return this.#tile("rows", {
      ...rows,
      body: wgsl("sort_small"),
      snippets: [...rows.snippets, valuesOf(this.#params)],
      constants: {
        VALUES: this.#params.values === "none" ? 0 : 1,
        DIGITS: this.#digits.length,
        FEW: sortPolicy.few,
      },
      uniforms: [...rows.uniforms, this.#digitArray()],
      groups: this.#params.rows,
    });
  }

  /** Returns how kernels know rows, with what they work on. */
  #rows(): Pick<PassParts, "uniforms" | "bindings"> & { readonly snippets: readonly string[] } {
    const { rows, count, offsets } = this.#params;
    return {
      snippets: [offsets ? wgsl("sort_rows_offsets") : wgsl("sort_rows_equal")],
      uniforms: [
        ["rows", "u32", rows],
        ["cols", "u32", count / rows],
        ["base", "u32", offsets?.[0] ?? 0],
      ],
      bindings: [
        this.#keys("keys", "read"),
        this.#keys("sortedKeys"),
        ...this.#values(),
        ...(offsets ? [words("offsets", "read")] : []),
      ],
    };
  }

  /** Makes the passes over a row that is longer than a tile. */
  longRow(begin: number, count: number): Pass[] {
    const tiles = ceilDiv(count, tileOf(this.#variant));
    const row = { begin, count, tiles };
    const move = this.#variant.isChained ? this.#chained : this.#blocks;
    return [
      this.#clear(row),
      this.#count(row),
      this.#begin(row),
      ...this.#digits.flatMap((digit, number) => move.call(this, row, number, digit)),
    ];
  }

  #clear({ tiles }: TiledRow): Pass {
    const states = this.#variant.isChained ? tiles : 0;
    const size = scratchWords(0, 1) + states * RADIX;
    return this.#pass("clear", {
      body: wgsl("sort_clear"),
      constants: { THREADS: RADIX },
      uniforms: [["words", "u32", size]],
      bindings: [scratch],
      groups: ceilDiv(size, RADIX),
    });
  }

  #count(row: TiledRow): Pass {
    const threads = Math.min(sortPolicy.countThreads, this.#limits.workgroupThreads ?? RADIX);
    return this.#pass("count", {
      body: unroll(wgsl("sort_count"), { AHEAD: sortPolicy.countAhead, DIGITS: this.#digits.length }),
      snippets: [...this.#key, wgsl("sort_state")],
      constants: {
        THREADS: threads,
        DIGITS: this.#digits.length,
        AHEAD: sortPolicy.countAhead,
        FLOAT: isFloat(this.#params.type),
      },
      uniforms: [...this.#flips(), ...this.#uniforms(row), this.#digitArray()],
      bindings: [this.#keys("keys", "read"), scratch],
      groups: Math.min(ceilDiv(row.count, threads * 8), sortPolicy.countGroups),
    });
  }

  #begin(row: TiledRow): Pass {
    return this.#pass("begin", {
      body: wgsl("sort_begin"),
      snippets: [workgroup_scan, wgsl("sort_state")],
      constants: { THREADS: RADIX, DIGITS: this.#digits.length },
      uniforms: [["count", "u32", row.count]],
      bindings: [scratch],
      groups: 1,
    });
  }

  /** Moves keys in one pass, and in another one what it gave up. */
  #chained(row: TiledRow, number: number, digit: Digit): Pass[] {
    const { patience } = this.#variant;
    const pass = (label: string, again: number, most: number) =>
      this.#scatter(label, row, number, digit, wgsl("sort_bases_chained"), Math.min(row.tiles, most), [
        ["patience", "u32", again ? sortPolicy.patience : patience],
        ["again", "u32", again],
      ]);
    return [pass("scatter", 0, sortPolicy.resident), pass("recompute", 1, sortPolicy.recomputeGroups)];
  }

  #blocks(row: TiledRow, number: number, digit: Digit): Pass[] {
    const { tiles } = row;
    return [
      this.#tile("digits", {
        body: wgsl("sort_digits"),
        snippets: [wgsl("sort_keys"), wgsl("sort_state")],
        uniforms: [...this.#uniforms(row), ...this.#digit(number, digit)],
        bindings: [...this.#keyBindings(), scratch],
        groups: tiles,
      }),
      this.#pass("tiles", {
        body: wgsl("sort_tiles"),
        snippets: [workgroup_scan, wgsl("sort_state")],
        constants: { THREADS: tiles <= 64 ? 16 : RADIX },
        uniforms: [
          ["tiles", "u32", tiles],
          ["number", "u32", number],
        ],
        bindings: [scratch],
        groups: RADIX,
      }),
      this.#scatter(
        "scatter",
        row,
        number,
        digit,
        wgsl("sort_bases_blocks"),
        Math.min(tiles, sortPolicy.resident),
        [],
      ),
    ];
  }

  #scatter(
    label: string,
    row: TiledRow,
    number: number,
    digit: Digit,
    bases: string,
    groups: number,
    more: readonly UniformField[],
  ): Pass {
    const { values } = this.#params;
    const moving =
      values === "none" ? [wgsl("sort_values_stay")] : [valuesOf(this.#params), wgsl("sort_values_moved")];
    return this.#tile(label, {
      body: wgsl("sort_scatter"),
      snippets: [wgsl("sort_keys"), wgsl("sort_put"), wgsl("sort_state"), bases, ...moving],
      uniforms: [...this.#uniforms(row), ...this.#digit(number, digit), ...more],
      bindings: [...this.#keyBindings(), ...this.#values(), scratch],
      groups,
    });
  }

  /** Makes a pass that works on tiles. */
  #tile(label: string, parts: Omit<PassParts, "label">): Pass {
    const variant = this.#variant;
    const { threads, lanes, items, subgroups } = variant;
    const { type } = this.#params;
    const groups = threads / lanes;
    const ends = { ITEMS: items, GROUPS: groups, LOOK: sortPolicy.look };
    const write = (text: string) => (subgroups ? unroll(text, ends) : text);
    return this.#pass(label, {
      ...parts,
      body: write(parts.body),
      directives: subgroups ? ["enable subgroups", "diagnostic(off, subgroup_uniformity)"] : [],
      constants: {
        THREADS: threads,
        LANES: lanes,
        GROUPS: groups,
        ITEMS: items,
        LOOK: sortPolicy.look,
        COUNTERS: counterWords(variant),
        SLAB: slabWords(variant, keyWords(type)),
        FLOAT: isFloat(type),
        ...parts.constants,
      },
      aliases: { Value: "u32" },
      snippets: [
        ...this.#key,
        combine_sum,
        ofScan(subgroups ? "lanes_subgroup" : "lanes_workgroup"),
        ...[
          wgsl("sort_tile"),
          subgroups ? wgsl("sort_rank_subgroup") : wgsl("sort_rank_workgroup"),
          wgsl("sort_stage"),
          ...(parts.snippets ?? []),
        ].map(write),
      ],
      uniforms: [...this.#flips(), ...parts.uniforms],
    });
  }

  #pass(label: string, parts: Omit<PassParts, "label">): Pass {
    return makePass({ ...parts, label: `sort.${label}` }, this.#limits);
  }

  #flips(): UniformField[] {
    const { low, high } = flips(this.#params);
    return [
      ["low", "u32", low],
      ["high", "u32", high],
    ];
  }

  #uniforms({ begin, count, tiles }: TiledRow): UniformField[] {
    return [
      ["begin", "u32", begin],
      ["count", "u32", count],
      ["tiles", "u32", tiles],
    ];
  }

  #digit(number: number, { word, shift, bits }: Digit): UniformField[] {
    return [
      ["number", "u32", number],
      ["word", "u32", word],
      ["shift", "u32", shift],
      ["mask", "u32", 2 ** bits - 1],
    ];
  }

  #digitArray(): UniformField {
    const packed = this.#digits.flatMap(({ word, shift, bits }) => [word, shift, 2 ** bits - 1, 0]);
    return ["digits", "vec4u", packed];
  }

  #keyBindings(): Binding[] {
    return [this.#keys("keys", "read"), this.#keys("sortedKeys"), this.#keys("scratchKeys")];
  }

  #keys(name: SortBinding, access: Binding["access"] = "read_write"): Binding {
    return { name, access, type: keyWords(this.#params.type) === 1 ? "array<u32>" : "array<vec2u>" };
  }

  #values(): Binding[] {
    const { values } = this.#params;
    if (values === "none") return [];
    const given = values === "given" ? [words("values", "read")] : [];
    return [...given, words("sortedValues"), words("scratchValues")];
  }
}

/** It is a row, and says how many tiles the row has. */
interface TiledRow {
  readonly begin: number;
  readonly count: number;
  readonly tiles: number;
}

/** Returns the snippet that says which values keys have. */
function valuesOf({ values }: SortParams): string {
  return wgsl(values === "indices" ? "sort_values_places" : `sort_values_${values}`);
}

const scratch: Binding = { name: "scratch", access: "read_write", type: "array<atomic<u32>>" };

function words(name: SortBinding, access: Binding["access"] = "read_write"): Binding {
  return { name, access, type: "array<u32>" };
}
