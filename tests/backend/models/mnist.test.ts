/**
 * Real data: digits of the MNIST test set against all 60,000 training digits, row for row as float64 brute
 * force has them. A sample, drawn anew each run; the accuracies over all 10,000 are mnist.long.test.ts.
 */
import { describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend } from "../helpers.ts";
import { bruteForceDigits, mnist, pickRows } from "./helpers.mnist.ts";

const random = new Random(printedSeed());
const { train, test } = mnist();
const sample = { cpu: 8, gpu: 3 };

describe("handwritten digits have the neighbours that brute force finds", () => {
  onEachBackend((device, backend) => {
    it(`for ${sample[backend]} of them`, async () => {
      const rows = Array.from({ length: sample[backend] }, () => random.int(0, test.rows));
      const queries = pickRows(test, rows);
      const found = await kneighbors(train, queries, { k: 5, device: device() });
      expectSame(found, bruteForceDigits(train, queries, 5), 5);
      expect(found.explanation.pairs).toBe(sample[backend] * 60_000);
      expect(found.explanation.refinedPairs).toBeLessThanOrEqual(sample[backend] * 600);
    }, 120_000);
  });
});
