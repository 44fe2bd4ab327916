/** Writes the completion of bash, from 3.2 on. */
import type { Completed } from "./words.ts";

export function bashScript(all: readonly Completed[]): string {
  const paths = all.filter(({ path }) => path.length > 0).map(({ path }) => `/${path.join("/")}`);
  return `_nearfield() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= word words= files=
  if [ "$prev" = = ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if [ "$cur" = = ]; then cur=; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path/$word" in
      ${paths.join("|")}) path="$path/$word" ;;
    esac
  done
  case "$path" in
${all.map(commandCase).join("\n")}
  esac
  local IFS=$'\\n'
  if [ -n "$files" ]; then
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    COMPREPLY=($(IFS=' '; compgen -W "$words" -- "$cur"))
  fi
}
complete -o filenames -F _nearfield nearfield
`;
}

function commandCase({ path, commands, options, files, names }: Completed): string {
  const withValue = options.filter(({ takes }) => takes !== "nothing");
  const flags = (some: typeof options) =>
    some.flatMap(({ long, short }) => [long, short ?? []].flat()).join("|");
  const ofKind = (kind: string) => withValue.filter(({ takes }) => takes === kind);
  const cases = [
    ...(ofKind("file").length > 0 ? [`${flags(ofKind("file"))}) files=1 ;;`] : []),
    ...(ofKind("text").length > 0 ? [`${flags(ofKind("text"))}) ;;`] : []),
    ...ofKind("name").map((option) => `${flags([option])}) words='${option.names.join(" ")}' ;;`),
  ];
  const words = [...commands.map(({ name }) => name), ...names, ...options.map(({ long }) => long)].join(" ");
  const others = files
    ? `*) if [[ $cur == -* ]]; then words='${words}'; else files=1; fi ;;`
    : `*) words='${words}' ;;`;
  const place = path.length === 0 ? '""' : `/${path.join("/")}`;
  return `    ${place})
      case "$prev" in
${[...cases, others].map((each) => `        ${each}`).join("\n")}
      esac ;;`;
}
