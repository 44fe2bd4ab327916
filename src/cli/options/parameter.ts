/**
 * Makes options of commands of parameters of the catalogue, which say their help, defaults, choices and
 * checks; the command gives the name alone. What one option packs several parameters into is written by the
 * command, of the same descriptions.
 */
import { InvalidArgumentError, Option } from "commander";
import { choice, readText, usualOf } from "../../graph/catalogue/parameters.ts";
import type { Unnamed } from "../../graph/catalogue/parameters.ts";
import { asked } from "./meant.ts";

/** Such an option knows the parameters of the catalogue that it stands for. */
export class ParameterOption extends Option {
  readonly parameters: readonly Unnamed<unknown>[];

  constructor(flags: string, description: string, parameters: readonly Unnamed<unknown>[]) {
    super(flags, description);
    this.parameters = parameters;
  }
}

/** Makes an option that stays undefined where it is left out. @param more what the help says besides */
export function optionOf(flags: string, parameter: Unnamed<unknown>, more = ""): ParameterOption {
  const usual = usualOf(parameter);
  const help = `${parameter.says}${more}${usual === undefined ? "" : ` (default: ${usual})`}`;
  return optionSaying(help, flags, parameter);
}

/** Makes an option that has the parameter's default where it is left out. */
export function optionWithDefault(flags: string, parameter: Unnamed<unknown>, more = ""): Option {
  return optionSaying(`${parameter.says}${more}`, flags, parameter).default(parameter.default);
}

/** Makes the option --no-NAME of a flag that is true by default. */
export function negatedOption(flags: string, parameter: Unnamed<boolean>): ParameterOption {
  return new ParameterOption(flags, parameter.not ?? "", [parameter]);
}

/** Makes the option --NAME of a flag that is false by default. */
export function flagOption(flags: string, parameter: Unnamed<boolean>): ParameterOption {
  return new ParameterOption(flags, parameter.says, [parameter]);
}

/** Makes an option with a help of its own. */
export function optionSaying(help: string, flags: string, parameter: Unnamed<unknown>): ParameterOption {
  const option = new ParameterOption(flags, help, [parameter]);
  const named = namesOf(parameter);
  if (named.length > 0 && named.length <= LISTED) option.choices(named);
  option.argParser(parserOf(parameter));
  return option;
}

/** Makes an option that is no parameter of the catalogue and takes one of some names. */
export function choiceOption(flags: string, says: string, names: readonly string[]): Option {
  const parse = parserOf(choice(names, { says, default: names[0] }));
  return new Option(flags, says).choices(names).argParser(parse);
}

/** The help lists at most so many choices. */
const LISTED = 20;

/** Returns the parser of an option's text, whose errors say the parameter's rule. */
export function parserOf<Value>(parameter: Unnamed<Value>): (text: string) => NonNullable<Value> {
  const names = namesOf(parameter);
  const read: Unnamed<unknown> =
    names.length === 0 ? parameter : choice(names, { says: "", default: names[0] });
  return (text) => {
    const found = readText(read, text);
    if ("value" in found) return found.value as NonNullable<Value>;
    throw new InvalidArgumentError(
      `${asked(text, names)}${found.rule[0].toUpperCase()}${found.rule.slice(1)}.`,
    );
  };
}

/**
 * Returns the choices but one that means that nothing is given, such as auto: there the option is left out.
 */
export function namesOf({ choices = [], default: usual, otherwise }: Unnamed<unknown>): readonly string[] {
  return otherwise === undefined ? choices : choices.filter((name) => name !== usual);
}
