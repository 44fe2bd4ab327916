/**
 * Plans how `scan` goes over an array in pieces: each starts with what the piece before it ended with. It is
 * pure.
 */
import { ceilDiv } from "../../core/math.ts";
import { elementBytes } from "../../runtime/element.ts";
import { SCAN_GROUP, SCAN_TILE, scanScratchBytes } from "../../runtime/tileScan.ts";
import type { ScanParams } from "./contract.ts";
import type { Stream } from "../../runtime/stream.ts";
import { run, type RunStep } from "../../runtime/primitive.ts";
import { scanPrimitive } from "./primitive.ts";

/** Makes the stream. Its state is ScanParams.initial of the next piece. */
export function scanStream(params: ScanParams): Stream<number> {
  return {
    phase: "scan",
    units: params.count,
    step: SCAN_GROUP,
    bytes: (count) => {
      const padded = elementBytes(count);
      return { total: 2 * padded + scanScratchBytes(count), largest: padded };
    },
    cost: workOf,
    segment: (begin, end, initial) => {
      const count = end - begin;
      return {
        label: `elements ${begin}-${end - 1}`,
        buffers: [
          { name: "input", bytes: elementBytes(count) },
          { name: "output", bytes: elementBytes(count) },
          { name: "scratch", bytes: scanScratchBytes(count) },
        ],
        steps: [
          { kind: "upload", to: "input", source: "input", part: "elements", rows: { begin, end } },
          scanStep({ ...params, count, initial }),
          { kind: "download", from: "output", bytes: count * 4 },
          { kind: "download", from: "scratch", bytes: 4 },
        ],
      };
    },
    next: (_, downloads) => new Uint32Array(downloads.get("scratch")!)[0],
  };
}

export function scanStep(params: ScanParams): RunStep {
  return run(scanPrimitive, {
    params,
    bindings: { input: "input", output: "output", scratch: "scratch" },
    cost: workOf(params.count),
  });
}

/** Estimates the work of whole tiles, a few multiply-adds per element. */
function workOf(count: number): number {
  return ceilDiv(count, SCAN_TILE) * SCAN_TILE * 4;
}
