/** `nearfield completion SHELL` prints a script that completes commands, options and their values. */
import { Argument, Command } from "commander";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { completions, type Completed } from "../completion/words.ts";
import { zshScript } from "../completion/zsh.ts";
import { parserOf } from "../options/parameter.ts";
import { choice } from "../../graph/catalogue/parameters.ts";
import { writeStdout } from "../output.ts";

const shells = ["bash", "zsh", "fish"] as const;

type Shell = (typeof shells)[number];

const scripts: Readonly<Record<Shell, (all: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const help = `
The script is made of the commands themselves. To have it in every shell:
  bash  echo 'source <(nearfield completion bash)' >> ~/.bashrc
  zsh   nearfield completion zsh > "\${fpath[1]}/_nearfield"
  fish  nearfield completion fish > ~/.config/fish/completions/nearfield.fish`;

/** @param load makes all commands, of which the script is made */
export function completionCommand(load: () => Promise<readonly Command[]>): Command {
  const parse = parserOf(choice(shells, { says: "", default: "bash" }));
  return new Command("completion")
    .description("Prints a script that completes commands, options and their values in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(shells).argParser(parse))
    .showHelpAfterError("(nearfield completion --help says how to install it)")
    .addHelpText("after", help)
    .action(async (shell: Shell) => {
      const program = new Command("nearfield").option("-V, --version", "print the version");
      for (const command of await load()) program.addCommand(command);
      await writeStdout(scripts[shell](completions(program)));
    });
}
