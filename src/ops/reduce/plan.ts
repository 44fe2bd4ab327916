/**
 * Plans how `reduce` goes over a matrix in pieces. A long row is cut into spans of REDUCE_SPAN columns
 * whatever the memory is, and their results are joined on the host in order, so that a sum has the same bits
 * however much memory there is. It is pure.
 */
import { elementBytes } from "../../runtime/element.ts";
import { reduceScratchBytes, type ReduceParams } from "./contract.ts";
import type { SpanCutter } from "../../runtime/spans.ts";
import type { Stream } from "../../runtime/stream.ts";
import { run, type RunStep } from "../../runtime/primitive.ts";
import { reducePrimitive } from "./primitive.ts";

/** A span has this many columns. */
export const REDUCE_SPAN = 2 ** 22;

/** Makes the stream. Its units are spans, of which every row has the same number; a short row is one span. */
export function reduceStream(params: ReduceParams, cutter: SpanCutter): Stream<undefined> {
  const { perRow, spanCols } = cutter;
  const work = (units: number): number => units * spanCols * 2;
  return {
    phase: "reduce",
    units: params.rows * perRow,
    step: 1,
    bytes: (units) => {
      const input = elementBytes(units * spanCols);
      const results = units * 4 + reduceScratchBytes({ ...params, rows: units, cols: spanCols });
      return { total: input + results, largest: Math.max(input, results) };
    },
    cost: work,
    cut: (begin, end) => cutter.cut(begin, end),
    segment: (begin, end) => {
      const spans = cutter.spans(begin, end);
      const part = { ...params, rows: spans.count, cols: spans.cols };
      const elements = spans.count * spans.cols;
      const bytes = spans.count * 4;
      return {
        label: `rows from ${spans.row} on, columns from ${spans.column} on`,
        buffers: [
          { name: "input", bytes: elementBytes(elements) },
          { name: "output", bytes },
          { name: "scratch", bytes: reduceScratchBytes(part) },
        ],
        steps: [
          {
            kind: "upload",
            to: "input",
            source: "input",
            part: "elements",
            rows: { begin: spans.begin, end: spans.begin + elements },
          },
          reduceStep(part),
          { kind: "download", from: "output", bytes },
        ],
      };
    },
  };
}

export function reduceStep(params: ReduceParams): RunStep {
  return run(reducePrimitive, {
    params,
    bindings: { input: "input", output: "output", scratch: "scratch" },
    cost: params.rows * params.cols * 2,
  });
}
