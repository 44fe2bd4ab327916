/**
 * This module fits training rows to a metric before they are searched. It finds what the metric must know of
 * them, their centre and range, and which of them repeat. The host looks at all values, in pieces, or assumes
 * of them what a sample says where a device will check it. It does not look at queries: every search does
 * (fittedRows.ts).
 */
import type { BackendInfo } from "../runtime/backend.ts";
import { checkMatrix, shapeMatrix } from "../core/matrix.ts";
import type { Matrix, MatrixLike } from "../core/matrix.ts";
import type { Yielding } from "../core/async/yielding.ts";
import { assumedRange } from "./assumed.ts";
import { fitPlan, type FitPlan, type PairOptions } from "./fitPlan.ts";
import { fitMetric, missingPolicyOf } from "./metric.ts";
import type { Fitted, RareMeasures } from "./metric.ts";
import { centreOf, isDispensable } from "./rows/centre.ts";
import { distinctOf, mayRepeatThemselves, type RowGroups } from "./rows/distinct.ts";
import { findRange, rangeOf, type Range } from "./rows/range.ts";

export interface Fit {
  /** These training rows may have values that were not looked at yet. */
  readonly train: Matrix;
  readonly fitted: Fitted;
  readonly centre: Float64Array | undefined;
  /** It is the range, which is assumed while the device is to look at the values. */
  readonly range: Range;
  readonly distinct: { readonly groups: RowGroups; readonly fit: Fit } | undefined;
}

/** A sample of some rows gives these facts about others of their type. */
export interface AssumedFit extends Pick<Fit, "fitted" | "centre" | "range"> {
  /** Their data have this constructor. */
  readonly type: unknown;
}

/** This is how rows are looked at, where that is not as usual. */
export interface Looks {
  /** Rows that these are like: where a device looks at them anyway, no sample is taken. */
  readonly like?: AssumedFit | undefined;
  /** Finds the range of some rows; default `rangeOf`. */
  readonly of?: typeof rangeOf;
}

/** Looks at train as far as must be before it is searched. */
export function* fit(
  info: BackendInfo,
  rows: MatrixLike,
  options: PairOptions,
  rare: RareMeasures | undefined,
  { like, of = rangeOf }: Looks = {},
): Yielding<Fit> {
  const shaped = yield* shapeMatrix(rows, "train");
  const plan = fitPlan(info.kind, { ...shaped, float32: shaped.data instanceof Float32Array }, options);
  if (plan.assumes && like && like.type === shaped.data.constructor) {
    const { fitted, centre, range } = like;
    return { train: shaped, fitted, centre, range, distinct: undefined };
  }
  const train = plan.late ? shaped : yield* trainOf(shaped, options);
  const fitted = yield* fitMetric(options, train, rare);
  const centre = chooseCentre(plan, train, fitted);
  const distinct = mayRepeat(options, fitted) ? yield* distinctOf(train) : undefined;
  const assumed = plan.assumes && !distinct ? assumedRange(train, centre) : undefined;
  const look = () => (plan.late ? checkedRange(train, centre, options, of) : findRange(train, centre, of));
  return {
    train,
    fitted,
    centre,
    range: assumed ?? (yield* look()),
    distinct: distinct && {
      groups: distinct.groups,
      fit: yield* fit(info, distinct.rows, options, rare, { of }),
    },
  };
}

/**
 * Takes from a sample what to assume of rows that may stay as they are; undefined where it says that they had
 * better not.
 */
export function* fitAsTheyAre(
  plan: FitPlan,
  sample: Matrix,
  options: PairOptions,
): Yielding<Pick<Fit, "fitted" | "range"> | undefined> {
  const fitted = yield* fitMetric(options, sample);
  const range = assumedRange(sample, undefined);
  if (!range || mayRepeatThemselves(sample) || chooseCentre(plan, sample, fitted)) return undefined;
  return { fitted, range };
}

/**
 * Returns the rows of train. With precomputed distances, of which only the number of rows is needed, rows
 * become their own row numbers.
 */
function* trainOf(shaped: Matrix, options: PairOptions): Yielding<Matrix> {
  const matrix = yield* checkMatrix(shaped, "train", missingPolicyOf(options));
  if (options.metric !== "precomputed") return matrix;
  return { data: Float64Array.from({ length: matrix.rows }, (_, row) => row), rows: matrix.rows, cols: 1 };
}

/**
 * Returns the range of rows without gaps that nobody has looked at, and checks them on the way.
 * @param of finds the range of some of them
 */
export function* checkedRange(
  rows: Matrix,
  centre: Float64Array | undefined,
  options: PairOptions,
  of: typeof rangeOf,
  name = "train",
): Yielding<Range> {
  const range = yield* findRange(rows, centre, of);
  if (!range.finite) yield* checkMatrix(rows, name, missingPolicyOf(options));
  return range;
}

/** Chooses the centre that rows are moved by; undefined where they stay where they are. */
export function chooseCentre(plan: FitPlan, train: Matrix, fitted: Fitted): Float64Array | undefined {
  const { inverse, whitening } = fitted;
  if (!plan.centres || (inverse && !whitening)) return undefined;
  const centre = centreOf(train);
  return plan.mayStay && isDispensable(train, centre) ? undefined : centre;
}

/** Tells whether rows that are alike have the same distances whatever the other rows are. */
function mayRepeat({ metric }: PairOptions, { inverse }: Fitted): boolean {
  return metric !== "precomputed" && inverse === undefined;
}
