/** Writes the completion of fish, a line for each option of each command. */
import type { Completed } from "./words.ts";

export function fishScript(all: readonly Completed[]): string {
  return `function __nearfield_at
  set -l words (string match -v -- '-*' (commandline -opc)[2..-1])
  set -l depth (count $argv)
  if test $depth -eq 0
    test (count $words) -eq 0
  else
    test (count $words) -ge $depth; and test "$words[1..$depth]" = "$argv"
  end
end
complete -c nearfield -f
${all.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ path, commands, options, files, names }: Completed): string[] {
  const begin = `complete -c nearfield -n '${["__nearfield_at", ...path].join(" ")}'`;
  return [
    ...commands.map(({ name, summary }) => `${begin} -a ${name} -d ${quoted(summary)}`),
    ...(names.length > 0 ? [`${begin} -a ${quoted(names.join(" "))}`] : []),
    ...(files ? [`${begin} -F`] : []),
    ...options.map(({ long, short, says, takes, names }) => {
      const value = { nothing: "", file: " -r -F", name: ` -x -a ${quoted(names.join(" "))}`, text: " -x" }[
        takes
      ];
      const letter = short === undefined ? "" : ` -s ${short.slice(1)}`;
      return `${begin} -l ${long.slice(2)}${letter}${value} -d ${quoted(says)}`;
    }),
  ];
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
