/**
 * This module asks once what must be known of a metric before rows are fitted to it: the form that the usual
 * rows get, whether rows are centred, and who looks at them, the host now or a device later. It is pure. The
 * choice of a filter is not here (forms/technique.ts): it needs to know how large values are.
 */
import type { BackendKind } from "../runtime/backend.ts";
import { mayAssume } from "./assumed.ts";
import type { Form } from "./forms/form.ts";
import { formOf } from "./forms/forms.ts";
import { mayRefine } from "./forms/preparers.ts";
import type { MetricOptions } from "./metric.ts";
import type { Precision } from "./problem.ts";
import type { RowShape } from "./rows/range.ts";

/** These options say how pairs of rows are compared, and what tests may overrule. */
export interface PairOptions extends MetricOptions {
  readonly precision?: Precision | undefined;
  readonly tiles?:
    { readonly assumeFrom?: number | undefined; readonly assumeQueriesFrom?: number | undefined } | undefined;
}

export interface FitPlan {
  /** The form of rows of numbers without gaps, or why there is none. */
  readonly form: Form | string;
  /** Rows are centred, which rows that are to be whitened need only where the data allow it. */
  readonly centres: boolean;
  /** Rows that lie near the origin stay where they are, so that a device can refine them there. */
  readonly mayStay: boolean;
  /** Values are checked late, while the range is found: of float32 rows around a centre by one look. */
  readonly late: boolean;
  /**
   * The look at all values is left to the device, which prepares the rows anyway: a sample says what to
   * assume until then.
   */
  readonly assumes: boolean;
  /** A device may evaluate the metric in float64 on rows that lie there as they are. */
  readonly refines: boolean;
}

/** Plans the fit. @param kind who will search */
export function fitPlan(kind: BackendKind, shape: RowShape, options: PairOptions): FitPlan {
  const form = formOf(options, { kinds: shape.kinds }, shape.cols, Infinity);
  const late = mayAssume(shape, form, options, options.tiles?.assumeFrom);
  return {
    form,
    centres: wantsCentre(form, shape, options),
    mayStay: kind === "gpu" && options.precision !== "float32",
    late,
    assumes: kind === "gpu" && late,
    refines: mayRefine(options),
  };
}

/**
 * Says whether rows are centred: wherever the metric allows it, but not float32 rows of a direct form, which
 * are exact as they are.
 */
function wantsCentre(form: Form | string, { float32 }: RowShape, { metric }: MetricOptions): boolean {
  if (metric === "rapidminer:MahalanobisDistance") return true;
  if (typeof form === "string" || !form.movable) return false;
  return form.form === "expanded" || form.train.kind !== "plain" || !float32;
}
