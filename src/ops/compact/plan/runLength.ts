/**
 * Plans how `runLength` goes over an array in pieces, as `unique` does; the host adds up runs that go on from
 * piece to piece. It is pure.
 */
import type { RunLengthParams } from "../contract/runLength.ts";
import type { Stream } from "../../../runtime/stream.ts";
import { runsStream, runsWork } from "./unique.ts";
import { run, type RunStep } from "../../../runtime/primitive.ts";
import { runLengthPrimitive } from "../primitive.ts";

export function runLengthStream({ count, type }: RunLengthParams): Stream<undefined> {
  return runsStream("runLength", count, (piece) => ({
    step: runLengthStep({ type, ...piece }),
    results: ["values", "counts", "offsets"],
  }));
}

export function runLengthStep(params: RunLengthParams): RunStep {
  return run(runLengthPrimitive, {
    params,
    bindings: {
      input: "input",
      values: "values",
      counts: "counts",
      offsets: "offsets",
      found: "found",
      scratch: "scratch",
    },
    cost: runsWork(params.count),
  });
}
