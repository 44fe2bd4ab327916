#!/usr/bin/env node
/**
 * The command `nearfield` picks the subcommand and turns the outcome into an exit code and at most one
 * message on stderr. A subcommand's module is loaded only when it is named. The work itself is in commands/.
 */
import { Command, CommanderError } from "commander";
import { failureOf, setsMemory } from "./failure.ts";
import { packageVersion } from "./files.ts";
import { endSoon, interruptSignal } from "./interrupt.ts";
import { ignoreBrokenPipe } from "./output.ts";
import { visibleLines } from "./visible.ts";

interface Subcommand {
  readonly name: string;
  readonly summary: string;
  readonly load: (signal: AbortSignal) => Promise<Command>;
}

const subcommands: readonly Subcommand[] = [
  {
    name: "example",
    summary: "write a small real table to try the other commands with",
    load: async (signal) => (await import("./commands/example.ts")).exampleCommand(signal),
  },
  {
    name: "classify",
    summary: "predict a label for every row of a file",
    load: async (signal) => (await import("./commands/classify.ts")).classifyCommand(signal),
  },
  {
    name: "regress",
    summary: "predict a number for every row of a file",
    load: async (signal) => (await import("./commands/regress.ts")).regressCommand(signal),
  },
  {
    name: "predict",
    summary: "predict with a model that classify or regress saved",
    load: async (signal) => (await import("./commands/predict.ts")).predictCommand(signal),
  },
  {
    name: "tune",
    summary: "find which k, metric, weights and scaling predict best",
    load: async (signal) => (await import("./commands/tune.ts")).tuneCommand(signal),
  },
  {
    name: "search",
    summary: "find the nearest training rows of every row of a file",
    load: async (signal) => (await import("./commands/search.ts")).searchCommand(signal),
  },
  {
    name: "run",
    summary: "run a process of operators, wired in a file",
    load: async (signal) => (await import("./commands/run.ts")).runCommand(signal),
  },
  {
    name: "import",
    summary: "make a process of one of RapidMiner",
    load: async (signal) => (await import("./commands/import.ts")).importCommand(signal),
  },
  {
    name: "operators",
    summary: "list what a process may be made of",
    load: async () => (await import("./commands/operators.ts")).operatorsCommand(),
  },
  {
    name: "convolve",
    summary: "convolve a signal with a mask, such as to filter a sound",
    load: async (signal) => (await import("./commands/convolve.ts")).convolveCommand(signal),
  },
  {
    name: "sort",
    summary: "sort the numbers of a file, or say where they come from",
    load: async (signal) => (await import("./commands/sort.ts")).sortCommand(signal),
  },
  {
    name: "histogram",
    summary: "count the numbers of a file by bins",
    load: async (signal) => (await import("./commands/histogram.ts")).histogramCommand(signal),
  },
  {
    name: "distances",
    summary: "count the distances of every row to the training rows by bins",
    load: async (signal) => (await import("./commands/distances.ts")).distancesCommand(signal),
  },
  {
    name: "cloud",
    summary: "find the nearest points of clouds, and how far clouds are apart",
    load: async (signal) => (await import("./commands/cloud.ts")).cloudCommand(signal),
  },
  {
    name: "doctor",
    summary: "say what this machine offers, test it, and say what to install",
    load: async (signal) => (await import("./commands/doctor.ts")).doctorCommand(signal),
  },
  {
    name: "bench",
    summary: "measure what this machine's device does, and check it",
    load: async (signal) => (await import("./commands/bench.ts")).benchCommand(signal),
  },
  {
    name: "schema",
    summary: "show the columns of a file, their types, gaps and ranges",
    load: async (signal) => (await import("./commands/schema.ts")).schemaCommand(signal),
  },
];

const help = `
Examples:
  nearfield example penguins
  nearfield classify --train train.csv --test new.csv --label species --out predicted.csv
  nearfield search --train items.csv --k 10 --id sku --normalize z --out neighbours.csv
  nearfield bench knn
  nearfield schema flights.parquet

nearfield help <command> shows the options of a command.

Exit codes: 0 done; 1 a mistake in the options or the input; 70 a failure of the device or of Nearfield;
130 stopped by Ctrl-C, 143 by kill. NEARFIELD_DEBUG=1 adds the stack to messages of exit code 70.`;

ignoreBrokenPipe();
const signal = interruptSignal();
try {
  const args = process.argv.slice(2);
  const program = await programFor(args, signal);
  showHelp(program, args);
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else {
    const debug = Boolean(process.env.NEARFIELD_DEBUG);
    const { message, exitCode } = failureOf(error, signal, debug, setsMemory(process.argv));
    process.stderr.write(`nearfield: ${message}\n`);
    endSoon(exitCode, signal.reason);
  }
}

/**
 * Makes the program; subcommands that are not named in `args` cannot run and need only a line in the help.
 */
async function programFor(args: readonly string[], signal: AbortSignal): Promise<Command> {
  const program = new Command("nearfield")
    .description(
      "Exact nearest neighbours, k-NN classification and regression of tables and matrices, on the GPU or the CPU.",
    )
    .version(packageVersion(), "-V, --version", "print the version")
    .addHelpText("after", help)
    .showHelpAfterError("(nearfield --help lists the commands)");
  for (const { name, summary, load } of subcommands) {
    const command = args.includes(name) ? await load(signal) : new Command(name);
    program.addCommand(command.summary(summary));
  }
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ]) {
    command.exitOverride().configureOutput({
      outputError: (text, write) => write(visibleLines(text.replace(/^error: /, "nearfield: "))),
    });
  }
  return program;
}

/**
 * Shows the help that was asked for. Commander would show another one where "help" is followed by words that
 * it does not know.
 */
function showHelp(program: Command, [first, ...names]: readonly string[]): void {
  if (first !== "help") return;
  let command = program;
  for (const name of names.filter((name) => !name.startsWith("-"))) {
    const found = command.commands.find((each) => each.name() === name);
    if (!found) {
      const known = command.commands.map((each) => each.name()).join(", ") || "no commands";
      return command.error(`error: unknown command '${name}'; ${command.name()} has ${known}`);
    }
    command = found;
  }
  command.help();
}
