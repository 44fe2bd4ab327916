/** A few of the moments of signals.long.test.ts, two of each command. */
import { it } from "vitest";
import { Random, printedSeed } from "../../oracle/random.ts";
import { Folder } from "./helpers.ts";
import { interruptCommands } from "./signalMoments.ts";

const folder = new Folder();

it.skipIf(process.platform === "win32")("a signal at any moment leaves nothing half done", async () => {
  await interruptCommands(folder, new Random(printedSeed()), 18);
});
