/**
 * `nearfield bench sort` times the sort of an array, from the host's memory and back. Of a GPU it shows the
 * stages of both variants: in blocks, as courses on parallel sorting teach it, and chained. On a CPU it times
 * arrays in plain and in shared memory. Beside them stands what the typed array's own sort takes, which the
 * results are compared with.
 */
import type { Command } from "commander";
import { Device, sort } from "../../node.ts";
import type { BackendInfo, Explanation, KeyArray, KeyType, Stage } from "../../node.ts";
import { assumeTraits } from "../../runtime/gpu/traits.ts";
import { count, plural } from "../format.ts";
import { deviceOptions } from "../options/shared.ts";
import { wholeNumber } from "../options/values.ts";
import { benchResult } from "./bench.ts";
import type { Bench, BenchOptions } from "./bench.ts";
import { checkFits, hostMemory } from "./memory.ts";
import { choiceOption } from "../options/parameter.ts";

const orders = ["random", "sorted", "reversed", "equal"] as const;
const arrays = {
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
} as const;

/** A GPU has these variants of kernels, a CPU these kinds of memory. */
const variantsOf = { gpu: ["blocks", "chained"], cpu: ["plain", "shared"] } as const;
type Variant = (typeof variantsOf)[BackendInfo["kind"]][number];

interface SortBenchOptions extends BenchOptions {
  readonly count: number;
  readonly type: KeyType;
  readonly order: (typeof orders)[number];
  readonly repeat: number;
  readonly seed: number;
}

/** One variant took so many milliseconds: in each stage of a GPU, in all else of the call, and together. */
export interface SortTimes {
  readonly variant: Variant;
  readonly stages: Readonly<Record<string, number>>;
  readonly total: number;
  readonly wrong: number;
}

export interface SortSummary {
  readonly command: "bench sort";
  readonly device: string;
  readonly backend: BackendInfo["kind"];
  readonly count: number;
  readonly type: KeyType;
  readonly order: string;
  readonly runs: number;
  readonly variants: readonly SortTimes[];
  /** The typed array's own sort took so many milliseconds. */
  readonly typedArray: number;
}

const help = `
Times are medians of the runs, of calls that take an array and give one. A GPU sorts in blocks (a histogram for each digit and
tile, a scan of them, a scatter) and chained (one count of all digits; each scatter finds its places as it goes); "merge" is
there where no buffer holds all keys, and "other" is the rest of the call, most of it copies to and from the GPU. On a CPU one
thread sorts plain memory, and all sort shared memory.
Every result is compared with that of the array's own sort.

Examples:
  nearfield bench sort
  nearfield bench sort --count 268435456 --backend gpu --json
  nearfield bench sort --type f64 --order sorted --backend cpu`;

export const sortBench: Bench<SortBenchOptions> = {
  name: "sort",
  says: "Times a radix sort by its stages.",
  help,
  options: (command: Command) =>
    command
      .option("--count <number>", "keys to sort", wholeNumber(1), 2 ** 24)
      .addOption(choiceOption("--type <name>", "type of the keys", Object.keys(arrays)).default("u32"))
      .addOption(choiceOption("--order <name>", "order of the keys", orders).default("random"))
      .option("--repeat <number>", "runs to take the median of", wholeNumber(1), 5)
      .option("--seed <number>", "of random keys", wholeNumber(0), 1),
  sizes: ({ count, type }) => `--count ${count} keys of --type ${type}`,
  async run(options, signal) {
    const { count, type, order, repeat, memory } = options;
    const bytes = count * arrays[type].BYTES_PER_ELEMENT;
    checkFits([{ what: `--count ${count} keys, five times`, bytes: 5 * bytes }], hostMemory(memory));
    const device = await Device.create({ ...deviceOptions(options), profile: true });
    try {
      const keys = keysOf(options);
      const began = performance.now();
      const expected = keys.slice().sort();
      const typedArray = performance.now() - began;
      const { name, kind } = device.info;
      const variants: SortTimes[] = [];
      for (const variant of variantsOf[kind]) {
        variants.push(await timed(device, keys, expected, variant, repeat, signal));
      }
      const summary: SortSummary = {
        command: "bench sort",
        device: name,
        backend: kind,
        ...{ count, type, order, runs: repeat, variants, typedArray },
      };
      return benchResult(
        summary,
        sortText,
        variants.some(({ wrong }) => wrong > 0),
      );
    } finally {
      device.dispose();
    }
  },
};

/** Sorts once to warm up, then `repeat` times. */
async function timed(
  device: Device,
  keys: KeyArray,
  expected: KeyArray,
  variant: Variant,
  repeat: number,
  signal: AbortSignal,
): Promise<SortTimes> {
  const runs: { readonly total: number; readonly stages: readonly Stage[] }[] = [];
  const [input, out] = variant === "shared" ? [sharedCopy(keys), sharedCopy(keys)] : [keys, keys.slice()];
  await assume(device, variant);
  let wrong = 0;
  for (let run = 0; run <= repeat; run++) {
    let told: Explanation | undefined;
    const began = performance.now();
    const onExplanation = (explanation: Explanation) => (told = explanation);
    await sort(input, { device, out, signal, onExplanation });
    const total = performance.now() - began;
    if (run > 0) runs.push({ total, stages: told?.stages ?? [] });
    wrong += differences(out, expected);
  }
  const { total, stages } = runs.sort((a, b) => a.total - b.total)[repeat >> 1];
  const names = variant === "chained" ? chainedStages : blockStages;
  const measured = Object.entries(stages.length === 0 ? {} : { ...names, ...mergeStage }).map(
    ([name, labels]) => [name, msOf(stages, labels)] as const,
  );
  const found = Object.fromEntries(measured.filter(([name, ms]) => ms > 0 || !(name in mergeStage)));
  const rest = total - Object.values(found).reduce((sum, ms) => sum + ms, 0);
  return { variant, stages: stages.length === 0 ? {} : { ...found, other: rest }, total, wrong };
}

/** Has a GPU sort by that variant, whatever its self-test says: a tile that waits too long gives up. */
async function assume({ backend }: Device, variant: Variant): Promise<void> {
  const traits = await backend.traits?.();
  if (traits === undefined) return;
  const forwardProgress = variant === "chained";
  await backend.onDevice?.(async (gpu) => assumeTraits(gpu, { ...traits, forwardProgress }));
}

function sharedCopy(keys: KeyArray): KeyArray {
  const bytes = new Uint8Array(new SharedArrayBuffer(keys.byteLength));
  bytes.set(new Uint8Array(keys.buffer));
  return new (keys.constructor as new (buffer: SharedArrayBuffer) => KeyArray)(bytes.buffer);
}

/** Each stage, by its name, runs these kernels. */
const blockStages = {
  histogram: ["clear", "count", "digits"],
  scan: ["begin", "tiles"],
  scatter: ["scatter", "few", "rows"],
};
const chainedStages = {
  count: ["clear", "count", "begin"],
  scatter: ["scatter", "recompute", "few", "rows"],
};

/** Keys that no buffer holds whole go through this stage, too. */
const mergeStage = { merge: ["cuts", "merge"] };

function msOf(stages: readonly Stage[], labels: readonly string[]): number {
  const own = stages.filter(({ name }) => labels.some((label) => name === `sort.${label}`));
  return own.reduce((sum, { seconds }) => sum + seconds * 1000, 0);
}

/** Returns how many words of two arrays differ. */
function differences(a: KeyArray, b: KeyArray): number {
  const [left, right] = [a, b].map((array) => new Uint32Array(array.buffer));
  let found = 0;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) found++;
  return found;
}

/** Makes keys; floats are all numbers between -0.5 and 0.5. */
function keysOf({ count, type, order, seed }: SortBenchOptions): KeyArray {
  const keys = new arrays[type](count);
  const isFloat = type.startsWith("f");
  const words = new Uint32Array(keys.buffer);
  let state = seed >>> 0;
  const draw = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  if (isFloat) for (let at = 0; at < count; at++) keys[at] = draw() / 2 ** 32 - 0.5;
  else for (let at = 0; at < words.length; at++) words[at] = draw();
  if (order === "equal") return (keys as Uint32Array).fill(keys[0] as number);
  if (order !== "random") keys.sort();
  if (order === "reversed") keys.reverse();
  return keys;
}

export function sortText(summary: SortSummary): string {
  const { device, backend, count: keys, type, order, runs, variants, typedArray } = summary;
  const perSecond = (ms: number) => `${(keys / ms / 1e3).toPrecision(3)} million keys/s`;
  const lines = variants.map(({ variant, stages, total }) => {
    const parts = Object.entries(stages).map(([name, ms]) => `${name} ${ms.toFixed(3)}`);
    return `${variant.padEnd(12)}${[...parts, `total ${total.toFixed(3)}`].join(", ")} ms; ${perSecond(total)}`;
  });
  const wrong = variants.reduce((sum, variant) => sum + variant.wrong, 0);
  return [
    `sorted      ${plural(keys, "key")} of type ${type}, ${order}`,
    `device      ${device} (${backend}), median of ${plural(runs, "run")}`,
    ...lines,
    `typed array total ${typedArray.toFixed(3)} ms; ${perSecond(typedArray)}`,
    `checked     ${wrong === 0 ? "all equal" : `${count(wrong)} words differ`}`,
    "",
  ].join("\n");
}
