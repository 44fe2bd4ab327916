/** Real data: a few digits of the MNIST test set, drawn anew each run, against some that are learnt from. */
import { describe, it } from "vitest";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { mnist, pickRows } from "../models/helpers.mnist.ts";
import { expectDigits } from "./digits.ts";

const random = new Random(printedSeed());
const { train, test } = mnist();

describe("distances of handwritten digits are counted as plain loops count them", () => {
  onEachBackend((device) => {
    it("for 3 of them, against 2,000", async () => {
      const pick = (count: number, of: number) => Array.from({ length: count }, () => random.int(0, of));
      const [some, asked] = [pickRows(train, pick(2000, 60_000)), pickRows(test, pick(3, 10_000))];
      await expectDigits(some, asked, device());
    });
  });
});
