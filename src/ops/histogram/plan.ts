/** Plans how `histogram` goes over a matrix in pieces, whose counts the host adds up. It is pure. */
import type { BufferSpec } from "../../runtime/source.ts";
import { elementBytes } from "../../runtime/element.ts";
import { OUTSIDE, RANGE_WORDS, type HistogramParams } from "./contract.ts";
import { SpanCutter, type RowSpans } from "../../runtime/spans.ts";
import { bytesOf, type Stream } from "../../runtime/stream.ts";
import { run, type RunStep } from "../../runtime/primitive.ts";
import { histogramPrimitive } from "./primitive.ts";

/** A span has this many columns. */
export const HISTOGRAM_SPAN = 2 ** 22;

/**
 * Makes the stream. Its units are spans, of which every row has the same number. Its sources are input, edges
 * and ranges, element by element.
 */
export function histogramStream(params: HistogramParams, span: number): Stream<undefined> {
  const { rows, cols } = params;
  const cutter = new SpanCutter(cols, span);
  return {
    phase: "histogram",
    units: rows * cutter.perRow,
    step: 1,
    bytes: (units) => bytesOf(buffersOf({ ...params, rows: units, cols: cutter.spanCols })),
    cost: (units) => units * cutter.spanCols * WORK,
    cut: (begin, end) => cutter.cut(begin, end),
    segment: (begin, end) => {
      const spans = cutter.spans(begin, end);
      return {
        label: `rows from ${spans.row} on, columns from ${spans.column} on`,
        buffers: buffersOf(partOf(params, spans)),
        steps: stepsOf(params, spans),
      };
    },
  };
}

/** An element costs as much as so many multiply-adds. */
const WORK = 8;

export function histogramStep(params: HistogramParams): RunStep {
  return run(histogramPrimitive, {
    params,
    bindings: { input: "input", edges: "edges", ranges: "ranges", counts: "counts", outside: "outside" },
    cost: params.rows * params.cols * WORK,
  });
}

/** Returns the parameters of a part: spans of one row are rows of their own, with the edges of that row. */
function partOf(params: HistogramParams, { count, cols }: RowSpans): HistogramParams {
  const perRow = params.perRow && cols === params.cols;
  return { ...params, rows: count, cols, perRow };
}

function buffersOf({ bins, rows, cols, perRow }: HistogramParams): BufferSpec[] {
  const sets = perRow ? rows : 1;
  return [
    { name: "input", bytes: elementBytes(rows * cols) },
    { name: "edges", bytes: sets * bins * 4 },
    { name: "ranges", bytes: sets * RANGE_WORDS * 4 },
    { name: "counts", bytes: rows * bins * 4 },
    { name: "outside", bytes: rows * OUTSIDE * 4 },
  ];
}

function stepsOf(params: HistogramParams, spans: RowSpans) {
  const { bins, perRow } = params;
  const part = partOf(params, spans);
  const sets = { begin: perRow ? spans.row : 0, count: part.perRow ? spans.count : 1 };
  const upload = (name: string, begin: number, count: number) =>
    ({
      kind: "upload",
      to: name,
      source: name,
      part: "elements",
      rows: { begin, end: begin + count },
    }) as const;
  return [
    upload("input", spans.begin, spans.count * spans.cols),
    upload("edges", sets.begin * bins, sets.count * bins),
    upload("ranges", sets.begin * RANGE_WORDS, sets.count * RANGE_WORDS),
    { kind: "clear", buffer: "counts" },
    { kind: "clear", buffer: "outside" },
    histogramStep(part),
    { kind: "download", from: "counts", bytes: spans.count * bins * 4 },
    { kind: "download", from: "outside", bytes: spans.count * OUTSIDE * 4 },
  ] as const;
}
