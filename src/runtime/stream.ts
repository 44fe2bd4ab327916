/**
 * This module plans problems that are worked off from front to back in pieces, such as array primitives. The
 * stream says what a piece is; how large pieces are, and what follows a failure, is decided here. All of it
 * is pure.
 */
import type { BackendInfo, Segment } from "./backend.ts";
import type { BufferSpec } from "./source.ts";
import type { DeviceLostError } from "../core/errors.ts";
import { OutOfMemoryError } from "../core/errors.ts";
import { roundDown } from "../core/math.ts";
import type { Job, Program } from "./program.ts";
import { halved, oneMoreLoss } from "./recovery.ts";

export interface Stream<State> {
  /** Progress names it so. */
  readonly phase: string;
  /** The whole problem has this many units, such as elements or rows. */
  readonly units: number;
  /** All pieces but the last have a multiple of this many units. */
  readonly step: number;
  /** Returns the bytes of the buffers of a piece: all of them, and the largest. */
  bytes(units: number): { readonly total: number; readonly largest: number };
  segment(begin: number, end: number, state: State): Segment;
  /** Returns an end before `end` at which a piece from `begin` on must stop; default it need not. */
  cut?(begin: number, end: number): number;
  /** Returns the work units of a piece. */
  cost(units: number): number;
  /** Returns what a piece leaves for the next one; default nothing changes. */
  next?(state: State, downloads: ReadonlyMap<string, ArrayBuffer>): State;
}

/** Adds up buffers for Stream.bytes. */
export function bytesOf(buffers: readonly BufferSpec[]): {
  readonly total: number;
  readonly largest: number;
} {
  const bytes = buffers.map((buffer) => buffer.bytes);
  return { total: bytes.reduce((sum, each) => sum + each, 0), largest: Math.max(...bytes) };
}

export interface StreamPlan<State> {
  readonly device: BackendInfo;
  readonly budget: number;
  /** A piece has at most this many units. */
  readonly cap: number;
  /** This many units are answered. */
  readonly done: number;
  readonly state: State;
  /** It counts what was done, for explain. */
  readonly jobs: number;
  readonly dispatches: number;
  readonly halved: number;
  readonly lost: number;
  readonly lostInARow: number;
}

export interface StreamJob extends Job {
  readonly segment: Segment;
  readonly begin: number;
  readonly end: number;
}

/**
 * Buffers of a piece have at most so many bytes where pieces overlap, so that there are several; an upload
 * takes some 40 ms.
 */
const OVERLAPPED_BYTES = 2 ** 28;

/** Returns the bytes that a piece of such a stream takes at most, unless its least one takes more. */
export function pieceBytes({ kind, budgetBytes }: BackendInfo): number {
  return kind === "gpu" ? Math.min(budgetBytes, OVERLAPPED_BYTES) : budgetBytes;
}

/** Plans a stream. @param cap most units of a piece, for tests */
export function planStream<State>(
  device: BackendInfo,
  state: State,
  cap: number = Infinity,
): StreamPlan<State> {
  const { budgetBytes: budget } = device;
  return { device, budget, cap, done: 0, state, jobs: 0, dispatches: 0, halved: 0, lost: 0, lostInARow: 0 };
}

/** Makes the program by which the engine walks a stream. */
export function streamProgram<State>(stream: Stream<State>): Program<StreamPlan<State>, StreamJob> {
  return {
    phase: stream.phase,
    residentKey: () => "",
    residentBuffers: () => [],
    setupSegment: () => undefined,
    unitsLeft: ({ done }) => stream.units - done,
    nextJob: (plan) => nextJob(stream, plan),
    begun: (plan, job) => (overlaps(stream, plan, job) ? { ...plan, done: job.end } : undefined),
    next: (plan, job, seen) => {
      switch (seen.kind) {
        case "done": {
          const state = stream.next?.(plan.state, seen.downloads) ?? plan.state;
          const dispatches = plan.dispatches + seen.dispatches;
          return { ...plan, state, done: job.end, jobs: plan.jobs + 1, dispatches, lostInARow: 0 };
        }
        case "outOfMemory":
          return afterOutOfMemory(stream, plan, job, seen.error);
        case "deviceLost":
          return afterLoss(plan, seen.error);
      }
    },
  };
}

/** Says whether the next piece may begin while this one ends: where both fit. */
function overlaps<State>(
  stream: Stream<State>,
  { device, budget }: StreamPlan<State>,
  { begin, end }: StreamJob,
): boolean {
  return isIndependent(stream, device) && 2 * stream.bytes(end - begin).total <= budget;
}

/** Says whether pieces leave nothing for each other, and the device has a queue that keeps them in order. */
function isIndependent<State>({ next }: Stream<State>, { kind }: BackendInfo): boolean {
  return kind === "gpu" && !next;
}

function nextJob<State>(stream: Stream<State>, plan: StreamPlan<State>): StreamJob | undefined {
  const begin = plan.done;
  if (begin === stream.units) return undefined;
  const units = pieceUnits(stream, plan);
  const fitting = Math.min(begin + units, stream.units);
  const end = stream.cut?.(begin, fitting) ?? fitting;
  return {
    begin,
    end,
    segment: stream.segment(begin, end, plan.state),
    cost: stream.cost(end - begin),
    units: end - begin,
  };
}

/** Returns how many units a piece has: as many as fit, and at least one step. */
function pieceUnits<State>(stream: Stream<State>, { device, budget, cap, done }: StreamPlan<State>): number {
  const { units: all, step, bytes } = stream;
  const left = all - done;
  const most = isIndependent(stream, device) ? Math.min(budget, OVERLAPPED_BYTES) : budget;
  let units = Math.min(left, Math.max(step, roundDown(Math.min(cap, left + step), step)));
  for (;;) {
    const { total, largest } = bytes(units);
    const fits = total <= budget && largest <= device.bufferBytes;
    if (fits && (total <= most || units <= step)) return units;
    if (units <= step) {
      throw new OutOfMemoryError(
        `${Math.floor(budget)} bytes of ${device.kind} memory do not hold one piece, which takes ${total}; raise ` +
          (device.kind === "gpu" ? "deviceMemory" : "memory"),
        total,
      );
    }
    const share = Math.min(most / total, device.bufferBytes / largest, (units - 1) / units);
    units = Math.max(step, roundDown(units * share, step));
  }
}

/** Halves the piece that failed, whatever the budget: pieces may be far smaller than that. */
function afterOutOfMemory<State>(
  stream: Stream<State>,
  plan: StreamPlan<State>,
  { begin, end }: StreamJob,
  error: OutOfMemoryError,
): StreamPlan<State> {
  return halved(error, "pieces", plan.halved, () => {
    if (end - begin <= stream.step) throw error;
    return { ...plan, cap: (end - begin) / 2, halved: plan.halved + 1 };
  });
}

function afterLoss<State>(plan: StreamPlan<State>, error: DeviceLostError): StreamPlan<State> {
  return { ...plan, lost: plan.lost + 1, lostInARow: oneMoreLoss(error, plan.lostInARow) };
}
