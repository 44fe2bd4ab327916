/**
 * This module says how a call was done, as far as that is the same for every operator. Each operator adds
 * what only it can say.
 */

/**
 * One kernel took this much time on the GPU, in all of its dispatches together.
 * @example
 * const device = await Device.create({ backend: "gpu", profile: true });
 * const { explanation } = await kneighbors([[0], [5]], [[4]], { k: 1, device });
 * const stages: readonly Stage[] = explanation.stages ?? []; // none where nothing can be measured
 * stages.every(({ name, dispatches }) => name !== "" && dispatches > 0); // => true
 * device.dispose();
 */
export interface Stage {
  /** It is the kernel's label, such as "knn.minima". */
  readonly name: string;
  readonly dispatches: number;
  readonly seconds: number;
}

/**
 * An explanation tells how a call was carried out. Every operator reports these facts; some add their own, as
 * k-NN does in KnnExplanation.
 * @example
 * let told: Explanation | undefined;
 * await scan(Uint32Array.of(3, 1, 2), { backend: "cpu", onExplanation: (explanation) => (told = explanation) });
 * told?.operator; // => "scan"
 * told?.backend; // => "cpu"
 */
export interface Explanation {
  /** It names the operator, such as "scan". */
  readonly operator: string;
  readonly backend: "gpu" | "cpu";
  readonly device: string;
  /** The reason why there is no GPU, if "auto" fell back to the CPU. */
  readonly note: string | undefined;
  readonly technique: string;
  readonly why: string;
  /** The work was done in this many parts, one after the other. */
  readonly jobs: number;
  /** It counts dispatches of shaders, or tasks of CPU workers. */
  readonly dispatches: number;
  readonly timesMemoryHalved: number;
  readonly timesDeviceLost: number;
  /** At most this many bytes of device memory were held at one time since the device was opened. */
  readonly peakDeviceBytes: number;
  readonly seconds: number;
  /**
   * Each kernel took this time, including that of calls running at the same time; undefined without the
   * device's option `profile`, or if the device cannot measure it.
   */
  readonly stages: readonly Stage[] | undefined;
}

/** A fact of an explanation for people says what it is about, and what is so. */
export type Fact = readonly [name: string, text: string];

/**
 * Returns the facts that every explanation has, one a line.
 * @param chosen facts that follow the technique
 * @param done facts that follow the jobs
 */
export function explanationLines(
  e: Explanation,
  chosen: readonly Fact[] = [],
  done: readonly Fact[] = [],
): string {
  const facts: Fact[] = [
    ["device", `${e.device} (${e.backend})${e.note ? `; ${e.note}` : ""}`],
    ["technique", `${e.technique}, because ${e.why}`],
    ...chosen,
    ["jobs", `${grouped(e.jobs)}, in ${grouped(e.dispatches)} dispatches`],
    ...done,
  ];
  if (e.timesMemoryHalved > 0) facts.push(["memory halved", `${e.timesMemoryHalved} times`]);
  if (e.timesDeviceLost > 0) facts.push(["device lost", `${e.timesDeviceLost} times, opened again`]);
  facts.push(["memory", `${grouped(Math.ceil(e.peakDeviceBytes / 2 ** 20))} MiB at most`]);
  facts.push(["time", `${e.seconds.toFixed(3)} s`]);
  for (const { name, dispatches, seconds } of e.stages ?? []) {
    facts.push([name, `${(seconds * 1000).toFixed(3)} ms in ${grouped(dispatches)} dispatches`]);
  }
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, text]) => `${name.padEnd(width)}  ${text}`).join("\n");
}

/**
 * Formats a count for people, its digits in groups of three. An engine's own formats do the same, but take it
 * 17 ms to load.
 */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Adds up explanations of runs on the same device, one after the other; what was chosen is the last one's
 * choice.
 */
export function addExplanations(before: Explanation, now: Explanation): Explanation {
  return {
    ...now,
    jobs: before.jobs + now.jobs,
    dispatches: before.dispatches + now.dispatches,
    timesMemoryHalved: before.timesMemoryHalved + now.timesMemoryHalved,
    timesDeviceLost: before.timesDeviceLost + now.timesDeviceLost,
    peakDeviceBytes: Math.max(before.peakDeviceBytes, now.peakDeviceBytes),
    seconds: before.seconds + now.seconds,
    stages: addStages(before.stages, now.stages),
  };
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
