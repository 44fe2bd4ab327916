/** Writes the completion of zsh, a function for each command. */
import type { Completed, CompletedOption } from "./words.ts";

export function zshScript(all: readonly Completed[]): string {
  return `#compdef nearfield
${all.map(functionOf).join("\n")}
if [ "$funcstack[1]" = _nearfield ]; then _nearfield "$@"; else compdef _nearfield nearfield; fi
`;
}

function functionOf({ path, commands, options, files, names }: Completed): string {
  const name = ["_nearfield", ...path].join("_");
  if (commands.length === 0) {
    const rest = names.length > 0 ? `:name:(${names.join(" ")})` : files ? "*:file:_files" : "";
    const specs = [...options.map(specOf), ...(rest === "" ? [] : [quoted(rest)])];
    return `${name}() {
  _arguments ${specs.join(" \\\n    ")}
}`;
  }
  const described = commands.map((each) => quoted(`${each.name}:${each.summary.replaceAll(":", " ")}`));
  return `${name}() {
  local -a commands=(${described.join(" ")})
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  (( $+functions[${name}_$command] )) && ${name}_$command
}`;
}

function specOf({ long, short, says, takes, names }: CompletedOption): string {
  const value = {
    nothing: "",
    file: ":file:_files",
    name: `:name:(${names.map((name) => name.replaceAll(":", "\\:")).join(" ")})`,
    text: `:${long.slice(2)}: `,
  }[takes];
  const text = `[${says.replace(/[[\]\\]/g, "\\$&").replaceAll(":", "\\:")}]${value}`;
  return quoted(`${long}${text}`) + (short === undefined ? "" : ` ${quoted(`${short}${text}`)}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
