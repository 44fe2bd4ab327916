/**
 * This is `nearfield example`, which writes a real table that ships in the package, so that every page can be
 * tried.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Argument, Command } from "commander";
import { exampleFiles, exampleTables } from "../examples.ts";
import type { ExampleFile, ExampleTable } from "../examples.ts";
import { plural } from "../format.ts";
import { InvalidInputError } from "../../node.ts";
import { meant } from "../options/meant.ts";
import { fileError } from "../../node/fileErrors.ts";
import { outputTarget, writeOutput, writeStdout } from "../output.ts";
import { visible } from "../visible.ts";
import { factsOf } from "../wholeFile.ts";

interface ExampleOptions {
  readonly out: string;
  readonly force?: boolean;
}

const names = exampleTables.map(({ name }) => name);

const help = `
Three files are written: the whole table, four of five rows to train on (-train), and every fifth row to test with (-test).

${listText()}

Examples:
  nearfield example penguins
  nearfield example digits --out data`;

export function exampleCommand(signal: AbortSignal): Command {
  return new Command("example")
    .description("Writes a real table as CSV, to try the other commands with. Without a name it lists them.")
    .addArgument(new Argument("[name]", "which table").choices(names).argParser((name: string) => name))
    .option("--out <folder>", "folder to write to; created if it does not exist", ".")
    .option("--force", "replace files that exist")
    .showHelpAfterError("(nearfield example --help lists the tables)")
    .addHelpText("after", help)
    .action((name: string | undefined, options: ExampleOptions) => example(name, options, signal));
}

async function example(
  name: string | undefined,
  options: ExampleOptions,
  signal: AbortSignal,
): Promise<void> {
  if (name === undefined) return writeStdout(`${listText()}\n`);
  const table = exampleTables.find((each) => each.name === name);
  if (!table)
    throw new InvalidInputError(
      `there is no example ${JSON.stringify(name)}${meant(name, names)}; expected ${names.join(", ")}`,
    );
  const files = await exampleFiles(table);
  await writeAll(files, options, signal);
  await writeStdout(`${writtenText(table, files, visible(options.out))}\n`);
}

function listText(): string {
  return exampleTables
    .map(({ name, what, source }) => `${name.padEnd(10)}${what}\n${" ".repeat(10)}${source}`)
    .join("\n");
}

/**
 * Writes all files or none.
 * @throws InvalidInputError before anything is written, for a file that exists (without `force`).
 */
async function writeAll(
  files: readonly ExampleFile[],
  { out, force = false }: ExampleOptions,
  signal: AbortSignal,
): Promise<void> {
  await makeFolder(out);
  const targets = [];
  for (const { name, text } of files) {
    const path = join(out, name);
    if (!force && (await factsOf(path)))
      throw new InvalidInputError(
        "exists already; add --force to replace it, or choose another folder (--out)",
        { file: path },
      );
    targets.push({ target: await outputTarget(path, [], force), text });
  }
  for (const { target, text } of targets) await writeOutput(target, [text], signal);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new InvalidInputError("is a file; choose a folder (--out)", { file: path });
    throw fileError(error, path, "written");
  }
}

function writtenText(table: ExampleTable, files: readonly ExampleFile[], folder: string): string {
  const width = Math.max(...files.map(({ name }) => join(folder, name).length));
  const [{ columns }] = files;
  const lines = files.map(({ name, rows }) => `${join(folder, name).padEnd(width)}  ${plural(rows, "row")}`);
  const command = folder === "." ? [`try: npx nearfield ${table.command}`] : [];
  return [
    `${table.what}; ${plural(columns, "column")}`,
    `source: ${table.source}`,
    ...lines,
    ...command,
  ].join("\n");
}
