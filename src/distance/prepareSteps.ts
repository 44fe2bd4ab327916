/**
 * These are the steps that bring the rows of one side to a device, prepared by the host or, after they were
 * uploaded as they are, by the device itself; and what the device saw of rows that nobody had looked at. Who
 * prepares is the choice of forms/preparers.ts.
 */
import type { Step } from "../runtime/backend.ts";
import type { BufferSpec } from "../runtime/source.ts";
import type { RowSet } from "../runtime/source.ts";
import { rowCount } from "../runtime/source.ts";
import { assert } from "../core/errors.ts";
import { froundUp } from "../core/math.ts";
import type { DistanceCore } from "./core.ts";
import type { PrepareParams } from "./contract/prepare.ts";
import type { PairProblem } from "./problem.ts";
import { type RowPreparation, strideOf } from "./rows/preparation.ts";
import type { Filter } from "./forms/filter.ts";
import { type Side, limitOf, seenBuffer } from "./assumed.ts";
import { run } from "../runtime/primitive.ts";
import { preparePrimitive } from "./primitives.ts";

/** Returns the buffers that a segment needs beside the rows and their metas. */
export function preparationBuffers(
  { cols }: PairProblem,
  filter: Filter,
  sides: readonly Side[],
): BufferSpec[] {
  const prepared = sides.filter((side) => filter[side].on === "device");
  if (prepared.length === 0) return [];
  return [
    { name: "centre", bytes: strideOf(cols) * 4 },
    ...prepared.map((side) => ({ name: seenBuffer(side), bytes: 4 })),
  ];
}

/** Returns an upper bound on the bytes that `preparationBuffers` allocates. */
export function preparationBytes({ cols }: PairProblem, { train, queries }: Filter): number {
  return train.on === "device" || queries.on === "device" ? strideOf(cols) * 4 + 8 : 0;
}

/** Returns the steps that come before the first rows of a segment. */
export function beginPreparation(filter: Filter, sides: readonly Side[]): Step[] {
  const prepared = sides.filter((side) => filter[side].on === "device");
  if (prepared.length === 0) return [];
  return [
    { kind: "upload", to: "centre", source: prepared[0], part: "centre", rows: { begin: 0, end: 1 } },
    ...prepared.map((side) => ({ kind: "clear", buffer: seenBuffer(side) }) as const),
  ];
}

/** Returns the steps that bring rows into the buffers of that name. */
export function uploadRows(
  problem: PairProblem,
  filter: Filter,
  side: Side,
  rows: RowSet,
  to: string,
  metas: string,
): Step[] {
  const how = filter[side];
  if (how.on === "host") {
    return [
      { kind: "upload", to, source: side, part: "values", rows },
      { kind: "upload", to: metas, source: side, part: "meta", rows },
    ];
  }
  const stride = strideOf(problem.cols);
  const { bound } = how;
  const params = {
    core: preparedCore(filter.core),
    rows: rowCount(rows),
    dims: problem.cols,
    stride,
    exponent: how.exponent,
    limit: limitOf(problem[side]),
    baseFactor: BASE_FACTORS[how.base],
    productFactor: froundUp(bound.productFactor),
    marginFactor: froundUp(bound.marginFactor),
    marginConstant: froundUp(bound.marginConstant),
  };
  return [
    { kind: "upload", to, source: side, part: "raw", rows },
    run(preparePrimitive, {
      params,
      bindings: { rows: to, centre: "centre", metas, seen: seenBuffer(side) },
      cost: params.rows * stride,
    }),
  ];
}

function preparedCore(core: DistanceCore): PrepareParams["core"] {
  assert(core !== "lp", "a device prepares no rows for lp");
  return core;
}

/** Forms that leave rows plain have these bases. */
const BASE_FACTORS: Readonly<Record<RowPreparation["base"], number>> = {
  squaredNorm: 1,
  minusSquaredNorm: -1,
  zero: 0,
  half: 0,
  own: 0,
};
