/**
 * The steps that bring the rows of one side to a device, prepared by the host or, after they were uploaded as they are, by the
 * device itself; and what the device saw of rows that nobody had looked at. Who prepares is technique.ts' choice.
 */
import type { BufferSpec, RowSet, SegmentOutput, Step } from "../runtime/backend.ts";
import { rowCount } from "../runtime/backend.ts";
import { assert } from "../core/errors.ts";
import { froundUp } from "../core/math.ts";
import type { Preparation, Range } from "./rows/prepare.ts";
import { strideOf } from "./rows/prepare.ts";
import type { DistanceCore, KnnPrepareParams } from "../runtime/primitives.ts";
import type { KnnProblem } from "./problem.ts";
import type { Filter } from "./forms/technique.ts";

export type Side = "train" | "queries";

const LARGEST_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/** Buffers that a segment needs beside the rows and their metas. */
export function preparationBuffers(
  { cols }: KnnProblem,
  filter: Filter,
  sides: readonly Side[],
): BufferSpec[] {
  const prepared = sides.filter((side) => filter[side].on === "device");
  if (prepared.length === 0) return [];
  return [
    { name: "centre", bytes: strideOf(cols) * 4 },
    ...prepared.map((side) => ({ name: `${side}.look`, bytes: 4 })),
  ];
}

/** Bytes of them at most. */
export function preparationBytes({ cols }: KnnProblem, { train, queries }: Filter): number {
  return train.on === "device" || queries.on === "device" ? strideOf(cols) * 4 + 8 : 0;
}

/** What comes before the first rows of a segment. */
export function beginPreparation(filter: Filter, sides: readonly Side[]): Step[] {
  const prepared = sides.filter((side) => filter[side].on === "device");
  if (prepared.length === 0) return [];
  return [
    { kind: "upload", to: "centre", source: prepared[0], part: "centre", rows: { begin: 0, end: 1 } },
    ...prepared.map((side) => ({ kind: "clear", buffer: `${side}.look` }) as const),
  ];
}

/** Rows into the buffers of that name. */
export function uploadRows(
  problem: KnnProblem,
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
    limit: isPromised(problem[side]) ? problem[side].largest : LARGEST_FLOAT,
    baseFactor: BASE_FACTORS[how.base],
    productFactor: froundUp(bound.productFactor),
    marginFactor: froundUp(bound.marginFactor),
    marginConstant: froundUp(bound.marginConstant),
  };
  return [
    { kind: "upload", to, source: side, part: "raw", rows },
    {
      kind: "run",
      primitive: "knn.prepare",
      params,
      bindings: { rows: to, centre: "centre", metas, look: `${side}.look` },
      work: params.rows * stride,
    },
  ];
}

function preparedCore(core: DistanceCore): KnnPrepareParams["core"] {
  assert(core !== "lp", "a device prepares no rows for lp");
  return core;
}

/** The bases of forms that leave rows plain. */
const BASE_FACTORS: Readonly<Record<Preparation["base"], number>> = {
  squaredNorm: 1,
  minusSquaredNorm: -1,
  zero: 0,
  half: 0,
  own: 0,
};

/** Brings back what the device saw of rows that nobody looked at. */
export function endPreparation(problem: KnnProblem, filter: Filter, sides: readonly Side[]): Step[] {
  return sides
    .filter((side) => filter[side].on === "device" && isPromised(problem[side]))
    .map((side) => ({ kind: "download", from: `${side}.look`, bytes: 4 }) as const);
}

/** Whether rows were seen that are not what a sample promised. */
export function isViolated(problem: KnnProblem, { downloads }: Pick<SegmentOutput, "downloads">): boolean {
  return (["train", "queries"] as const).some((side) => {
    const look = downloads.get(`${side}.look`);
    return look !== undefined && !(new Float32Array(look)[0] <= problem[side].largest);
  });
}

function isPromised({ assumed = false }: Range): boolean {
  return assumed;
}
