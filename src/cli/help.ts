/**
 * Lays out the help of a command: its options by what they are about, without those that few people need,
 * which --help-all shows. Neither order nor headings stand in the commands, so that all have the same ones.
 */
import { Help, type Command, type Option } from "commander";

/** The headings in order, each with its options; all others are options of the method. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "Data:":
    "train test queries model label features ignore id carry group sampleWeight nominal numeric columns column".split(
      " ",
    ),
  "Method:": [],
  "Reading files:": "input-format encoding na no-header skip comment thousands units delimiter decimal".split(
    " ",
  ),
  "Output:":
    "out format cv-out force save-model report confidence no-confidences plot explain json quiet".split(" "),
  "Machine:": "backend gpu threads memory device-memory matrix-units".split(" "),
  "Options:": ["help", "version"],
};

/** These options are shown by --help-all alone. */
const rare = new Set([
  ...groups["Reading files:"],
  ..."columns numeric gpu threads memory device-memory matrix-units kernel p compat float32 seed".split(" "),
]);

const OTHERS = "Method:";
const headings = Object.keys(groups);
const headingOf = new Map(headings.flatMap((heading) => groups[heading].map((name) => [name, heading])));

class GroupedHelp extends Help {
  readonly #all: boolean;
  /** It is true while the help is written: names to suggest for an unknown one are those of all options. */
  #isWriting = false;

  constructor(all: boolean) {
    super();
    this.#all = all;
  }

  override formatHelp(command: Command, helper: Help): string {
    this.#isWriting = true;
    const text = super.formatHelp(command, helper);
    this.#isWriting = false;
    return text;
  }

  override visibleOptions(command: Command): Option[] {
    const options = super.visibleOptions(command);
    return this.#isWriting && !this.#all ? options.filter((option) => !isRare(option)) : options;
  }

  override groupItems<Item extends Command | Option>(
    unsorted: Item[],
    visible: Item[],
    groupOf: (item: Item) => string,
  ): Map<string, Item[]> {
    const found = super.groupItems(unsorted, visible, groupOf);
    return new Map([...found].sort(([a], [b]) => headings.indexOf(a) - headings.indexOf(b)));
  }

  override styleTitle(title: string): string {
    return `\x1b[1m${title}\x1b[0m`;
  }
}

/**
 * Gives a command the help of all commands.
 * @param all also shows options that few people need
 */
export function layOutHelp(command: Command, all: boolean): void {
  for (const option of command.options) option.helpGroup(headingOf.get(nameOf(option)) ?? OTHERS);
  const hidden = command.options.filter(isRare).length;
  command.createHelp = () => new GroupedHelp(all);
  if (hidden > 0)
    command.helpOption(
      "-h, --help",
      all ? "show this help" : `show this help; --help-all shows ${hidden} more options`,
    );
  else command.helpOption("-h, --help", "show this help");
}

function isRare(option: Option): boolean {
  return rare.has(nameOf(option));
}

function nameOf({ long }: Option): string {
  return (long ?? "").slice(2);
}
