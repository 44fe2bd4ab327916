/** SIGINT and SIGTERM at 300 random moments of all commands. */
import { it } from "vitest";
import { Random, printedSeed } from "../../oracle/random.ts";
import { Folder } from "./helpers.ts";
import { interruptCommands } from "./signalMoments.ts";

const folder = new Folder();

it.skipIf(process.platform === "win32")(
  "a signal at any of 300 moments leaves nothing half done",
  async () => {
    await interruptCommands(folder, new Random(printedSeed()), 300);
  },
);
