/**
 * A GPU evaluates the candidates of some jobs in float64. This has the buffers and the steps of such jobs: at
 * the end, where all references stay on the device; chunk by chunk while they are there, where they come by
 * in chunks. distance/forms/technique.ts decides which rows it can evaluate. Otherwise the host does it
 * (ops/knn/refine.ts).
 */
import type { Step } from "../../../runtime/backend.ts";
import type { BufferSpec } from "../../../runtime/source.ts";
import { spans, type Span } from "../../../core/math.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import { refinePolicy } from "../../../distance/gpu/policy.ts";
import type { KnnPlan } from "./knnPlan.ts";
import { DISPATCH_SECONDS } from "../../../distance/layout.ts";
import { knnCarry } from "../primitives.ts";
import { refinePrimitive } from "../../../distance/primitives.ts";
import { run } from "../../../runtime/primitive.ts";

type RefinePlan = Pick<KnnPlan, "layout" | "problem" | "technique" | "budget">;

const KEY_BYTES = 8;
const ROW_BYTES = 4;
/**
 * The keys of a query take at most this share of the budget: a list that did not fit beside longer ones must
 * fit without them.
 */
const MOST_KEYS = 1 / 64;

/**
 * Returns the buffer with the keys of the candidates, for lists of that capacity; undefined where the host
 * evaluates them. Intervals are not needed any more once all references were visited; in between lists need
 * both. Keep-all lists are as long as all candidates together.
 */
export function keysBuffer(
  { layout, problem, technique, budget }: RefinePlan,
  capacity: number,
): "intervals" | "keys" | undefined {
  if (technique.form === "none" || !technique.refinable || !layout) return undefined;
  if (layout.resident) return "intervals";
  const tooLong = capacity * (KEY_BYTES + ROW_BYTES) > budget * MOST_KEYS;
  return problem.keepAll || tooLong ? undefined : "keys";
}

/** Returns how many bytes a query takes beside those of its list. */
export function keyBytes(plan: RefinePlan, capacity: number): number {
  return keysBuffer(plan, capacity) === "keys" ? capacity * (KEY_BYTES + ROW_BYTES) : 0;
}

export function keyBuffers(plan: RefinePlan, queryRows: number, capacity: number): BufferSpec[] {
  if (keysBuffer(plan, capacity) !== "keys") return [];
  const entries = queryRows * capacity;
  return [
    { name: "keys", bytes: entries * KEY_BYTES },
    { name: "keyed", bytes: entries * ROW_BYTES },
  ];
}

/**
 * Makes the steps that follow the filter of references that are in a buffer. The references are a chunk that
 * leaves the device, or all at the end.
 */
export function refineSteps(
  plan: KnnPlan,
  queryRows: number,
  capacity: number,
  chunk: Span,
  slot: number,
): Step[] {
  const keys = keysBuffer(plan, capacity);
  if (keys === undefined) return [];
  const lists = { heads: "heads", candidates: "candidates", keys };
  const carry: Step = run(knnCarry, {
    params: { capacity, queryRows, refOffset: chunk.begin },
    bindings: { ...lists, keyed: "keyed" },
    cost: queryRows * capacity,
  });
  const stride = strideOf(plan.problem.cols);
  const each = capacity * stride * refinePolicy.cost;
  // No dispatch takes longer than one of a filter.
  const most = Math.max(1, Math.floor((plan.rate * DISPATCH_SECONDS) / each));
  const [refOffset, refRows] = [chunk.begin, chunk.end - chunk.begin];
  const rows = { capacity, dims: plan.problem.cols, stride, refOffset, refRows };
  const refine = spans(queryRows, most).map(({ begin, end }): Step =>
    run(refinePrimitive, {
      params: { ...rows, queryBegin: begin, queryRows: end - begin },
      bindings: { ...lists, queries: "queries", refs: `refs.${slot}` },
      cost: (end - begin) * each,
    }),
  );
  return keys === "keys" ? [carry, ...refine] : refine;
}
