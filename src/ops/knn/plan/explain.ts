/** How a search was done, made from the executed plan and what was measured around it: as data, and as text. */
import type { KnnPlan } from "./knn.ts";
import { larger } from "./tile.ts";

/** What the plan does not know. */
export interface Measured {
  readonly refinedPairs: number;
  readonly peakDeviceBytes: number;
  readonly ms: number;
  /** Why there is no GPU, when "auto" fell to the CPU. */
  readonly note: string | undefined;
  readonly stages: readonly Stage[] | undefined;
}

/**
 * What one kernel took on the GPU.
 * @example
 * const device = await Device.create({ backend: "gpu", profile: true });
 * const { explanation } = await kneighbors([[0], [5]], [[4]], { k: 1, device });
 * const stages: readonly Stage[] = explanation.stages ?? []; // none where nothing can be measured
 * stages.every(({ name, dispatches }) => name.startsWith("knn.") && dispatches > 0); // => true
 * device.dispose();
 */
export interface Stage {
  /** Such as "knn.minima". */
  readonly name: string;
  readonly dispatches: number;
  readonly seconds: number;
}

/**
 * How a search was done.
 * @example
 * const { explanation } = await kneighbors([[0], [5]], [[4]], { k: 1, backend: "cpu" });
 * const { backend, refinedPairs }: Explanation = explanation;
 * backend; // => "cpu"
 * refinedPairs <= 2; // => true
 */
export interface Explanation {
  readonly backend: "gpu" | "cpu";
  readonly device: string;
  /** Why there is no GPU, when "auto" fell to the CPU. */
  readonly note: string | undefined;
  readonly technique: string;
  readonly why: string;
  readonly references: string;
  /** `group` references have their minima stored instead of their values; 0 where values are, and on the CPU. */
  readonly largestTile:
    { readonly queries: number; readonly references: number; readonly group: number } | undefined;
  readonly jobs: number;
  readonly dispatches: number;
  /** Pairs whose float32 interval was computed. */
  readonly pairs: number;
  /** Pairs evaluated in float64. */
  readonly refinedPairs: number;
  /** Queries whose candidates did not fit at first, so that they were searched again, once or more often. */
  readonly repeatedQueries: number;
  /** Queries evaluated wholly in float64. */
  readonly exhaustiveQueries: number;
  /** Queries whose heap was replayed, by the GPU and by the host; undefined without `compat`. */
  readonly heaps: { readonly gpu: number; readonly host: number } | undefined;
  readonly timesMemoryHalved: number;
  readonly timesDeviceLost: number;
  /** Most bytes of device memory held at one time since the device was opened. */
  readonly peakDeviceBytes: number;
  readonly seconds: number;
  /**
   * By kernel, those of searches at the same time included; undefined without the device's option `profile`, and where nothing
   * can be measured.
   */
  readonly stages: readonly Stage[] | undefined;
}

export function explainKnn(
  plan: KnnPlan,
  { refinedPairs, peakDeviceBytes, ms, note, stages }: Measured,
): Explanation {
  const { technique, device, history, problem } = plan;
  return {
    backend: device.kind,
    device: device.name,
    note,
    technique: techniqueName(plan),
    why: technique.why,
    references: referencesText(plan),
    largestTile: history.largestTile,
    jobs: history.jobs,
    dispatches: history.dispatches,
    pairs: history.pairs,
    refinedPairs,
    repeatedQueries: history.repeated,
    exhaustiveQueries: history.exhaustive,
    heaps: problem.history
      ? { gpu: history.replayed, host: problem.queryRows - history.replayed }
      : undefined,
    timesMemoryHalved: history.halved,
    timesDeviceLost: history.lost,
    peakDeviceBytes,
    seconds: ms / 1000,
    stages,
  };
}

/** Of searches of the same rows, one after the other: what they did adds up, what was chosen is the last one's choice. */
export function explainAll(all: readonly Explanation[]): Explanation {
  return all.reduce((before, now) => ({
    ...now,
    largestTile: larger(before.largestTile, now.largestTile),
    jobs: before.jobs + now.jobs,
    dispatches: before.dispatches + now.dispatches,
    pairs: before.pairs + now.pairs,
    refinedPairs: before.refinedPairs + now.refinedPairs,
    repeatedQueries: before.repeatedQueries + now.repeatedQueries,
    exhaustiveQueries: before.exhaustiveQueries + now.exhaustiveQueries,
    heaps: addHeaps(before.heaps, now.heaps),
    timesMemoryHalved: before.timesMemoryHalved + now.timesMemoryHalved,
    timesDeviceLost: before.timesDeviceLost + now.timesDeviceLost,
    peakDeviceBytes: Math.max(before.peakDeviceBytes, now.peakDeviceBytes),
    seconds: before.seconds + now.seconds,
    stages: addStages(before.stages, now.stages),
  }));
}

function addHeaps(before: Explanation["heaps"], now: Explanation["heaps"]): Explanation["heaps"] {
  return before && now ? { gpu: before.gpu + now.gpu, host: before.host + now.host } : (before ?? now);
}

function addStages(
  before: readonly Stage[] | undefined,
  now: readonly Stage[] | undefined,
): readonly Stage[] | undefined {
  if (!before || !now) return before ?? now;
  const names = [...new Set([...before, ...now].map(({ name }) => name))];
  return names.map((name) => {
    const same = [...before, ...now].filter((stage) => stage.name === name);
    return {
      name,
      dispatches: same.reduce((sum, { dispatches }) => sum + dispatches, 0),
      seconds: same.reduce((sum, { seconds }) => sum + seconds, 0),
    };
  });
}

/**
 * An explanation for people, one fact per line.
 * @example
 * const { explanation } = await kneighbors([[0], [5]], [[4]], { k: 1, backend: "cpu", threads: 1 });
 * explanationText(explanation).split("\n")[0].startsWith("device"); // => true
 */
export function explanationText(e: Explanation): string {
  const count = (value: number) => value.toLocaleString("en-US");
  const lines: [string, string][] = [
    ["device", `${e.device} (${e.backend})${e.note ? `; ${e.note}` : ""}`],
    ["technique", `${e.technique}, because ${e.why}`],
    ["references", e.references],
  ];
  if (e.largestTile) {
    const { queries, references, group } = e.largestTile;
    const way = group > 0 ? `, in groups of ${group}` : "";
    lines.push(["largest tile", `${count(queries)} queries x ${count(references)} references${way}`]);
  }
  lines.push(
    ["jobs", `${count(e.jobs)}, in ${count(e.dispatches)} dispatches`],
    ["distances", `${count(e.pairs)} in float32, ${count(e.refinedPairs)} in float64`],
  );
  if (e.repeatedQueries > 0)
    lines.push(["repeated", `${count(e.repeatedQueries)} queries with too many candidates`]);
  if (e.exhaustiveQueries > 0) lines.push(["wholly in float64", `${count(e.exhaustiveQueries)} queries`]);
  if (e.heaps)
    lines.push(["heaps", `${count(e.heaps.gpu)} replayed by the GPU, ${count(e.heaps.host)} by the host`]);
  if (e.timesMemoryHalved > 0) lines.push(["memory halved", `${e.timesMemoryHalved} times`]);
  if (e.timesDeviceLost > 0) lines.push(["device lost", `${e.timesDeviceLost} times, opened again`]);
  lines.push(["memory", `${count(Math.ceil(e.peakDeviceBytes / 2 ** 20))} MiB at most`]);
  lines.push(["time", `${e.seconds.toFixed(3)} s`]);
  for (const { name, dispatches, seconds } of e.stages ?? []) {
    lines.push([name, `${(seconds * 1000).toFixed(3)} ms in ${count(dispatches)} dispatches`]);
  }
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}  ${text}`).join("\n");
}

function techniqueName({ technique, problem, sketch, tree }: KnnPlan): string {
  if (technique.form === "none") return "float64 throughout";
  const sketched = sketch ? `, after sketches along ${sketch.axes} axes` : "";
  const grown = tree ? `, along a tree of ${2 ** tree.levels} leaves` : "";
  const form = `${technique.form} form in float32${sketched}${grown}`;
  const history = problem.history ? ", with all rows that may enter a heap" : "";
  return problem.precision === "float32" ? `${form}, as it is` : `${form}, certified in float64${history}`;
}

function referencesText({ layout, problem }: KnnPlan): string {
  const rows = `${problem.trainRows.toLocaleString("en-US")} rows`;
  if (!layout) return `${rows} in host memory`;
  const chunks = layout.chunks === 1 ? "one buffer" : `${layout.chunks} buffers`;
  return layout.resident
    ? `${rows} resident in ${chunks}`
    : `${rows} streamed in ${layout.chunks} chunks of ${layout.chunkRows.toLocaleString("en-US")}`;
}
