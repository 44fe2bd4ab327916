/**
 * Plans how `convolve` goes through a device with a memory of its own: in pieces of outputs, each with the
 * samples that its outputs need, those beyond the ends of a row included. So kernels see no boundary. Pieces
 * leave nothing for each other. Pure, but for `deliver`.
 */
import { assert } from "../../core/errors.ts";
import { ceilDiv } from "../../core/math.ts";
import { elementBytes } from "../../runtime/element.ts";
import { run, type RunStep } from "../../runtime/primitive.ts";
import type { BufferSpec, HostSource, RowSet } from "../../runtime/source.ts";
import { bytesOf, type Stream } from "../../runtime/stream.ts";
import { convolveScratchBytes, type ConvolveParams } from "./contract.ts";
import { PIECE_PRODUCTS, PIECE_SPAN } from "./policy.ts";
import { convolvePrimitive } from "./primitive.ts";
import { copySamples, samplesIn, type Samples } from "./samples.ts";

export interface ConvolveTuning {
  /** Units of a piece at most. */
  readonly piece?: number | undefined;
  /** Outputs of a row that are a unit; a shorter row is one unit. */
  readonly span?: number | undefined;
}

/** Outputs of some columns of a row, or of some whole rows. */
interface Part {
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly cols: number;
}

export class ConvolvePieces {
  readonly source: HostSource;
  readonly stream: Stream<undefined>;
  /** Units of a piece at most. */
  readonly cap: number;
  readonly #params: ConvolveParams;
  readonly #span: number;
  readonly #perRow: number;

  constructor(
    params: ConvolveParams,
    signal: Samples,
    { piece = Infinity, span = PIECE_SPAN }: ConvolveTuning = {},
  ) {
    const { rows, length, masks, taps } = params;
    this.#params = params;
    this.#span = Math.min(span, length);
    this.#perRow = ceilDiv(length, this.#span);
    this.source = new ExtendedRows(params, signal);
    this.cap = Math.max(1, Math.min(piece, Math.floor(PIECE_PRODUCTS / (this.#span * masks * taps))));
    this.stream = {
      phase: "convolve",
      units: rows * this.#perRow,
      step: 1,
      bytes: (units) => bytesOf(buffersOf(this.#paramsOf(this.#part(0, units)))),
      cost: (units) => units * this.#span * masks * taps,
      cut: (begin, end) => {
        const rowEnd = (Math.floor(begin / this.#perRow) + 1) * this.#perRow;
        return this.#perRow === 1 ? end : Math.min(end, rowEnd);
      },
      segment: (begin, end) => this.#segment(this.#part(begin, end)),
    };
  }

  /** Writes a piece of the result; returns the output whose sum overflows first, of the whole result. */
  deliver(
    begin: number,
    end: number,
    downloads: ReadonlyMap<string, ArrayBuffer>,
    result: Uint32Array,
  ): number | undefined {
    const { masks, length } = this.#params;
    const { row, rows, column, cols } = this.#part(begin, end);
    const words = new Uint32Array(downloads.get("output")!);
    const place = (line: number): number => (row * masks + line) * length + column;
    for (let line = 0; line < rows * masks; line++) {
      result.set(words.subarray(line * cols, (line + 1) * cols), place(line));
    }
    const status = downloads.get("status");
    const found = status ? new Uint32Array(status)[0] : 0;
    const output = 0xffffffff - found;
    return found === 0 ? undefined : place(Math.floor(output / cols)) + (output % cols);
  }

  #part(begin: number, end: number): Part {
    const { length } = this.#params;
    if (this.#perRow === 1) return { row: begin, rows: end - begin, column: 0, cols: length };
    const column = (begin % this.#perRow) * this.#span;
    const cols = Math.min((end - begin) * this.#span, length - column);
    return { row: Math.floor(begin / this.#perRow), rows: 1, column, cols };
  }

  #paramsOf({ rows, cols }: Part): ConvolveParams {
    const count = cols + this.#params.taps - 1;
    return { ...this.#params, rows, count, length: cols, before: 0, boundary: "constant", fill: 0 };
  }

  #segment(part: Part): ReturnType<Stream<undefined>["segment"]> {
    const params = this.#paramsOf(part);
    const { rows, count, masks, taps, limit } = params;
    const begin = part.row * (this.#params.length + taps - 1) + part.column;
    const rowsOf = (begin: number, count: number) => ({
      part: "elements",
      rows: { begin, end: begin + count },
    });
    return {
      label: `rows from ${part.row} on, outputs from ${part.column} on`,
      buffers: buffersOf(params),
      steps: [
        { kind: "upload", to: "signal", source: "signal", ...rowsOf(begin, rows * count) },
        { kind: "upload", to: "mask", source: "mask", ...rowsOf(0, masks * taps) },
        ...(limit !== undefined ? [{ kind: "clear", buffer: "status" } as const] : []),
        convolveStep(params),
        { kind: "download", from: "output", bytes: rows * masks * part.cols * 4 },
        ...(limit !== undefined ? [{ kind: "download", from: "status", bytes: 4 } as const] : []),
      ],
    };
  }
}

export function convolveStep(params: ConvolveParams): RunStep {
  const names = {
    signal: "signal",
    mask: "mask",
    output: "output",
    status: "status",
    scratch: "scratch",
  } as const;
  const { rows, masks, length, taps } = params;
  return run(convolvePrimitive, { params, bindings: names, cost: rows * masks * length * taps });
}

function buffersOf(params: ConvolveParams): BufferSpec[] {
  const { rows, count, masks, taps, length } = params;
  return [
    { name: "signal", bytes: elementBytes(rows * count) },
    { name: "mask", bytes: elementBytes(masks * taps) },
    { name: "output", bytes: elementBytes(rows * masks * length) },
    { name: "status", bytes: 4 },
    { name: "scratch", bytes: Math.max(4, convolveScratchBytes(params)) },
  ];
}

/** Rows of a signal with what lies before and after them, as words that are made while they are uploaded. */
class ExtendedRows implements HostSource {
  readonly rows: number;
  readonly #params: ConvolveParams;
  readonly #signal: Samples;

  constructor(params: ConvolveParams, signal: Samples) {
    this.rows = params.rows * (params.length + params.taps - 1);
    this.#params = params;
    this.#signal = signal;
  }

  rowBytes(): number {
    return 4;
  }

  fill(_part: string, rows: RowSet, { buffer, byteOffset }: Uint8Array): void {
    assert("begin" in rows, "samples are uploaded in their order");
    const { type, count, taps, length, before } = this.#params;
    const cols = length + taps - 1;
    for (let at = rows.begin; at < rows.end;) {
      const row = Math.floor(at / cols);
      const column = at - row * cols;
      const some = Math.min(cols - column, rows.end - at);
      const target = samplesIn(type, buffer, byteOffset + (at - rows.begin) * 4, some);
      copySamples(
        target,
        this.#signal.subarray(row * count, (row + 1) * count),
        column - before,
        this.#params,
      );
      at += some;
    }
  }
}
