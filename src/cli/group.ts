/** Makes a command of commands, such as `nearfield bench`, which names the nearest to one that it has not. */
import { Command } from "commander";
import { meant } from "./options/meant.ts";

/**
 * Makes the command from what its commands are made of.
 * @param words what one of them is called, and several
 */
export function groupCommand(
  name: string,
  { one, many }: { readonly one: string; readonly many: string },
  commands: readonly Command[],
): Command {
  const names = commands.map((each) => each.name());
  const group = new Command(name)
    .helpCommand(false)
    .showHelpAfterError(`(nearfield ${name} --help lists the ${many})`)
    .on("command:*", ([unknown]: string[]) => {
      group.error(
        `error: there is no ${one} ${JSON.stringify(unknown)}${meant(unknown, names)}; the ${many} are ${names.join(", ")}`,
      );
    });
  for (const command of commands) {
    command.showHelpAfterError(`(nearfield ${name} ${command.name()} --help shows every option)`);
    group.addCommand(command);
  }
  return group;
}
