/**
 * Plans how `unique` and `runLength` go over an array in pieces, each of which but the first begins with the
 * last element of the one before. The host puts together what each piece finds. It is pure.
 */
import type { DownloadStep } from "../../../runtime/backend.ts";
import type { BufferSpec } from "../../../runtime/source.ts";
import { elementBytes } from "../../../runtime/element.ts";
import { SCAN_TILE, scanScratchBytes } from "../../../runtime/tileScan.ts";
import { type UniqueParams } from "../contract/unique.ts";
import { bytesOf, type Stream } from "../../../runtime/stream.ts";
import { run, type RunStep } from "../../../runtime/primitive.ts";
import { uniquePrimitive } from "../primitive.ts";

export function uniqueStream(params: UniqueParams): Stream<undefined> {
  return runsStream("unique", params.count, (piece) => {
    return { step: uniqueStep({ type: params.type, ...piece }), results: ["values"] };
  });
}

export function uniqueStep(params: UniqueParams): RunStep {
  return run(uniquePrimitive, {
    params,
    bindings: { input: "input", values: "values", found: "found", scratch: "scratch" },
    cost: runsWork(params.count),
  });
}

/** Estimates the multiply-adds of finding runs in so many elements. */
export function runsWork(count: number): number {
  return count * 4;
}

/** A piece has these parameters; its first element is the last one of the piece before. */
export interface RunsPiece {
  readonly count: number;
  readonly continued: boolean;
  readonly firstIndex: number;
  readonly capacity: number;
}

/** A piece runs this step, which leaves these buffers of `capacity` words. */
export interface RunsRun {
  readonly step: RunStep;
  readonly results: readonly string[];
}

/** Makes the stream. Its source is input, element by element. */
export function runsStream(
  phase: string,
  count: number,
  runOf: (piece: RunsPiece) => RunsRun,
): Stream<undefined> {
  const pieceOf = (begin: number, end: number): RunsPiece => {
    const first = Math.max(begin - 1, 0);
    return { count: end - first, continued: begin > 0, firstIndex: first, capacity: end - begin };
  };
  return {
    phase,
    units: count,
    step: SCAN_TILE,
    bytes: (units) => {
      // The cost is that of a piece that is not the first.
      const piece = pieceOf(1, units + 1);
      return bytesOf(buffersOf(piece, runOf(piece)));
    },
    cost: runsWork,
    segment: (begin, end) => {
      const piece = pieceOf(begin, end);
      const run = runOf(piece);
      const rows = { begin: piece.firstIndex, end };
      const download = (from: string, bytes: number): DownloadStep => ({ kind: "download", from, bytes });
      return {
        label: `elements ${begin}-${end - 1}`,
        buffers: buffersOf(piece, run),
        steps: [
          { kind: "upload", to: "input", source: "input", part: "elements", rows },
          run.step,
          ...run.results.map((name) => download(name, piece.capacity * 4)),
          download("found", 4),
        ],
      };
    },
  };
}

function buffersOf({ count, capacity }: RunsPiece, { results }: RunsRun): BufferSpec[] {
  return [
    { name: "input", bytes: elementBytes(count) },
    ...results.map((name) => ({ name, bytes: capacity * 4 })),
    { name: "found", bytes: 4 },
    { name: "scratch", bytes: scanScratchBytes(count) },
  ];
}
