/**
 * Plans how `compact` goes over an array in pieces; the host puts together what each piece keeps. It is pure.
 */
import type { BufferSpec } from "../../../runtime/source.ts";
import { elementBytes } from "../../../runtime/element.ts";
import { flagBytes, type CompactParams } from "../contract/compact.ts";
import { SCAN_TILE, scanScratchBytes } from "../../../runtime/tileScan.ts";
import { bytesOf, type Stream } from "../../../runtime/stream.ts";
import { run, type RunStep } from "../../../runtime/primitive.ts";
import { compactPrimitive } from "../primitive.ts";

/** Makes the stream. Its sources are input, where values are wanted, and flags, both word by word. */
export function compactStream(params: CompactParams): Stream<undefined> {
  const partOf = (begin: number, end: number): CompactParams => ({
    ...params,
    count: end - begin,
    capacity: end - begin,
    firstIndex: begin,
  });
  return {
    phase: "compact",
    units: params.count,
    step: SCAN_TILE,
    bytes: (count) => bytesOf(buffersOf(partOf(0, count))),
    cost: workOf,
    segment: (begin, end) => {
      const part = partOf(begin, end);
      return {
        label: `elements ${begin}-${end - 1}`,
        buffers: buffersOf(part),
        steps: stepsOf(part, begin, end),
      };
    },
  };
}

export function compactStep(params: CompactParams): RunStep {
  const { values, indices, count } = params;
  return run(compactPrimitive, {
    params,
    bindings: {
      ...(values ? { input: "input", values: "values" } : {}),
      ...(indices ? { indices: "indices" } : {}),
      flags: "flags",
      found: "found",
      scratch: "scratch",
    },
    cost: workOf(count),
  });
}

/** Estimates the work: a few multiply-adds per element. */
function workOf(count: number): number {
  return count * 4;
}

function buffersOf(part: CompactParams): BufferSpec[] {
  const { count, values, indices } = part;
  return [
    ...(values ? [{ name: "input", bytes: elementBytes(count) }] : []),
    { name: "flags", bytes: flagBytes(part) },
    ...(values ? [{ name: "values", bytes: count * 4 }] : []),
    ...(indices ? [{ name: "indices", bytes: count * 4 }] : []),
    { name: "found", bytes: 4 },
    { name: "scratch", bytes: scanScratchBytes(count) },
  ];
}

function stepsOf(part: CompactParams, begin: number, end: number) {
  const upload = (name: string, rows: { readonly begin: number; readonly end: number }) =>
    ({ kind: "upload", to: name, source: name, part: "elements", rows }) as const;
  const download = (from: string, bytes: number) => ({ kind: "download", from, bytes }) as const;
  const flagsPerWord = part.flags === "u8" ? 4 : 1;
  return [
    ...(part.values ? [upload("input", { begin, end })] : []),
    upload("flags", { begin: begin / flagsPerWord, end: Math.ceil(end / flagsPerWord) }),
    compactStep(part),
    ...(part.values ? [download("values", part.count * 4)] : []),
    ...(part.indices ? [download("indices", part.count * 4)] : []),
    download("found", 4),
  ];
}
