/**
 * These are the variants of the distance tile for rows with codes or gaps and for powers of inner products,
 * beside the tile for plain rows (tile.ts, one folder up). They have a folder of their own, so that pages
 * which search rows of numbers without gaps by distances do not load it.
 */
import type { PairMixed } from "../../contract/mixed.ts";
import type { PairPower } from "../../contract/power.ts";
import type { UniformField } from "../../../runtime/gpu/passes/compose.ts";
import type { TileVariant } from "../tile.ts";
import * as wgsl from "./wgsl.generated.ts";

export function powerVariant({ shift, times }: PairPower): TileVariant {
  const uniforms: readonly UniformField[] = [
    ["shift", "f32", shift],
    ["times", "u32", times],
  ];
  return { metric: wgsl.distance_power, uniforms };
}

export function mixedVariant({
  codes,
  unit,
  gaps,
  mark,
  counts,
  quotient,
  columns = 0,
}: PairMixed): TileVariant {
  // The vectors of a row that hold codes.
  const vectors: UniformField = ["codes", "u32", codes / 4];
  const texts = { steps: wgsl.distance_steps_mixed, row: wgsl.distance_row_mixed };
  if (quotient) {
    return {
      ...texts,
      differences: wgsl.distance_quotient,
      constants: { GAPS: gaps },
      uniforms: [vectors, ["neither", "f32", quotient.neither]],
    };
  }
  return {
    ...texts,
    differences: wgsl.distance_mixed,
    constants: { GAPS: gaps, MARKED: mark > 0, RESCALED: columns > 0 },
    uniforms: [
      vectors,
      ["unit", "f32", unit],
      ["mark", "f32", mark],
      ["counts", "u32", Number(counts)],
      ["columns", "f32", columns],
    ],
  };
}
