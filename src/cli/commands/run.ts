/** `nearfield run` runs a process file: reads, checks, plans and runs it, and reports node by node. */
import { dirname } from "node:path";
import { Command } from "commander";
import {
  checkProcess,
  inspectFiles,
  operators,
  parseProcess,
  runProcess,
  setParameter,
} from "../../graph/index.ts";
import type { NodeResult, Problem, ProcessDocument } from "../../graph/index.ts";
import { partOf } from "../../graph/run.ts";
import { Device, InvalidInputError, NearfieldError, isNearfieldError } from "../../node.ts";
import { DASH, inputSource } from "../files.ts";
import { addDeviceOptions, checkBackend, deviceOptions } from "../options/shared.ts";
import type { DeviceFlags } from "../options/shared.ts";
import { assigned } from "../options/values.ts";
import { writeOutput, writeStdout } from "../output.ts";
import type { OutputTarget } from "../output.ts";
import { checkData, nodesWithFiles, sourceOf, targetsOf, textOf } from "../process/files.ts";
import type { ProcessFiles } from "../process/files.ts";
import { nodeData, nodeLine, printResults, runData } from "../process/report.ts";
import { noProgress, progressOn } from "../progress.ts";
import { visible } from "../visible.ts";

interface ProcessOptions extends DeviceFlags {
  readonly set: readonly (readonly [path: string, value: string])[];
  readonly data: readonly (readonly [node: string, path: string])[];
  readonly only?: string;
  readonly out?: string;
  readonly check?: boolean;
  readonly explain?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const help = `
What each node made is reported on stderr with its fingerprint, which is the same on every device. Measures of the last nodes are
printed on stdout, and where no node writes also their tables, as CSV.

Paths in a process are relative to its folder. It writes below that folder, or below --out, and nowhere else.

Examples:
  nearfield run process.json
  nearfield run process.json --set knn.k=7 --set split.ratios=0.8,0.2
  nearfield run process.json --data read=other.csv --only apply --quiet > predicted.csv
  nearfield run process.json --check`;

export function runCommand(signal: AbortSignal): Command {
  const command = new Command("run")
    .description("Runs a process: operators wired in a JSON file, as nearfield operators lists them.")
    .argument("<process>", "the process file; - is stdin, with paths relative to the current folder")
    .option("--set <node.parameter=value>", "set a parameter to another value; may be repeated", assigned, [])
    .option("--data <node=file>", "read this file instead of the node's; may be repeated", assigned, [])
    .option("--only <node>", "run only this node and what it needs")
    .option("--out <folder>", "write below this folder instead of the process's")
    .option("--check", "find out what is wrong, columns of files included, and run nothing")
    .option("--force", "replace files that exist");
  return addDeviceOptions(command)
    .option("--explain", "say of each node why it ran")
    .option("--json", "print one JSON object on stdout instead of results")
    .option("--quiet", "print nothing on stderr but errors")
    .showHelpAfterError("(nearfield run --help shows every option)")
    .addHelpText("after", help)
    .action((file: string, options: ProcessOptions) => run(file, options, signal));
}

async function run(file: string, options: ProcessOptions, signal: AbortSignal): Promise<void> {
  checkBackend(options);
  const files = await readProcess(file, options, signal);
  const { document, folder } = files;
  const open = (path: string, node: string) => sourceOf(files, path, node, signal);
  const problems = checkProcess(document);
  // Files can be looked into where the nodes that read them are in order.
  const reading = nodesWithFiles(document, "read").map(([id]) => `nodes.${id}.`);
  const readable = !problems.some(({ path }) => reading.some((begin) => path.startsWith(begin)));
  const all =
    options.check === true && readable
      ? checkProcess(document, { files: await inspectFiles(document, { open, signal }) })
      : problems;
  if (options.check === true) return reportCheck(file, document, all, options);
  if (all.length > 0) {
    const more = all.length === 1 ? "" : ` (and ${all.length - 1} more, which --check lists)`;
    throw new InvalidInputError(`${all[0].path}: ${all[0].message}${more}`, { file });
  }
  const targets = await targetsOf(files, options.out ?? folder, file, options.force === true);
  await runOn(file, files, targets, options, signal);
}

async function runOn(
  file: string,
  files: ProcessFiles,
  targets: ReadonlyMap<string, OutputTarget>,
  options: ProcessOptions,
  signal: AbortSignal,
): Promise<void> {
  const { document } = files;
  const { json = false, quiet = false, explain = false } = options;
  const progress = quiet ? noProgress : progressOn(process.stderr, noProgress);
  const begin = performance.now();
  const device = await Device.create(deviceOptions(options));
  try {
    const result = await runProcess(document, {
      device,
      signal,
      open: (path, node) => sourceOf(files, path, node, signal),
      write: (_, pieces, node) => {
        progress.clear();
        return writeOutput(targetOf(targets, node), pieces, signal);
      },
      onProgress: (node, { phase, done, total }) =>
        progress.show({
          phase: `${node}: ${phase}`,
          unit: phase === "reading" ? "bytes" : "rows",
          done,
          total: Number.isFinite(total) ? total : undefined,
        }),
      onNode: (node) => {
        progress.clear();
        if (!quiet && !json) process.stderr.write(`${nodeLine(node, explain)}\n`);
      },
    });
    try {
      const pathOf = new Map(
        [...targets].flatMap(([id, target]) => ("path" in target ? [[id, target.path]] : [])),
      );
      const { nodes } = result;
      if (json) {
        const seconds = (performance.now() - begin) / 1000;
        const data = nodes.map((node) => nodeData(node, pathOf.get(node.node)));
        await writeStdout(`${JSON.stringify(runData(file, device.info, seconds, data))}\n`);
      } else await printResults(lastOf(document, nodes), targets.size === 0, signal);
      throwWorst(nodes);
    } finally {
      result.dispose();
    }
  } finally {
    progress.clear();
    device.dispose();
  }
}

async function readProcess(
  file: string,
  { set, data, only, out }: ProcessOptions,
  signal: AbortSignal,
): Promise<ProcessFiles> {
  if (file === DASH && data.some(([, path]) => path === DASH))
    throw new InvalidInputError(
      "the process and --data are both standard input; put one of them into a file",
    );
  const source = await inputSource(file, signal);
  const whole = set.reduce(
    (document, [path, value]) => setParameter(document, path, value),
    parseProcess(await textOf(source), source.name),
  );
  if (Object.keys(whole.nodes).length === 0)
    throw new InvalidInputError("has no nodes, so there is nothing to run", { file: source.name });
  const folder = file === DASH ? "." : dirname(file);
  const files = { folder, data: new Map(data), document: partOf(whole, only), whole };
  checkData(files);
  if (out !== undefined && nodesWithFiles(files.document, "write").length === 0)
    throw new InvalidInputError(
      "--out is the folder that nodes such as Write Table write to, and no node that runs does; " +
        "redirect stdout instead",
    );
  return files;
}

async function reportCheck(
  file: string,
  { nodes }: ProcessDocument,
  problems: readonly Problem[],
  { json }: ProcessOptions,
): Promise<void> {
  const count = Object.keys(nodes).length;
  const lines = problems.map(({ path, message }) => `${visible(`${path}: ${message}`)}\n`);
  if (json)
    await writeStdout(
      `${JSON.stringify({ command: "run", process: file, problems: problems.map(dataOf) })}\n`,
    );
  else if (problems.length === 0)
    await writeStdout(`nothing is wrong with the ${count} nodes of ${visible(file)}\n`);
  else await writeStdout(lines.join(""));
  if (problems.length === 0) return;
  const what = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  throw new InvalidInputError(`the process has ${what}; nothing was run`, { file });
}

/** A mend is a change of the process; what it says is data. */
function dataOf({ path, message, mend }: Problem): object {
  return { path, message, ...(mend === undefined ? {} : { mend: mend.says }) };
}

function targetOf(targets: ReadonlyMap<string, OutputTarget>, node: string): OutputTarget {
  const target = targets.get(node);
  if (target !== undefined) return target;
  throw new NearfieldError("Internal", `internal error, please report it: ${node} has no target`);
}

/** Returns the nodes that no other one needs. */
function lastOf({ nodes }: ProcessDocument, results: readonly NodeResult[]): NodeResult[] {
  const writes = new Set(operators.filter(({ effect }) => effect).map(({ id }) => id));
  const used = Object.values(nodes)
    .filter(({ operator }) => !writes.has(operator))
    .flatMap(({ inputs = {} }) => Object.values(inputs))
    .map((wire) => wire.split(".")[0]);
  return results.filter(({ node }) => !used.includes(node));
}

/** Throws the error of a node that failed, a failure of the device or of ours rather than a mistake. */
function throwWorst(nodes: readonly NodeResult[]): void {
  const errors = nodes.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const worst = errors.find((error) => !isNearfieldError(error, "InvalidInput", "Unavailable")) ?? errors[0];
  if (worst !== undefined) throw worst;
}
