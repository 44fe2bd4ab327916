/**
 * A primitive that lies in a folder of its own, which no file of src/ has heard of, runs on every backend:
 * its descriptor is all that the runtime needs, so that there is nothing to register.
 */
import { expect, it } from "vitest";
import { run } from "../../dist/runtime/primitive.js";
import { printedSeed, Random } from "../oracle/random.ts";
import { rowsOf } from "./device/gpu.ts";
import { onEachBackend } from "./helpers.ts";
import { negate } from "./toy/primitive.ts";

const seed = printedSeed();

onEachBackend((device) => {
  it.each([1, 3, 4, 257, 5000])("negates %i numbers", async (count) => {
    const random = new Random(seed);
    const padded = Math.ceil(count / 4) * 4;
    const input = Float32Array.from({ length: padded }, () => random.normal());
    const session = await device().backend.open([]);
    const { downloads } = await session.run(
      {
        label: "negate",
        buffers: ["input", "output"].map((name) => ({ name, bytes: padded * 4 })),
        steps: [
          { kind: "upload", to: "input", source: "input", part: "", rows: { begin: 0, end: padded } },
          run(negate, { params: { count }, bindings: { input: "input", output: "output" }, cost: count }),
          { kind: "download", from: "output", bytes: count * 4 },
        ],
      },
      { input: rowsOf(input, 1) },
    );
    session.dispose();
    const expected = input.subarray(0, count).map((value) => -value);
    expect(new Uint32Array(downloads.get("output")!)).toEqual(new Uint32Array(expected.buffer, 0, count));
  });
});
