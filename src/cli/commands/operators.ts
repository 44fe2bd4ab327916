/** `nearfield operators` lists what a process may be made of, from the catalogue. */
import { Command } from "commander";
import { defaultOf } from "../../graph/catalogue/parameters.ts";
import { operators, processSchema } from "../../graph/index.ts";
import type { Operator, Parameter } from "../../graph/index.ts";
import { InvalidInputError } from "../../node.ts";
import { meant } from "../options/meant.ts";
import { writeStdout } from "../output.ts";

interface OperatorsOptions {
  readonly json?: boolean;
  readonly schema?: boolean;
}

const help = `
Examples:
  nearfield operators
  nearfield operators knn
  nearfield operators --schema > process.schema.json`;

export function operatorsCommand(): Command {
  return new Command("operators")
    .description("Lists the operators that a process may have; with an id its ports and parameters.")
    .argument("[id]", "an operator, such as knn")
    .option("--json", "print JSON")
    .option("--schema", "print the JSON Schema of process files, for editors")
    .showHelpAfterError("(nearfield operators --help shows every option)")
    .addHelpText("after", help)
    .action((id: string | undefined, options: OperatorsOptions) => writeStdout(`${textOf(id, options)}\n`));
}

function textOf(id: string | undefined, { json, schema }: OperatorsOptions): string {
  if (schema === true) {
    if (id === undefined) return JSON.stringify(processSchema(), null, 2);
    throw new InvalidInputError(
      "--schema describes all operators; leave out the id, or describe it with --json",
    );
  }
  if (id === undefined) return json === true ? JSON.stringify(operators.map(dataOf)) : listText();
  const found = operators.find((each) => each.id === id);
  if (found !== undefined) return json === true ? JSON.stringify(dataOf(found)) : operatorText(found);
  const ids = operators.map((each) => each.id);
  throw new InvalidInputError(
    `there is no operator ${JSON.stringify(id)}${meant(id, ids)}; there are ${ids.join(", ")}`,
  );
}

function listText(): string {
  const groups = [...new Set(operators.map(({ group }) => group))];
  const width = Math.max(...operators.map(({ id }) => id.length));
  return groups
    .map((group) => {
      const own = operators.filter((each) => each.group === group);
      return [group, ...own.map(({ id, says }) => `  ${id.padEnd(width)}  ${says}`)].join("\n");
    })
    .join("\n");
}

function operatorText({ title, id, says, inputs, outputs, parameters }: Operator): string {
  const ports = inputs.map(
    ({ name, types, optional, says: what }) =>
      `${name}: ${types.join(" or ")}${optional ? ", optional" : ""}. ${what}`,
  );
  return [
    `${title} (${id})`,
    says,
    ...section("inputs", ports),
    ...section(
      "outputs",
      outputs.map(({ name, type, says: what }) => `${name}: ${type}. ${what}`),
    ),
    ...section("parameters", parameters.map(parameterText)),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

/** A line lists at most so many choices. */
const CHOICES = 12;

function parameterText(parameter: Parameter): string {
  const { name, says, required, expects, choices } = parameter;
  const usual = defaultOf(parameter);
  const many = choices !== undefined && choices.length > CHOICES;
  const values = many ? `one of ${choices.length} names, which --json lists` : expects;
  const given = required ? "; required" : usual === undefined ? "" : ` (default: ${usual})`;
  return `${name}: ${values}${given}. ${says}`;
}

function dataOf({ parameters, ...rest }: Operator): object {
  const { id, version, title, group, says, inputs, outputs, effect } = rest;
  return {
    ...{ id, version, title, group, says, effect, inputs },
    outputs: outputs.map(({ name, type, says: what }) => ({ name, type, says: what })),
    parameters: parameters.map(
      ({ name, kind, says: what, not, default: usual, otherwise, required, expects, choices, of }) => ({
        ...{ name, kind, says: what, not, default: usual, otherwise, required, expects, choices, of },
      }),
    ),
  };
}
