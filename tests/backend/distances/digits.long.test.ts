/** Real data: 1,000 digits of the MNIST test set against all 60,000, counted by 5 and by 5,000 bins. */
import { describe, it } from "vitest";
import { onEachBackend } from "../helpers.ts";
import { mnist, pickRows } from "../models/helpers.mnist.ts";
import { expectDigits } from "./digits.ts";

const { train, test } = mnist();

describe("distances of handwritten digits are counted as plain loops count them", () => {
  onEachBackend((device) => {
    it("for 1,000 of them, against 60,000", async () => {
      const asked = pickRows(
        test,
        Array.from({ length: 1000 }, (_, row) => row * 10),
      );
      await expectDigits(train, asked, device());
    });
  });
});
