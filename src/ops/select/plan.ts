/**
 * Plans how `select` goes over a matrix in pieces; the host merges what the spans of a long row leave. It is
 * pure.
 */
import type { BufferSpec } from "../../runtime/source.ts";
import { elementBytes } from "../../runtime/element.ts";
import { type SelectParams } from "./contract.ts";
import { SpanCutter, type RowSpans } from "../../runtime/spans.ts";
import { bytesOf, type Stream } from "../../runtime/stream.ts";
import { run, type RunStep } from "../../runtime/primitive.ts";
import { selectPrimitive } from "./primitive.ts";

/** A span has this many columns. */
export const SELECT_SPAN = 2 ** 22;

/**
 * Makes the stream. Its units are spans, of which every row has the same number.
 * @param scratchBytes the bytes that the device's kernel needs
 */
export function selectStream(
  params: SelectParams,
  span: number,
  scratchBytes: (params: SelectParams) => number,
): Stream<undefined> {
  const { rows, cols } = params;
  const cutter = new SpanCutter(cols, span);
  const buffersOf = (part: SelectParams): BufferSpec[] => [
    { name: "input", bytes: elementBytes(part.rows * part.cols) },
    { name: "values", bytes: part.rows * part.k * 4 },
    { name: "indices", bytes: part.rows * part.k * 4 },
    { name: "scratch", bytes: scratchBytes(part) },
  ];
  return {
    phase: "select",
    units: rows * cutter.perRow,
    step: 1,
    bytes: (units) => {
      const whole = { ...cutter.spans(0, units), cols: cutter.spanCols };
      return bytesOf(buffersOf(selectPart(params, whole)));
    },
    cost: (units) => units * cutter.spanCols * WORK,
    cut: (begin, end) => cutter.cut(begin, end),
    segment: (begin, end) => {
      const spans = cutter.spans(begin, end);
      const part = selectPart(params, spans);
      const bytes = part.rows * part.k * 4;
      const elements = { begin: spans.begin, end: spans.begin + spans.count * spans.cols };
      return {
        label: `rows from ${spans.row} on, columns from ${spans.column} on`,
        buffers: buffersOf(part),
        steps: [
          { kind: "upload", to: "input", source: "input", part: "elements", rows: elements },
          selectStep(part),
          { kind: "download", from: "values", bytes },
          { kind: "download", from: "indices", bytes },
        ],
      };
    },
  };
}

/** An element costs as much as so many multiply-adds. */
const WORK = 8;

/** Returns the spans as rows of their own; a span with fewer than k columns leaves all of them. */
export function selectPart(params: SelectParams, { count, cols }: RowSpans): SelectParams {
  return { ...params, rows: count, cols, k: Math.min(params.k, cols) };
}

export function selectStep(params: SelectParams): RunStep {
  return run(selectPrimitive, {
    params,
    bindings: { input: "input", values: "values", indices: "indices", scratch: "scratch" },
    cost: params.rows * params.cols * WORK,
  });
}
