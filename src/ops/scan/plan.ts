/** How `scan` goes over an array in pieces: each starts with what the piece before it ended with. Pure. */
import { ceilDiv } from "../../core/math.ts";
import {
  elementBytes,
  SCAN_GROUP,
  SCAN_TILE,
  scanScratchBytes,
  type ScanParams,
} from "../../runtime/primitives.ts";
import type { Stream } from "../../runtime/stream.ts";

/** State: ScanParams.initial of the next piece. */
export function scanStream(params: ScanParams): Stream<number> {
  return {
    phase: "scan",
    units: params.count,
    step: SCAN_GROUP,
    bytes: (count) => {
      const padded = elementBytes(count);
      return { total: 2 * padded + scanScratchBytes(count), largest: padded };
    },
    work: workOf,
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

export function scanStep(params: ScanParams) {
  return {
    kind: "run",
    primitive: "scan",
    params,
    bindings: { input: "input", output: "output", scratch: "scratch" },
    work: workOf(params.count),
  } as const;
}

/** Whole tiles, a few multiply-adds per element. */
function workOf(count: number): number {
  return ceilDiv(count, SCAN_TILE) * SCAN_TILE * 4;
}
