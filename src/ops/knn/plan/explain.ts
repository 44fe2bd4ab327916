/**
 * This explains how a search was done, from the executed plan and what was measured around it: as data, and
 * as text.
 */
import type { KnnPlan } from "./knnPlan.ts";
import { addExplanations, explanationLines, grouped } from "../../../runtime/explain.ts";
import type { Explanation, Fact, Stage } from "../../../runtime/explain.ts";
import { larger } from "./tile.ts";

/** The plan does not know these facts. */
export interface SearchFacts {
  readonly refinedPairs: number;
  readonly peakDeviceBytes: number;
  readonly ms: number;
  /** "auto" fell back to the CPU, since there is no GPU for this reason. */
  readonly note: string | undefined;
  readonly stages: readonly Stage[] | undefined;
}

/**
 * It tells how a search was carried out.
 * @example
 * const { explanation } = await kneighbors([[0], [5]], [[4]], { k: 1, backend: "cpu" });
 * const { backend, refinedPairs }: KnnExplanation = explanation;
 * backend; // => "cpu"
 * refinedPairs <= 2; // => true
 */
export interface KnnExplanation extends Explanation {
  readonly operator: "knn";
  readonly references: string;
  /**
   * It is the largest tile of distances. A GPU stores the minima of each `group` references instead of all
   * values; 0 if it stores all values, and on the CPU.
   */
  readonly largestTile:
    { readonly queries: number; readonly references: number; readonly group: number } | undefined;
  /** This many pairs had their float32 interval computed. */
  readonly pairs: number;
  /** This many pairs were evaluated in float64. */
  readonly refinedPairs: number;
  /** This many queries were searched again, once or more, because their candidates did not fit at first. */
  readonly repeatedQueries: number;
  /** This many queries were evaluated wholly in float64. */
  readonly exhaustiveQueries: number;
  /**
   * With `compat`, this many queries had RapidMiner's heap replayed by the GPU and by the host; else
   * undefined.
   */
  readonly heaps: { readonly gpu: number; readonly host: number } | undefined;
}

export function explainKnn(
  plan: KnnPlan,
  { refinedPairs, peakDeviceBytes, ms, note, stages }: SearchFacts,
): KnnExplanation {
  const { technique, device, runLog, problem } = plan;
  return {
    operator: "knn",
    backend: device.kind,
    device: device.name,
    note,
    technique: techniqueName(plan),
    why: technique.why,
    references: referencesText(plan),
    largestTile: runLog.largestTile,
    jobs: runLog.jobs,
    dispatches: runLog.dispatches,
    pairs: runLog.pairs,
    refinedPairs,
    repeatedQueries: runLog.repeated,
    exhaustiveQueries: runLog.exhaustive,
    heaps: problem.keepAll ? { gpu: runLog.replayed, host: problem.queryRows - runLog.replayed } : undefined,
    timesMemoryHalved: runLog.halved,
    timesDeviceLost: runLog.lost,
    peakDeviceBytes,
    seconds: ms / 1000,
    stages,
  };
}

/** Adds up what consecutive searches of the same rows did; of what was chosen, the last choice stays. */
export function explainAll(all: readonly KnnExplanation[]): KnnExplanation {
  return all.reduce((before, now) => ({
    ...now,
    ...addExplanations(before, now),
    operator: "knn",
    largestTile: larger(before.largestTile, now.largestTile),
    pairs: before.pairs + now.pairs,
    refinedPairs: before.refinedPairs + now.refinedPairs,
    repeatedQueries: before.repeatedQueries + now.repeatedQueries,
    exhaustiveQueries: before.exhaustiveQueries + now.exhaustiveQueries,
    heaps: addHeaps(before.heaps, now.heaps),
  }));
}

type Heaps = KnnExplanation["heaps"];

function addHeaps(before: Heaps, now: Heaps): Heaps {
  return before && now ? { gpu: before.gpu + now.gpu, host: before.host + now.host } : (before ?? now);
}

/** Returns the facts of a search, one a line. */
export function knnExplanationText(e: KnnExplanation): string {
  const chosen: Fact[] = [["references", e.references]];
  if (e.largestTile) {
    const { queries, references, group } = e.largestTile;
    const groups = group > 0 ? `, in groups of ${group}` : "";
    chosen.push(["largest tile", `${grouped(queries)} queries x ${grouped(references)} references${groups}`]);
  }
  const done: Fact[] = [
    ["distances", `${grouped(e.pairs)} in float32, ${grouped(e.refinedPairs)} in float64`],
  ];
  if (e.repeatedQueries > 0)
    done.push(["repeated", `${grouped(e.repeatedQueries)} queries with too many candidates`]);
  if (e.exhaustiveQueries > 0) done.push(["wholly in float64", `${grouped(e.exhaustiveQueries)} queries`]);
  if (e.heaps)
    done.push(["heaps", `${grouped(e.heaps.gpu)} replayed by the GPU, ${grouped(e.heaps.host)} by the host`]);
  return explanationLines(e, chosen, done);
}

function techniqueName({ technique, problem, stage, tree, trees, keepsTree }: KnnPlan): string {
  if (technique.form === "none") return "float64 throughout";
  const grown = tree && !keepsTree ? `, along a tree of ${trees?.leavesOf(tree)} leaves` : "";
  const form = `${technique.form} form in float32${stage?.says ?? ""}${grown}`;
  const kept = problem.keepAll ? ", with all rows that may enter a heap" : "";
  return problem.precision === "float32" ? `${form}, as it is` : `${form}, certified in float64${kept}`;
}

function referencesText({ layout, problem }: KnnPlan): string {
  const rows = `${grouped(problem.trainRows)} rows`;
  if (!layout) return `${rows} in host memory`;
  const chunks = layout.chunks === 1 ? "one buffer" : `${layout.chunks} buffers`;
  return layout.resident
    ? `${rows} resident in ${chunks}`
    : `${rows} streamed in ${layout.chunks} chunks of ${grouped(layout.chunkRows)}`;
}
