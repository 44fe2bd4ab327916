/**
 * `nearfield cloud generate` writes two clouds of uniform points and the nearest neighbour of each point, as
 * four files that other programs can be checked with.
 */
import { Command } from "commander";
import { generateParameters } from "../../graph/parameters/clouds.ts";
import { Device, PointCloud, type KnnExplanation } from "../../node.ts";
import { plural } from "../format.ts";
import { checkFits, hostMemory } from "../bench/memory.ts";
import { addDeviceOptions, checkBackend, deviceOptions, type SearchRunFlags } from "../options/shared.ts";
import { optionOf, optionWithDefault } from "../options/parameter.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showQueries } from "../progress.ts";
import { report, Stopwatch } from "../report.ts";
import { runLines, type Seconds } from "../summary.ts";
import { UniformNumbers } from "./uniform.ts";

interface GenerateOptions extends Omit<SearchRunFlags, "out" | "format"> {
  readonly rows: number;
  readonly queries?: number;
  readonly seed: number;
  readonly decimals: number;
  readonly truth: string;
}

const COLS = 3;
/** The bytes of a point and of its neighbour, and those of its lines of text at a time are few. */
const POINT_BYTES = 8 * COLS;
const FOUND_BYTES = 12;

const help = `
Points are uniform in [0, 1), with 53 random bits. Of --truth cloud the files are cloud.train.xyz and cloud.queries.xyz, a
point a line with blanks between x, y and z; cloud.distances.txt, the distance from each query to its nearest neighbour;
and cloud.indices.txt, the line of that neighbour in cloud.train.xyz, counted from 1. The neighbours are those of the numbers
before they were rounded to --decimals: with few of them, a search of the files finds other ones now and then, as
\`nearfield cloud nearest --validate-indices\` counts.

Example:
  nearfield cloud generate --rows 100000 --seed 1 --truth cloud
  nearfield cloud nearest --train cloud.train.xyz --queries cloud.queries.xyz --out near.csv \\
    --validate-distances cloud.distances.txt --validate-indices cloud.indices.txt --index-base 1`;

export function generateCommand(signal: AbortSignal): Command {
  const { rows, queries, seed, decimals } = generateParameters;
  const command = new Command("generate")
    .description(
      "Writes clouds of uniform points and their nearest neighbours, to check other programs with.",
    )
    .usage("--rows N --truth STEM [options]")
    .addOption(optionOf("--rows <number>", rows).makeOptionMandatory())
    .addOption(optionOf("--queries <number>", queries))
    .addOption(optionWithDefault("--seed <number>", seed))
    .addOption(optionWithDefault("--decimals <number>", decimals))
    .requiredOption("--truth <stem>", "where to write: what the names of the four files begin with")
    .option("--force", "replace files that exist");
  return addDeviceOptions(command)
    .option("--explain", "say how the search was done")
    .option("--json", "print one JSON summary on stdout")
    .option("--quiet", "print nothing but errors and what --explain and --json ask for")
    .addHelpText("after", help)
    .action((options: GenerateOptions) => run(options, signal));
}

interface Generated {
  readonly command: "cloud generate";
  readonly backend: string;
  readonly device: string;
  readonly rows: number;
  readonly queries: number;
  readonly seed: number;
  readonly decimals: number;
  readonly output: string;
  readonly files: readonly string[];
  readonly seconds: Seconds;
  readonly explanation: KnnExplanation;
}

async function run(options: GenerateOptions, signal: AbortSignal): Promise<void> {
  const { rows, queries = rows, seed, decimals, truth, force = false, memory } = options;
  checkBackend(options);
  checkFits(
    [
      { what: `--rows ${rows}`, bytes: POINT_BYTES * rows },
      { what: `${queries} queries`, bytes: (POINT_BYTES + FOUND_BYTES) * queries },
    ],
    hostMemory(memory),
  );
  const files = ["train.xyz", "queries.xyz", "distances.txt", "indices.txt"].map((end) => `${truth}.${end}`);
  const targets = [];
  for (const file of files) targets.push(await outputTarget(file, [], force, "--truth"));
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  let device: Device | undefined;
  let cloud: PointCloud | undefined;
  try {
    device = await Device.create(deviceOptions(options));
    const numbers = new UniformNumbers(seed);
    const [points, asked] = [numbers.take(rows * COLS), numbers.take(queries * COLS)];
    watch.lap("generate");
    cloud = await PointCloud.create({ data: points, rows, cols: COLS }, { device, signal });
    const onProgress = showQueries(progress);
    const found = await cloud.nearest({ data: asked, rows: queries, cols: COLS }, { signal, onProgress });
    watch.lap("search");
    progress.show({ phase: "writing", unit: "row", done: 0, total: undefined });
    const fixed = (value: number) => value.toFixed(decimals);
    const pieces = [
      textOf(points, COLS, fixed),
      textOf(asked, COLS, fixed),
      textOf(found.distances, 1, fixed),
      textOf(found.indices, 1, (index) => String(index + 1)),
    ];
    for (const [at, target] of targets.entries()) await writeOutput(target, pieces[at], signal);
    watch.lap("write");
    progress.clear();
    const { explanation } = found;
    const summary: Generated = {
      command: "cloud generate",
      backend: explanation.backend,
      device: explanation.device,
      ...{ rows, queries, seed, decimals, files },
      output: files.join(", "),
      seconds: watch.seconds,
      explanation,
    };
    await report(summary, linesOf, { ...options, out: truth });
  } finally {
    progress.clear();
    cloud?.dispose();
    device?.dispose();
  }
}

/** So many lines are written at a time. */
const PIECE_LINES = 2 ** 13;

/** Writes numbers as lines of `cols` of them. */
function* textOf(
  values: Float64Array | Uint32Array,
  cols: number,
  write: (value: number) => string,
): Generator<string> {
  for (let begin = 0; begin < values.length; begin += PIECE_LINES * cols) {
    const end = Math.min(begin + PIECE_LINES * cols, values.length);
    let text = "";
    for (let at = begin; at < end; at++) text += write(values[at]) + ((at + 1) % cols === 0 ? "\n" : " ");
    yield text;
  }
}

function linesOf(generated: Generated): string {
  const { rows, queries, seed, decimals } = generated;
  return [
    `generated ${plural(rows, "point")} and ${plural(queries, "query", "queries")} from seed ${seed}, ${plural(decimals, "decimal")}`,
    ...runLines(generated, ["generate", "search", "write"]),
  ].join("\n");
}
