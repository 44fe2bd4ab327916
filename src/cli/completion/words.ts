/**
 * Gathers what may be completed from the commands themselves: names of commands, options, and the values that
 * an option takes. A shell's own script is made of it in bash.ts, zsh.ts and fish.ts.
 */
import type { Command, Option } from "commander";
import { ParameterOption } from "../options/parameter.ts";

export interface Completed {
  /** These words follow `nearfield`, such as ["cloud", "nearest"]; the program itself has none. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  /** Is true where arguments are files. */
  readonly files: boolean;
  /** An argument may be one of these names; none where it is a file or anything. */
  readonly names: readonly string[];
}

export interface CompletedOption {
  readonly long: string;
  readonly short?: string;
  readonly says: string;
  /** Says whether nothing follows the option, or a file, one of `names`, or anything. */
  readonly takes: "nothing" | "file" | "name" | "text";
  readonly names: readonly string[];
}

/** Returns the program, its commands and theirs, in the order of the help. */
export function completions(program: Command, path: readonly string[] = []): Completed[] {
  const commands = program.commands.map((each) => ({
    name: each.name(),
    summary: each.summary() || firstSentence(each.description()),
  }));
  const [argument] = program.registeredArguments;
  const names = argument?.argChoices ?? [];
  const own = {
    path,
    summary: program.summary(),
    commands,
    options: [...program.options.map(optionOf), { ...nothing, long: "--help", says: "show the help" }],
    files: argument !== undefined && names.length === 0,
    names,
  };
  return [own, ...program.commands.flatMap((each) => completions(each, [...path, each.name()]))];
}

const nothing = { takes: "nothing", names: [] } as const;

function optionOf(option: Option): CompletedOption {
  const { long = "", short, flags, description } = option;
  const own = option instanceof ParameterOption ? option.parameters[0].choices : undefined;
  const names = option.argChoices ?? own ?? [];
  const isFile = /<(file|folder|node=file)>/.test(flags);
  const takes =
    !option.required && !option.optional ? "nothing" : names.length > 0 ? "name" : isFile ? "file" : "text";
  return { long, ...(short === undefined ? {} : { short }), says: firstSentence(description), takes, names };
}

/** Cuts a help text where it goes into detail. */
function firstSentence(text: string): string {
  return text.replace(/ ?[(:;][^]*$|\.$/, "");
}
