/**
 * Plans for problems that are worked off from front to back in pieces, such as array primitives: what a piece is, is the
 * stream's; how large pieces are, and what follows a failure, is decided here. Pure.
 */
import type { BackendInfo, BufferSpec, Segment } from "./backend.ts";
import { DeviceLostError, OutOfMemoryError } from "../core/errors.ts";
import { roundDown } from "../core/math.ts";
import type { Job, Program } from "./program.ts";

export interface Stream<State> {
  /** For progress. */
  readonly phase: string;
  /** Units, such as elements or rows, of the whole problem. */
  readonly units: number;
  /** All pieces but the last have a multiple of this many units. */
  readonly step: number;
  /** Bytes of the buffers of a piece: all of them, and the largest. */
  bytes(units: number): { readonly total: number; readonly largest: number };
  segment(begin: number, end: number, state: State): Segment;
  /** An end before `end` at which a piece from `begin` on must stop; default it need not. */
  cut?(begin: number, end: number): number;
  /** Work units of a piece. */
  work(units: number): number;
  /** What a piece leaves for the next one; default nothing changes. */
  next?(state: State, downloads: ReadonlyMap<string, ArrayBuffer>): State;
}

/** For Stream.bytes. */
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
  /** Most units of a piece. */
  readonly cap: number;
  /** Units answered. */
  readonly done: number;
  readonly state: State;
  readonly halved: number;
  readonly lostInARow: number;
}

export interface StreamJob extends Job {
  readonly segment: Segment;
  readonly begin: number;
  readonly end: number;
}

/** Losses of the device one after the other, without any progress, that are mended. */
export const MAX_LOSSES_IN_A_ROW = 3;

/** @param cap most units of a piece, for tests */
export function planStream<State>(
  device: BackendInfo,
  state: State,
  cap: number = Infinity,
): StreamPlan<State> {
  const { budgetBytes: budget } = device;
  return { device, budget, cap, done: 0, state, halved: 0, lostInARow: 0 };
}

/** How the engine walks a stream. */
export function streamProgram<State>(stream: Stream<State>): Program<StreamPlan<State>, StreamJob> {
  return {
    phase: stream.phase,
    residentKey: () => "",
    residentBuffers: () => [],
    setupSegment: () => undefined,
    unitsLeft: ({ done }) => stream.units - done,
    nextJob: (plan) => nextJob(stream, plan),
    next: (plan, job, seen) => {
      switch (seen.kind) {
        case "done": {
          const state = stream.next?.(plan.state, seen.downloads) ?? plan.state;
          return { ...plan, state, done: job.end, lostInARow: 0 };
        }
        case "outOfMemory":
          return afterOutOfMemory(stream, plan, seen.error);
        case "deviceLost":
          return afterLoss(plan, seen.error);
      }
    },
  };
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
    work: stream.work(end - begin),
    units: end - begin,
  };
}

/** As many as fit, and at least one step. */
function pieceUnits<State>(
  { units: all, step, bytes }: Stream<State>,
  { device, budget, cap, done }: StreamPlan<State>,
): number {
  const left = all - done;
  let units = Math.min(left, Math.max(step, roundDown(Math.min(cap, left + step), step)));
  for (;;) {
    const { total, largest } = bytes(units);
    if (total <= budget && largest <= device.bufferBytes) return units;
    if (units <= step) {
      throw new OutOfMemoryError(
        `${Math.floor(budget)} bytes of ${device.kind} memory do not hold one piece, which takes ${total}; raise ` +
          (device.kind === "gpu" ? "deviceMemory" : "memory"),
        total,
      );
    }
    const share = Math.min(budget / total, device.bufferBytes / largest, (units - 1) / units);
    units = Math.max(step, roundDown(units * share, step));
  }
}

function afterOutOfMemory<State>(
  stream: Stream<State>,
  plan: StreamPlan<State>,
  error: OutOfMemoryError,
): StreamPlan<State> {
  const halved = { ...plan, budget: plan.budget / 2, halved: plan.halved + 1 };
  try {
    pieceUnits(stream, halved);
    return halved;
  } catch (cause) {
    throw new OutOfMemoryError(
      `${error.message}; pieces were halved ${plan.halved} times without help. Close other programs or use a device ` +
        `with more memory`,
      error.bytes,
      cause,
    );
  }
}

function afterLoss<State>(plan: StreamPlan<State>, error: DeviceLostError): StreamPlan<State> {
  if (plan.lostInARow < MAX_LOSSES_IN_A_ROW) return { ...plan, lostInARow: plan.lostInARow + 1 };
  throw new DeviceLostError(
    `${error.message}; the device was opened again ${plan.lostInARow} times and lost each time. Try the CPU backend`,
    error,
  );
}
