/**
 * A device with a memory of its own that sorts by the oracle, one segment after the other, and fails where a
 * test says so: for what the host does around the kernels of a sort, which it proves nothing of.
 */
import type { Device } from "../../../src/runtime/device.ts";
import type {
  Backend,
  BackendInfo,
  RunOptions,
  Segment,
  SegmentOutput,
} from "../../../src/runtime/backend.ts";
import type { Sources } from "../../../src/runtime/source.ts";
import { rowCount } from "../../../src/runtime/source.ts";
import type { SortParams } from "../../../src/ops/sort/contract.ts";
import { constructors } from "../../backend/arrays/keyInputs.ts";
import { naiveOrder } from "../../oracle/sort.ts";

export interface NaiveOptions {
  /** Bytes of all buffers together, and of one. */
  readonly budget?: number;
  readonly bufferBytes?: number;
  /** Called before each segment with its number from 0; what it throws, the device throws. */
  readonly before?: (segment: number) => void;
  readonly withWorkers?: Device["withWorkers"];
}

/** Returns the device, and the keys of each segment that ran. */
export function naiveDevice({ budget = 2 ** 20, bufferBytes = budget, before, withWorkers }: NaiveOptions): {
  readonly device: Device;
  readonly pieces: number[];
} {
  const pieces: number[] = [];
  let segments = 0;
  const info: BackendInfo = {
    ...{ kind: "gpu", name: "naive", software: true, threads: 1, initialRate: 1e9 },
    ...{ budgetBytes: budget, bufferBytes, uploadBytes: 2 ** 20 },
  };
  const run = async (
    segment: Segment,
    sources: Sources,
    { signal }: RunOptions = {},
  ): Promise<SegmentOutput> => {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    before?.(segments++);
    const bytes = segment.buffers.reduce((sum, buffer) => sum + buffer.bytes, 0);
    if (bytes > budget) throw new Error(`${bytes} bytes of buffers, of ${budget}`);
    const downloads = runOnHost(segment, sources, pieces);
    return { downloads, ms: 1, dispatches: 1, work: 0 };
  };
  const backend = {
    info,
    counters: { dispatches: 0, work: 0, uploadedBytes: 0, downloadedBytes: 0, peakBytes: 0 },
    open: () => Promise.resolve({ run, dispose: () => undefined }),
    dispose: () => undefined,
  } satisfies Backend;
  const device = {
    backend,
    info,
    counters: backend.counters,
    reopen: () => Promise.resolve(),
    takeStages: () => undefined,
    withWorkers: withWorkers ?? (() => Promise.resolve(undefined)),
  };
  return { device: device as unknown as Device, pieces };
}

function runOnHost(
  { buffers, steps }: Segment,
  sources: Sources,
  pieces: number[],
): Map<string, ArrayBuffer> {
  const memory = new Map(buffers.map(({ name, bytes }) => [name, new ArrayBuffer(bytes)]));
  for (const buffer of memory.values()) new Uint8Array(buffer).fill(0xa5);
  const downloads = new Map<string, ArrayBuffer>();
  for (const step of steps) {
    if (step.kind === "upload") {
      const source = sources[step.source];
      const target = new Uint8Array(memory.get(step.to)!, step.at ?? 0);
      source.fill(step.part, step.rows, target.subarray(0, rowCount(step.rows) * source.rowBytes(step.part)));
    } else if (step.kind === "run") {
      const params = step.params as SortParams;
      sortNaively(params, memory);
      pieces.push(params.count);
    } else if (step.kind === "download") {
      downloads.set(step.from, memory.get(step.from)!.slice(0, step.bytes));
    }
  }
  return downloads;
}

function sortNaively(params: SortParams, memory: ReadonlyMap<string, ArrayBuffer>): void {
  const { type, count, rows, values, descending, beginBit, endBit } = params;
  const Type = constructors[type];
  const keys = new Type(memory.get("keys")!, 0, count).slice();
  if (params.offsets && params.offsets.length !== rows + 1) {
    throw new Error(`${params.offsets.length} offsets of ${rows} rows`);
  }
  const given = params.offsets && new Uint32Array(memory.get("offsets")!, 0, rows + 1);
  const offsets = Array.from({ length: rows + 1 }, (_, row) =>
    given ? given[row] - given[0] : (count / rows) * row,
  );
  const places = naiveOrder(keys, { descending, offsets, bits: [beginBit, endBit] });
  const sorted = new Type(memory.get("sortedKeys")!, 0, count);
  const wide = new Uint32Array(keys.buffer);
  const out = new Uint32Array(sorted.buffer);
  const words = wide.length / count;
  places.forEach((place, at) => out.set(wide.subarray(place * words, (place + 1) * words), at * words));
  if (values === "none") return;
  const carried = new Uint32Array(memory.get("sortedValues")!);
  const from = values === "given" ? new Uint32Array(memory.get("values")!) : undefined;
  const beginOf = (at: number) => offsets.findLast((offset) => offset <= at)!;
  places.forEach((place, at) => (carried[at] = from ? from[place] : place - beginOf(place)));
}
