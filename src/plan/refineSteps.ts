/**
 * The buffers and the steps of a job whose candidates a GPU evaluates in float64: once, at the end, where all references stay on the
 * device; where they come by in chunks, those of each chunk while it is there. Whose rows it can evaluate: technique.ts. Elsewhere
 * the host does it (engine/refine.ts).
 */
import { rowCount, type BufferSpec, type RowSet, type Step } from "../core/backend.ts";
import { strideOf } from "../core/prepare.ts";
import { knnRefinePolicy } from "../kernels/policy.ts";
import type { KnnPlan } from "./knn.ts";
import { DISPATCH_SECONDS } from "./tile.ts";

type Planned = Pick<KnnPlan, "layout" | "problem" | "technique" | "budget">;

const KEY_BYTES = 8;
const ROW_BYTES = 4;
/** Of the budget, for the keys of a query: what did not fit beside longer ones must fit without them. */
const MOST_KEYS = 1 / 64;

/**
 * The buffer with the keys of the candidates, of lists of that capacity; undefined where the host evaluates them. Intervals have
 * done their work once all references were visited; in between lists need both. Histories are as long as all candidates together.
 */
export function keysBuffer(
  { layout, problem, technique, budget }: Planned,
  capacity: number,
): "intervals" | "keys" | undefined {
  if (technique.form === "none" || !technique.refinable || !layout) return undefined;
  if (layout.resident) return "intervals";
  const tooLong = capacity * (KEY_BYTES + ROW_BYTES) > budget * MOST_KEYS;
  return problem.history || tooLong ? undefined : "keys";
}

/** Bytes of a query beside those of its list. */
export function keyBytes(plan: Planned, capacity: number): number {
  return keysBuffer(plan, capacity) === "keys" ? capacity * (KEY_BYTES + ROW_BYTES) : 0;
}

export function keyBuffers(plan: Planned, queryRows: number, capacity: number): BufferSpec[] {
  if (keysBuffer(plan, capacity) !== "keys") return [];
  const entries = queryRows * capacity;
  return [
    { name: "keys", bytes: entries * KEY_BYTES },
    { name: "keyed", bytes: entries * ROW_BYTES },
  ];
}

/** What follows the filter of a chunk that leaves the device. */
export function carrySteps(
  plan: KnnPlan,
  queryRows: number,
  capacity: number,
  chunk: { readonly begin: number; readonly end: number },
  slot: number,
): Step[] {
  if (keysBuffer(plan, capacity) !== "keys") return [];
  const lists = { heads: "heads", candidates: "candidates", keys: "keys" };
  return [
    {
      kind: "run",
      primitive: "knn.carry",
      params: { capacity, queryRows, refOffset: chunk.begin },
      bindings: { ...lists, keyed: "keyed" },
      work: queryRows * capacity,
    },
    ...refineSteps(plan, queryRows, capacity, chunk, slot),
  ];
}

/** The keys of the candidates among the references of a buffer; no dispatch takes longer than one of a filter. */
export function refineSteps(
  plan: KnnPlan,
  queryRows: number,
  capacity: number,
  chunk: { readonly begin: number; readonly end: number },
  slot: number,
): Step[] {
  const keys = keysBuffer(plan, capacity);
  if (keys === undefined) return [];
  const { problem, rate } = plan;
  const stride = strideOf(problem.cols);
  const each = capacity * stride * knnRefinePolicy.cost;
  const most = Math.max(1, Math.floor((rate * DISPATCH_SECONDS) / each));
  return cutInto(queryRows, most).map((rows): Step => {
    const [queryBegin, queries] = [rows.begin, rowCount(rows)];
    return {
      kind: "run",
      primitive: "knn.refine",
      params: {
        capacity,
        dims: problem.cols,
        stride,
        queryBegin,
        queryRows: queries,
        refOffset: chunk.begin,
        refRows: rowCount(chunk),
      },
      bindings: { queries: "queries", heads: "heads", candidates: "candidates", keys, refs: `refs.${slot}` },
      work: queries * each,
    };
  });
}

function cutInto(count: number, most: number): (RowSet & { readonly begin: number })[] {
  return Array.from({ length: Math.ceil(count / most) }, (_, at) => ({
    begin: at * most,
    end: Math.min(count, (at + 1) * most),
  }));
}
