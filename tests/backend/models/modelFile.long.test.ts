/** Many more mutations of a model file than the normal suite has time for. */
import { it } from "vitest";
import { Random, printedSeed } from "../../oracle/random.ts";
import { openDevice } from "../helpers.ts";
import { mutateModel } from "./modelMutation.ts";

it("a model file is refused in all of 20,000 mutations, never with an error of ours", async () => {
  const device = await openDevice("cpu");
  await mutateModel(new Random(printedSeed()), 20_000, device);
  device.dispose();
});
