#!/usr/bin/env node
/**
 * The command `nearfield` picks the subcommand. It turns the outcome into an exit code and at most one
 * message on stderr. A subcommand's module is loaded only when it is named. The work itself is in commands/.
 */
import { Command, CommanderError } from "commander";
import { hasColor, painted } from "./color.ts";
import { failureOf, setsMemory } from "./failure.ts";
import { packageVersion } from "./files.ts";
import { layOutHelp } from "./help.ts";
import { endSoon, interruptSignal } from "./interrupt.ts";
import { ignoreBrokenPipe } from "./output.ts";
import { subcommands } from "./subcommands.ts";
import { meant } from "./options/meant.ts";
import { visibleLines } from "./visible.ts";

const help = `
Examples:
  nearfield example penguins
  nearfield classify --train train.csv --test new.csv --label species --out predicted.csv
  nearfield search --train items.csv --k 10 --id sku --normalize z --out neighbours.csv
  nearfield bench knn
  nearfield schema flights.parquet

nearfield help <command> shows the options of a command, and --help-all also those that few people need.

Exit codes: 0 done; 1 a mistake in the options or the input; 70 a failure of the device or of Nearfield;
130 stopped by Ctrl-C, 143 by kill. NEARFIELD_DEBUG=1 adds the stack to messages of exit code 70.`;

/** Other tools know these options by other names. */
const optionAliases: ReadonlyMap<string, string> = new Map([
  ["--n_neighbors", "--k"],
  ["--n-neighbors", "--k"],
  ["--help-all", "--help"],
]);

ignoreBrokenPipe();
const signal = interruptSignal();
try {
  const given = process.argv.slice(2);
  const args = given.map((arg) => arg.replace(/^--[^=]*/, (name) => optionAliases.get(name) ?? name));
  const program = await programFor(args, given.includes("--help-all"), signal);
  showHelp(program, args);
  await program.parseAsync(args, { from: "user" });
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
  } else {
    const debug = Boolean(process.env.NEARFIELD_DEBUG);
    const { message, exitCode } = failureOf(error, signal, debug, setsMemory(process.argv));
    process.stderr.write(`${prefix()} ${message}\n`);
    endSoon(exitCode, signal.reason);
  }
}

/**
 * Makes the program; subcommands that are not named in `args` cannot run and need only a line in the help.
 * @param all the help shows all options
 */
async function programFor(args: readonly string[], all: boolean, signal: AbortSignal): Promise<Command> {
  const program = new Command("nearfield")
    .description(
      "Exact nearest neighbours, k-NN classification and regression of tables and matrices, on the GPU or the CPU.",
    )
    .version(packageVersion(), "-V, --version", "print the version")
    .commandsGroup("This tool:")
    .addHelpText("after", help)
    .showHelpAfterError("(nearfield --help lists the commands)");
  for (const { name, group, summary, load } of subcommands) {
    const command = args.includes(name) ? await load(signal) : new Command(name);
    program.addCommand(command.summary(summary).helpGroup(group));
  }
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ]) {
    layOutHelp(command, all);
    command.exitOverride().configureOutput({
      outputError: (text, write) => write(`${prefix()} ${visibleLines(mistakeIn(command, text))}`),
      getOutHasColors: () => hasColor(process.stdout),
      getErrHasColors: () => hasColor(process.stderr),
    });
  }
  return program;
}

function prefix(): string {
  return painted("nearfield:", "red", hasColor(process.stderr));
}

/**
 * Returns what is wrong with the options: a required option is missing for the reason that its name was
 * misspelt, where one is unknown.
 */
function mistakeIn(command: Command, text: string): string {
  const message = text.replace(/^error: /, "");
  if (!message.startsWith("required option")) return message;
  const names = command.options.flatMap(({ long }) => long ?? []);
  const unknown = command.args.find((arg) => arg.startsWith("--"))?.replace(/=.*/, "");
  if (unknown === undefined) return message;
  return `unknown option '${unknown}'${meant(unknown, names)}\n`;
}

/**
 * Shows the help that was asked for. Commander would show another one where "help" is followed by words that
 * it does not know.
 */
function showHelp(program: Command, [first, ...names]: readonly string[]): void {
  if (first !== "help") return;
  let command = program;
  for (const name of names.filter((name) => !name.startsWith("-"))) {
    const known = command.commands.map((each) => each.name());
    const found = command.commands.find((each) => each.name() === name);
    if (!found) {
      const has = known.join(", ") || "no commands";
      return command.error(
        `error: unknown command '${name}'${meant(name, known)}; ${command.name()} has ${has}`,
      );
    }
    command = found;
  }
  command.help();
}
