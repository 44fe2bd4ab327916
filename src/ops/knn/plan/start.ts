/**
 * This makes the plan that a search begins with: technique, layout, tree or sketches, and the capacity of the
 * first lists. This is pure. next.ts derives what follows from what was observed.
 */
import type { KnnProblem } from "./problem.ts";
import type { BackendInfo } from "../../../runtime/backend.ts";
import type { Filter, Technique } from "../../../distance/forms/filter.ts";
import { noJobs, type KnnPlan, type Trees } from "./knnPlan.ts";
import type { KnnTreeParams } from "../contract/tree.ts";
import { type MixedPlanning, chooseTechnique } from "../../../distance/forms/technique.ts";
import type { TileCaps } from "./tile.ts";
import { type ReferenceLayout, layoutReferences } from "../../../distance/layout.ts";
import { isSeeded } from "./seedSteps.ts";
import { knnKeepAllRows } from "../contract/filter.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";

const FIRST_SLACK = 64;
const FIRST_TREE_SLACK = 16;
/**
 * On a GPU a list that is full loses what is too far, and the host waits for all of its places, so that lists
 * are short.
 */
const FIRST_GPU_TREE_SLACK = 3;

/**
 * Makes the plan of a problem.
 * @param rate the rate that an earlier plan observed for the same device and like rows
 * @param mixing the mixing of rows with codes or gaps
 * @param trees what plans along trees; default there is none
 */
export function planKnn(
  problem: KnnProblem,
  device: BackendInfo,
  caps: TileCaps = {},
  rate?: number,
  mixing?: MixedPlanning,
  trees?: Trees,
): KnnPlan {
  const technique = chooseTechnique(problem, device.kind, mixing);
  const all = { begin: 0, end: problem.queryRows };
  const budget = Math.min(device.budgetBytes, caps.budget ?? Infinity);
  const layout = layoutOf(problem, technique, 0, device, budget, caps);
  const treeOf = (asked: KnnProblem) => trees?.treeFor(asked, technique, layout, device, budget, caps);
  const searched = treeOf(problem);
  const tree = searched ?? (caps.keepsTree ? treeOf({ ...problem, k: 1 }) : undefined);
  const capacity = technique.form === "none" ? undefined : firstCapacity(problem, technique, searched);
  return {
    problem,
    device,
    technique,
    sketch: undefined,
    tree,
    trees: tree && trees,
    keepsTree: tree !== searched,
    layout,
    caps,
    budget,
    rate: rate ?? device.initialRate,
    observed: rate !== undefined,
    todo: [{ rows: all, capacity, ...(tree !== searched && { whole: true }) }],
    stalls: 0,
    runLog: noJobs,
  };
}

/** Returns the layout of references. @param besideRow the bytes that each takes beside itself */
export function layoutOf(
  problem: KnnProblem,
  technique: Technique,
  besideRow: number,
  device: BackendInfo,
  budget: number,
  caps: TileCaps,
): ReferenceLayout | undefined {
  if (technique.form === "none") return undefined;
  return layoutReferences(problem.trainRows, strideOf(technique.dims), besideRow, device, budget, caps);
}

export function firstCapacity(problem: KnnProblem, technique: Filter, tree?: KnnTreeParams): number {
  const { k, trainRows, precision } = problem;
  const { points } = technique;
  if (problem.keepAll) return Math.min(trainRows, FIRST_SLACK + keptLength(problem));
  if (precision === "float32" || points) return k;
  // Seeds stay until k rows are nearer.
  const seeds = isSeeded({ problem, technique, tree }) ? k : 0;
  const slack = tree?.onGpu ? FIRST_GPU_TREE_SLACK : tree ? FIRST_TREE_SLACK : FIRST_SLACK;
  return seeds + Math.min(trainRows, k + Math.max(slack, Math.ceil(k / 2)));
}

/**
 * Returns how long keep-all lists are: twice what rows in random order leave on average; see
 * `KnnFilterParams.keepAll`.
 */
function keptLength({ k, trainRows }: KnnProblem): number {
  const first = knnKeepAllRows(k);
  return first + Math.ceil(2 * k * (1 + Math.log2(Math.max(1, trainRows / first))));
}
