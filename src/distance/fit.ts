/**
 * What is found out about training rows before they are searched, and who looks at them: the host here, in pieces, or a GPU
 * later, which prepares the rows anyway. Not the look at queries, which every search does (knn.ts).
 */
import type { BackendInfo } from "../runtime/backend.ts";
import type { RowGroups } from "./rows/distinct.ts";
import { checkMatrix, shapeMatrix } from "../core/matrix.ts";
import type { Matrix, MatrixLike } from "../core/matrix.ts";
import { fitMetric, missingPolicyOf } from "./metric.ts";
import type { Fitted, Spreading } from "./metric.ts";
import { centreOf, findRange, isDispensable, assumedRange } from "./rows/prepare.ts";
import type { Range } from "./rows/prepare.ts";
import type { Yielding } from "../core/async/yielding.ts";
import { mayPrepareOnDevice, mayRefine, wantsCentre } from "./forms/technique.ts";
import { distinctOf, mayRepeatThemselves } from "../ops/knn/distinct.ts";
import type { KnnOptions } from "../ops/knn/knnIndex.ts";

export interface Fit {
  /** Its values may not have been looked at yet. */
  readonly train: Matrix;
  readonly fitted: Fitted;
  readonly centre: Float64Array | undefined;
  /** Promised while the device is to look at the values. */
  readonly range: Range;
  readonly distinct: { readonly groups: RowGroups; readonly fit: Fit } | undefined;
}

/** What a sample of some rows made likely of others of their type. */
export interface AssumedFit extends Pick<Fit, "fitted" | "centre" | "range"> {
  /** The constructor of their data. */
  readonly type: unknown;
}

/**
 * Looks at train as far as must be before it is searched.
 * @param like of rows that these are like: where a device looks at them anyway, no sample is taken
 */
export function* fit(
  info: BackendInfo,
  rows: MatrixLike,
  options: KnnOptions,
  spreading: Spreading | undefined,
  like?: AssumedFit,
): Yielding<Fit> {
  const shaped = yield* shapeMatrix(rows, "train");
  const looksLater = mayLookLater(info, shaped, options);
  if (looksLater && like && like.type === shaped.data.constructor) {
    const { fitted, centre, range } = like;
    return { train: shaped, fitted, centre, range, distinct: undefined };
  }
  const train = looksLater ? shaped : yield* trainOf(shaped, options);
  const fitted = yield* fitMetric(options, train, spreading);
  const centre = chooseCentre(info, train, fitted, options);
  const distinct = mayRepeat(options, fitted) ? yield* distinctOf(train) : undefined;
  const assumed = looksLater && !distinct ? assumedRange(train, centre) : undefined;
  const look = () => (looksLater ? checkedRange(train, centre, options) : findRange(train, centre));
  return {
    train,
    fitted,
    centre,
    range: assumed ?? (yield* look()),
    distinct: distinct && {
      groups: distinct.groups,
      fit: yield* fit(info, distinct.rows, options, spreading),
    },
  };
}

/** Whether a GPU may well take rows of float32 as they are, look at them itself, and evaluate the metric. */
export function mayStayAsTheyAre(
  info: BackendInfo,
  shape: Pick<Matrix, "rows" | "cols">,
  options: KnnOptions,
): boolean {
  return mayRefine(options) && mayLookLater(info, shape, options);
}

/** What a sample makes likely of rows that may; undefined where it says that they had better not. */
export function* likelyAsTheyAre(
  info: BackendInfo,
  sample: Matrix,
  options: KnnOptions,
): Yielding<Pick<Fit, "fitted" | "range"> | undefined> {
  const fitted = yield* fitMetric(options, sample);
  const range = assumedRange(sample, undefined);
  if (!range || mayRepeatThemselves(sample) || chooseCentre(info, sample, fitted, options)) return undefined;
  return { fitted, range };
}

/** Of precomputed distances only the number of rows counts: they become their own row numbers. */
function* trainOf(shaped: Matrix, options: KnnOptions): Yielding<Matrix> {
  const matrix = yield* checkMatrix(shaped, "train", missingPolicyOf(options));
  if (options.metric !== "precomputed") return matrix;
  return { data: Float64Array.from({ length: matrix.rows }, (_, row) => row), rows: matrix.rows, cols: 1 };
}

/** At rows that nobody has looked at. */
export function* checkedRange(
  train: Matrix,
  centre: Float64Array | undefined,
  options: KnnOptions,
): Yielding<Range> {
  yield* checkMatrix(train, "train", missingPolicyOf(options));
  return yield* findRange(train, centre);
}

/** None for a GPU that can do without: rows that lie there as they are can be refined there. */
function chooseCentre(
  { kind }: BackendInfo,
  train: Matrix,
  fitted: Fitted,
  options: KnnOptions,
): Float64Array | undefined {
  if (!wantsCentre(options, fitted, train)) return undefined;
  const centre = centreOf(train);
  const certified = options.precision !== "float32";
  return kind === "gpu" && certified && isDispensable(train, centre) ? undefined : centre;
}

/** Values from which on a look at all of them takes the host as long as a small search: some ten milliseconds. */
const LATER_LENGTH = 2 ** 23;

/** Whether the look at the values of train can be left to the device, which prepares the rows. */
function mayLookLater(
  { kind }: BackendInfo,
  { rows, cols, kinds, gaps }: Pick<Matrix, "rows" | "cols" | "kinds" | "gaps">,
  options: KnnOptions,
): boolean {
  if (kind !== "gpu" || rows * cols < (options.tiles?.assumeFrom ?? LATER_LENGTH)) return false;
  const missing = missingPolicyOf(options);
  const mayMiss = gaps === true || (missing !== undefined && missing !== "error");
  return !kinds && !mayMiss && options.metric !== "precomputed" && mayPrepareOnDevice(options, cols);
}

/** Whether rows that are alike have the same distances whatever the other rows are. */
function mayRepeat({ metric }: KnnOptions, { inverse }: Fitted): boolean {
  return metric !== "precomputed" && inverse === undefined;
}
