/** A few of the moments of signals.long.test.ts, two of each command. */
import { it } from "vitest";
import { Random, printedSeed } from "../../../oracle/random.ts";
import { Folder } from "../helpers.ts";
import { commands, interruptCommand } from "./moments.ts";

const folder = new Folder();
const random = new Random(printedSeed());

it.skipIf(process.platform === "win32").each(commands)(
  "a signal at any moment of %s leaves nothing half done",
  (command) => interruptCommand(command, folder, random, 2),
);
