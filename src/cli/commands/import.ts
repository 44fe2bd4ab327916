/** `nearfield import` makes a process file of one of RapidMiner, and lists what has no counterpart. */
import { Command } from "commander";
import { checkProcess, importRapidMiner, printProcess } from "../../graph/index.ts";
import type { LeftOut } from "../../graph/index.ts";
import { InvalidInputError } from "../../node.ts";
import { DASH, inputSource } from "../files.ts";
import { plural } from "../format.ts";
import { outputTarget, writeOutput, writeStdout } from "../output.ts";
import { textOf } from "../process/files.ts";
import { visible, visibleData } from "../visible.ts";

interface ImportOptions {
  readonly out: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const help = `
Read CSV, Set Role, Select Attributes, Normalize, Replace Missing Values, Split Data, k-NN, Apply Model, Performance, Multiply
and Cross Validation of a chain of them are known; k-NN and Normalize reproduce RapidMiner's results exactly. Any other operator
becomes a node that does not run. What was left out or changed is listed on stderr, by operator and parameter; lines of what gives the
same results all the same begin with "note".

Exit codes: 0 the process gives what RapidMiner gives; 1 the process was written, but something that changes results was left
out, or the file is not a process.

Examples:
  nearfield import old.rmp > process.json
  nearfield import old.rmp --out process.json && nearfield run process.json --data readCSV=C:/data/train.csv`;

export function importCommand(signal: AbortSignal): Command {
  return new Command("import")
    .description("Converts an .rmp file of RapidMiner 5 or newer into a process.")
    .argument("<process>", "the .rmp file; - is stdin")
    .option("--out <file>", "file for the process; - is stdout", DASH)
    .option("--force", "replace a file that exists")
    .option("--json", "print the process and the list as one JSON object on stdout")
    .showHelpAfterError("(nearfield import --help shows every option)")
    .addHelpText("after", help)
    .action((file: string, options: ImportOptions) => importFile(file, options, signal));
}

async function importFile(file: string, options: ImportOptions, signal: AbortSignal): Promise<void> {
  const { out, force = false, json = false } = options;
  if (json && out !== DASH)
    throw new InvalidInputError("--json prints the process on stdout, and --out writes it; choose one");
  const target = await outputTarget(out, file === DASH ? [] : [file], force);
  const source = await inputSource(file, signal);
  const { process: made, left } = await importRapidMiner(await textOf(source), source.name);
  const text = printProcess(made);
  if (json) {
    const data = { command: "import", process: JSON.parse(text) as unknown, left };
    await writeStdout(`${JSON.stringify(data)}\n`);
  } else {
    await writeOutput(target, [new TextEncoder().encode(text)], signal);
    process.stderr.write(left.map((each) => `${visible(lineOf(visibleData(each)))}\n`).join(""));
    const [first, ...more] = checkProcess(made).filter(({ path }) => !isUnknown(path, made.nodes));
    if (first !== undefined)
      process.stderr.write(
        `${visible(`${first.path}: ${first.message}`)}${more.length === 0 ? "" : ` (and ${more.length} more, which nearfield run --check lists)`}\n`,
      );
  }
  const changes = left.filter(({ changesResults }) => changesResults).length;
  if (changes === 0) return;
  throw new InvalidInputError(
    `${plural(changes, "thing")} that ${changes === 1 ? "changes" : "change"} results ${changes === 1 ? "has" : "have"} no counterpart; the process was written without`,
    { file },
  );
}

function lineOf({ operator, parameter, message, changesResults }: LeftOut): string {
  const place = parameter === undefined ? operator : `${operator}, ${parameter}`;
  return `${changesResults ? "" : "note: "}${place}: ${message}`;
}

/** An operator that is not known is in the list already. */
function isUnknown(path: string, nodes: Readonly<Record<string, { readonly operator: string }>>): boolean {
  const [, id, member] = path.split(".");
  return member === "operator" && nodes[id].operator.startsWith("rapidminer:");
}
