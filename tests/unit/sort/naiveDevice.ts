/**
 * A device with a memory of its own that sorts by the oracle, one segment after the other, and fails where a
 * test says so: for what the host does around the kernels of a sort, which it proves nothing of.
 */
import type { Device } from "../../../src/runtime/device.ts";
import type {
  Backend,
  BackendInfo,
  SegmentOptions,
  Segment,
  SegmentOutput,
  Session,
} from "../../../src/runtime/backend.ts";
import { bindingsOf, isRunOf } from "../../../src/runtime/primitive.ts";
import type { BufferSpec, Sources } from "../../../src/runtime/source.ts";
import { rowCount } from "../../../src/runtime/source.ts";
import type { MergeParams } from "../../../src/ops/sort/blocks/contract.ts";
import { mergePrimitive } from "../../../src/ops/sort/blocks/primitive.ts";
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
    resident: ReadonlyMap<string, ArrayBuffer>,
    segment: Segment,
    sources: Sources,
    { signal }: SegmentOptions = {},
  ): Promise<SegmentOutput> => {
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    before?.(segments++);
    const memory = new Map([...resident, ...allocated(segment.buffers)]);
    const bytes = [...memory.values()].map(({ byteLength }) => byteLength);
    const total = bytes.reduce((sum, each) => sum + each, 0);
    if (total > budget) throw new Error(`${total} bytes of buffers, of ${budget}`);
    if (Math.max(...bytes) > bufferBytes) throw new Error(`a buffer of ${Math.max(...bytes)} bytes`);
    const downloads = runOnHost(segment, memory, sources, pieces);
    return { downloads, ms: 1, dispatches: 1, work: 0 };
  };
  const backend = {
    info,
    counters: { dispatches: 0, work: 0, uploadedBytes: 0, downloadedBytes: 0, peakBytes: 0 },
    open: (resident) => {
      const memory = allocated(resident);
      const bound = (...rest: Parameters<Session["run"]>) => run(memory, ...rest);
      return Promise.resolve({ run: bound, dispose: () => undefined });
    },
    dispose: () => undefined,
  } satisfies Backend;
  const device = {
    backend,
    info,
    counters: backend.counters,
    reopen: () => Promise.resolve(),
    takeStages: () => undefined,
    dispose: () => undefined,
    withWorkers: withWorkers ?? (() => Promise.resolve(undefined)),
  };
  return { device: device as unknown as Device, pieces };
}

/** Makes buffers that are full of something. */
function allocated(buffers: readonly BufferSpec[]): Map<string, ArrayBuffer> {
  return new Map(buffers.map(({ name, bytes }) => [name, new Uint8Array(bytes).fill(0xa5).buffer]));
}

function runOnHost(
  { steps }: Segment,
  memory: ReadonlyMap<string, ArrayBuffer>,
  sources: Sources,
  pieces: number[],
): Map<string, ArrayBuffer> {
  const downloads = new Map<string, ArrayBuffer>();
  for (const step of steps) {
    if (step.kind === "upload") {
      const source = sources[step.source];
      const target = new Uint8Array(memory.get(step.to)!, step.at ?? 0);
      source.fill(step.part, step.rows, target.subarray(0, rowCount(step.rows) * source.rowBytes(step.part)));
    } else if (step.kind === "run") {
      const bound = bindingsOf(step).map(([name, use]) => [name, memory.get(use as string)!] as const);
      const buffers = new Map(bound);
      if (isRunOf(step, mergePrimitive)) mergeNaively(step.params, buffers);
      else {
        const params = step.params as SortParams;
        sortNaively(params, buffers);
        pieces.push(params.count);
      }
    } else if (step.kind === "download") {
      const { from, begin = 0, as = from, bytes } = step;
      downloads.set(as, memory.get(from)!.slice(begin, begin + bytes));
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

/** Sorts the keys of both runs, which is stable, and gives the stretch that is asked for. */
function mergeNaively(params: MergeParams, memory: ReadonlyMap<string, ArrayBuffer>): void {
  const { type, descending, beginBit, endBit, left, right, begin, count, carries } = params;
  const Type = constructors[type];
  const words = Type.BYTES_PER_ELEMENT / 4;
  const both = new Uint32Array((left + right) * words);
  both.set(new Uint32Array(memory.get("leftKeys")!, 0, left * words));
  both.set(new Uint32Array(memory.get("rightKeys")!, 0, right * words), left * words);
  const places = naiveOrder(new Type(both.buffer), { descending, bits: [beginBit, endBit] });
  const out = new Uint32Array(memory.get("keys")!);
  places.slice(begin, begin + count).forEach((place, at) => {
    out.set(both.subarray(place * words, (place + 1) * words), at * words);
  });
  if (!carries) return;
  const [ofLeft, ofRight, values] = ["leftValues", "rightValues", "values"].map(
    (name) => new Uint32Array(memory.get(name)!),
  );
  places.slice(begin, begin + count).forEach((place, at) => {
    values[at] = place < left ? ofLeft[place] + params.leftAdd : ofRight[place - left] + params.rightAdd;
  });
}
