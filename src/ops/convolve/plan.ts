/**
 * Plans how `convolve` goes through a device with a memory of its own: in pieces of outputs of some masks,
 * each with the samples that its outputs need, those beyond the ends of a row included. So kernels see no
 * boundary, and no piece waits for another. All is pure but `deliver`.
 */
import { assert } from "../../core/errors.ts";
import { ceilDiv } from "../../core/math.ts";
import type { BackendInfo } from "../../runtime/backend.ts";
import { elementBytes } from "../../runtime/element.ts";
import { run, type RunStep } from "../../runtime/primitive.ts";
import type { BufferSpec, HostSource, RowSet } from "../../runtime/source.ts";
import { bytesOf, type Stream } from "../../runtime/stream.ts";
import { convolveScratchBytes, type ConvolveParams } from "./contract.ts";
import { LEAST_SPAN, PIECE_PRODUCTS, PIECE_SPAN } from "./policy.ts";
import { convolvePrimitive } from "./primitive.ts";
import { copySamples, samplesIn, type Samples } from "./samples.ts";

export interface ConvolveTuning {
  /** A piece has at most this many units. */
  readonly piece?: number | undefined;
  /** Outputs of a row that are a unit; a shorter row is one unit. */
  readonly span?: number | undefined;
}

/** It holds outputs of some columns of a row, or of some whole rows, with some of the masks. */
interface OutputPart {
  readonly mask: number;
  readonly masks: number;
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly cols: number;
}

export class ConvolvePieces {
  readonly source: HostSource;
  readonly stream: Stream<undefined>;
  /** A piece has at most this many units. */
  readonly cap: number;
  readonly #params: ConvolveParams;
  readonly #span: number;
  readonly #perRow: number;
  /** A unit has so many masks. */
  readonly #masks: number;

  constructor(
    params: ConvolveParams,
    signal: Samples,
    device: BackendInfo,
    { piece = Infinity, span: most = PIECE_SPAN }: ConvolveTuning = {},
  ) {
    const { rows, length, taps } = params;
    const { span, masks } = unitOf(params, Math.min(most, length), device);
    this.#params = params;
    this.#span = span;
    this.#masks = masks;
    this.#perRow = ceilDiv(length, span);
    this.source = new ExtendedRows(params, signal);
    this.cap = Math.max(1, Math.min(piece, Math.floor(PIECE_PRODUCTS / (span * masks * taps))));
    // Units are [masks][rows][columns]; a piece ends with a row that is cut, and with its masks.
    const together = this.#perRow === 1 ? rows : this.#perRow;
    this.stream = {
      phase: "convolve",
      units: ceilDiv(params.masks, masks) * rows * this.#perRow,
      step: 1,
      bytes: (units) => bytesOf(buffersOf(this.#paramsOf(this.#part(0, Math.min(units, together))))),
      cost: (units) => units * span * masks * taps,
      cut: (begin, end) => Math.min(end, (Math.floor(begin / together) + 1) * together),
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
    const part = this.#part(begin, end);
    const { row, rows, column, cols } = part;
    const words = new Uint32Array(downloads.get("output")!);
    const place = (line: number): number => {
      const mask = part.mask + (line % part.masks);
      return ((row + Math.floor(line / part.masks)) * masks + mask) * length + column;
    };
    for (let line = 0; line < rows * part.masks; line++) {
      result.set(words.subarray(line * cols, (line + 1) * cols), place(line));
    }
    const status = downloads.get("status");
    const found = status ? new Uint32Array(status)[0] : 0;
    const output = 0xffffffff - found;
    return found === 0 ? undefined : place(Math.floor(output / cols)) + (output % cols);
  }

  #part(begin: number, end: number): OutputPart {
    const { rows, masks: all, length } = this.#params;
    const line = Math.floor(begin / this.#perRow);
    const row = line % rows;
    const mask = ((line - row) / rows) * this.#masks;
    const masks = Math.min(this.#masks, all - mask);
    if (this.#perRow === 1) return { mask, masks, row, rows: end - begin, column: 0, cols: length };
    const column = (begin % this.#perRow) * this.#span;
    const cols = Math.min((end - begin) * this.#span, length - column);
    return { mask, masks, row, rows: 1, column, cols };
  }

  #paramsOf({ mask, masks, rows, cols }: OutputPart): ConvolveParams {
    const { taps, uniformMask } = this.#params;
    const own = { masks, uniformMask: uniformMask?.slice(mask * taps, (mask + masks) * taps) };
    return paramsOfPiece({ ...this.#params, ...own }, rows, cols);
  }

  #segment(part: OutputPart): ReturnType<Stream<undefined>["segment"]> {
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
        { kind: "upload", to: "mask", source: "mask", ...rowsOf(part.mask * taps, masks * taps) },
        ...(limit !== undefined ? [{ kind: "clear", buffer: "status" } as const] : []),
        convolveStep(params),
        { kind: "download", from: "output", bytes: rows * masks * part.cols * 4 },
        ...(limit !== undefined ? [{ kind: "download", from: "status", bytes: 4 } as const] : []),
      ],
    };
  }
}

function paramsOfPiece(params: ConvolveParams, rows: number, cols: number): ConvolveParams {
  const count = cols + params.taps - 1;
  return { ...params, rows, count, length: cols, before: 0, boundary: "constant", fill: 0 };
}

/**
 * Returns how many outputs of a row and how many masks make a unit of which a device holds two. Outputs are
 * halved while they are many beside the samples that their pieces have in common, then masks, then outputs
 * again.
 */
function unitOf(
  params: ConvolveParams,
  most: number,
  { budgetBytes, bufferBytes }: BackendInfo,
): { readonly span: number; readonly masks: number } {
  let [span, masks] = [most, params.masks];
  const fits = (): boolean => {
    const { total, largest } = bytesOf(buffersOf(paramsOfPiece({ ...params, masks }, 1, span)));
    return 2 * total <= budgetBytes && largest <= bufferBytes;
  };
  while (!fits() && span * masks > 1) {
    if (masks === 1 || span > Math.max(LEAST_SPAN, 2 * params.taps)) span = Math.ceil(span / 2);
    else masks = Math.ceil(masks / 2);
  }
  return { span, masks };
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
