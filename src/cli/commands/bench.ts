/**
 * `nearfield bench NAME` runs one of the benches on the user's own device and prints what it found. The
 * measuring is in cli/bench/; benches against other libraries are in bench/ of the repository.
 */
import { Command } from "commander";
import type { Bench, BenchOptions } from "../bench/bench.ts";
import { benches } from "../bench/benches.ts";
import { sizeError } from "../bench/memory.ts";
import { groupCommand } from "../group.ts";
import { addDeviceOptions, checkBackend, reportOption } from "../options/shared.ts";
import { reportTarget, writeOutput, writeStdout } from "../output.ts";

/** A bench exits with this code for a wrong answer, which is a failure of the device or of the library. */
const WRONG = 70;

export function benchCommand(signal: AbortSignal): Command {
  const words = { one: "bench", many: "benches" };
  const commands = benches.map((bench) => commandOf(bench, signal));
  return groupCommand("bench", words, commands).description("Measures how fast this machine is.");
}

function commandOf(bench: Bench, signal: AbortSignal): Command {
  const command = new Command(bench.name).description(bench.says);
  return addDeviceOptions(bench.options(command))
    .addOption(reportOption())
    .option("--force", "replace the file of --report if it exists")
    .option("--json", "print one JSON object instead of text")
    .addHelpText("after", bench.help)
    .action((options: BenchOptions) => runBench(bench, options, signal));
}

async function runBench(bench: Bench, options: BenchOptions, signal: AbortSignal): Promise<void> {
  checkBackend(options);
  const page = await reportTarget(options, []);
  const { summary, text, wrong } = await bench.run(options, signal).catch((error: unknown) => {
    throw sizeError(error, bench.sizes(options));
  });
  if (page) {
    const { benchPage } = await import("../htmlReport/bench.ts");
    await writeOutput(page, [benchPage(summary, text)], signal);
  }
  await writeStdout(options.json ? `${JSON.stringify(summary)}\n` : text);
  if (wrong) process.exitCode = WRONG;
}
