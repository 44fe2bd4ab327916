/**
 * The executor walks a program on a device: it opens its resident buffers, runs job after job, tells the
 * program what was seen, and recovers where it can: a lost device is opened again and only unfinished jobs
 * run again; out of memory goes back to the plan. It has no policy: what to run, and when to give up, is the
 * program's.
 */
import { unlessAborted } from "../core/async/aborted.ts";
import { type OptionNames } from "../core/options.ts";
import type { Backend, SegmentOptions, Segment, SegmentOutput, Session, Targets } from "./backend.ts";
import type { Sources } from "./source.ts";
import { assert, DeviceLostError, InvalidInputError, OutOfMemoryError } from "../core/errors.ts";
import type { Done, Job, Observation, Program } from "./program.ts";
import type { Device } from "./device.ts";

/**
 * A call reports its progress in this form.
 * @example
 * const seen: Progress[] = [];
 * await kneighbors([[0], [5]], [[4], [1]], { k: 1, onProgress: (progress) => seen.push(progress) });
 * seen.at(-1); // => { phase: "search", done: 2, total: 2 }
 */
export interface Progress {
  readonly phase: string;
  readonly done: number;
  /**
   * There are this many units in all; Infinity while that is unknown, which for a stream of unknown length is
   * until its end.
   */
  readonly total: number;
}

export interface ExecuteOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** It is called with progress that never goes back; the last call has done = total. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export const executeNames: OptionNames<ExecuteOptions> = { signal: 1, onProgress: 1 };

/** A run of a program takes these, too. */
interface RunOptions extends ExecuteOptions {
  /** Downloads of jobs may go here; default there are none. */
  readonly targets?: Targets | undefined;
}

interface Violated<Plan> {
  readonly kind: "violated";
  readonly plan: Plan;
}

/**
 * It is the host's part of a job, and may overlap the device's part of the next one. `awaited` jobs are there
 * for what it resolves to.
 */
export type Finish<J> = (job: J, downloads: ReadonlyMap<string, ArrayBuffer>) => Promise<unknown>;

/** A job without a segment is observed as this. */
const nothingToDo: Done = { kind: "done", ms: 0, downloads: new Map(), dispatches: 0, work: 0 };

/** A session was opened for this plan; it has what filling its buffers showed. */
interface OpenedSession {
  readonly key: string;
  readonly backend: Backend;
  readonly session: Session;
  readonly ran: readonly SegmentOutput[];
}

/** It is a job on its way, and what is seen of it. */
interface Running<Plan, J> {
  readonly job: J;
  readonly backend: Backend;
  /** Its resident buffers hold what this key stands for. */
  readonly key: string;
  readonly seen: Promise<Observation | Violated<Plan>>;
}

/**
 * This holds the plan, which set-up may have changed, and its next job on its way; undefined where there is
 * none.
 */
interface Begun<Plan, J> {
  readonly plan: Plan;
  readonly running: Running<Plan, J> | undefined;
}

/**
 * Runs programs over the same resident data, one after the other, and keeps the resident buffers in between.
 * Of concurrent calls one waits for the other.
 */
export class Executor {
  readonly #device: Device;
  #open: OpenedSession | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** These segments of `Job.ahead` are being compiled on a backend, or have been. */
  readonly #ahead = new WeakMap<Backend, WeakMap<Segment, boolean>>();
  #disposed = false;

  constructor(device: Device) {
    this.#device = device;
  }

  /**
   * Runs a program to its end.
   * @returns the plan as it was at the end, for explain; one whose assumption was violated has work left.
   */
  async execute<Plan, J extends Job>(
    program: Program<Plan, J>,
    plan: Plan,
    sources: Sources,
    finish: Finish<J>,
    options: RunOptions = {},
  ): Promise<Plan> {
    if (this.#disposed) throw new InvalidInputError("this index was disposed; fit another one");
    const before = this.#turn;
    const run = unlessAborted(before, options.signal).then(() =>
      this.#run(program, plan, sources, finish, options),
    );
    this.#turn = Promise.allSettled([before, run]);
    return run;
  }

  /** Frees the resident buffers once the runs that were asked for have ended; later ones are refused. */
  dispose(): void {
    this.#disposed = true;
    void this.#turn.then(() => this.#close());
  }

  async #run<Plan, J extends Job>(
    program: Program<Plan, J>,
    start: Plan,
    sources: Sources,
    finish: Finish<J>,
    { signal, onProgress, targets }: RunOptions,
  ): Promise<Plan> {
    const progress = new ProgressMeter(program.phase, program.unitsLeft(start), onProgress);
    let plan = start;
    let finishing: Promise<unknown> = Promise.resolve();
    let last: (() => Promise<unknown>) | undefined;
    // When the device is busy with the next job, whose submission it would hold up.
    const finishLast = () => {
      if (!last) return;
      finishing = last();
      finishing.catch(() => undefined);
      last = undefined;
    };
    const running: Running<Plan, J>[] = [];
    const begin = (from: Plan): Promise<Begun<Plan, J>> => {
      const onCost = (job: J) => progress.during(job, program.unitsLeft(from));
      return this.#begin(program, from, sources, { signal, targets, onBusy: finishLast }, onCost);
    };
    try {
      for (;;) {
        if (running.length === 0) {
          const begun = await begin(plan);
          plan = begun.plan;
          if (!begun.running) break;
          running.push(begun.running);
        }
        const [{ job, backend, seen: outcome }] = running;
        const next = program.begun?.(plan, job);
        assert(!next || !job.awaited, "an awaited job is alone");
        // A session of other buffers would take those of the job that runs.
        if (next && this.#isOpen(program.residentKey(next))) {
          const { running: second } = await begin(next);
          if (second) running.push(second);
        }
        const seen = await outcome;
        running.shift();
        finishLast();
        let host: unknown;
        if (seen.kind === "done") {
          await finishing;
          last = () => finish(job, seen.downloads);
          if (running.length > 0) finishLast();
          if (job.awaited) {
            finishLast();
            host = await finishing;
          }
        } else {
          await Promise.allSettled(running.splice(0).map(({ seen: other }) => other));
          this.#close();
          if (seen.kind === "violated") {
            await finishing;
            return seen.plan;
          }
          if (seen.kind === "deviceLost") await this.#device.reopen(backend);
        }
        plan = program.next(plan, job, seen.kind === "done" ? this.#told(job, seen, host, backend) : seen);
        // What began early on buffers that the plan gave up does not count.
        if (running.some(({ key }) => key !== program.residentKey(plan)))
          await Promise.allSettled(running.splice(0).map(({ seen: other }) => other));
        progress.reached(program.unitsLeft(plan));
      }
      finishLast();
      await finishing;
    } finally {
      // What fails after the first error does not take its place.
      await Promise.allSettled([...running.map(({ seen }) => seen), finishing]);
    }
    progress.reached(program.unitsLeft(plan));
    return plan;
  }

  /**
   * Sends the plan's next job on its way, once the resident buffers are filled.
   */
  async #begin<Plan, J extends Job>(
    program: Program<Plan, J>,
    from: Plan,
    sources: Sources,
    options: SegmentOptions,
    onCost: (job: J) => SegmentOptions["onCost"],
  ): Promise<Begun<Plan, J>> {
    const next = program.nextJob(from);
    if (!next) return { plan: from, running: undefined };
    options.signal?.throwIfAborted();
    const { backend } = this.#device;
    const onItsWay = (plan: Plan, job: J, seen: Promise<Observation | Violated<Plan>>): Begun<Plan, J> => ({
      plan,
      running: { job, backend, key: program.residentKey(plan), seen },
    });
    const known = (plan: Plan, job: J, seen: Observation | Violated<Plan>) =>
      onItsWay(plan, job, Promise.resolve(seen));
    if (!next.segment) return known(from, next, nothingToDo);
    // Its shaders compile while the resident buffers are filled, which leaves no time to begin.
    if (!this.#isOpen(program.residentKey(from))) {
      const segments = [program.setupSegment(from, []), next.segment];
      const compiling = segments.map((segment) => segment && backend.compileAhead?.(segment));
      await Promise.all(compiling.map(async (each) => each?.begun));
    }
    const opened = await this.#observed(() => this.#session(program, from, sources, options.signal));
    if ("kind" in opened) return known(from, next, opened);
    const plan = program.afterSetup?.(from, opened.ran) ?? from;
    const job = plan === from ? next : program.nextJob(plan);
    if (!job) return { plan, running: undefined };
    if (!job.segment) return known(plan, job, nothingToDo);
    const seen = this.#attempt(program, plan, job, job.segment, opened.session, sources, {
      ...options,
      onCost: onCost(job),
    });
    seen.catch(() => undefined);
    return onItsWay(plan, job, seen);
  }

  #attempt<Plan, J extends Job>(
    program: Program<Plan, J>,
    plan: Plan,
    { kept }: J,
    segment: Segment,
    session: Session,
    sources: Sources,
    options: SegmentOptions,
  ): Promise<Observation | Violated<Plan>> {
    return this.#observed(async () => {
      await kept?.(session, sources);
      const output = await session.run(segment, sources, options);
      const violated = program.violated?.(plan, output);
      return violated ? { kind: "violated", plan: violated } : { kind: "done", ...output };
    });
  }

  /** Turns failures that a program may recover from into observations. */
  async #observed<T>(work: () => Promise<T>): Promise<T | Observation> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OutOfMemoryError) return { kind: "outOfMemory", error };
      if (error instanceof DeviceLostError) return { kind: "deviceLost", error };
      throw error;
    }
  }

  async #session<Plan, J extends Job>(
    program: Program<Plan, J>,
    plan: Plan,
    sources: Sources,
    signal: AbortSignal | undefined,
  ): Promise<OpenedSession | Violated<Plan>> {
    const key = program.residentKey(plan);
    const { backend } = this.#device;
    if (this.#open && this.#isOpen(key)) return this.#open;
    this.#close();
    const session = await backend.open(program.residentBuffers(plan));
    const ran: SegmentOutput[] = [];
    try {
      for (
        let segment = program.setupSegment(plan, ran);
        segment;
        segment = program.setupSegment(plan, ran)
      ) {
        const output = await session.run(segment, sources, { signal });
        const violated = program.violated?.(plan, output);
        if (violated) {
          session.dispose();
          return { kind: "violated", plan: violated };
        }
        ran.push(output);
      }
    } catch (error) {
      session.dispose();
      throw error;
    }
    return (this.#open = { key, backend, session, ran });
  }

  /** Returns what was seen of a job, with what only some jobs are there for. */
  #told({ awaited, ahead }: Job, seen: Done, host: unknown, backend: Backend): Done {
    if (!awaited && !ahead) return seen;
    const ready = ahead && this.#has(ahead, backend) ? ahead : undefined;
    return { ...seen, ...(awaited && { host }), ...(ready && { ready }) };
  }

  /** Says whether what a segment needs is compiled, which begins when first asked. */
  #has(ahead: Segment, backend: Backend): boolean {
    const known = this.#ahead.get(backend) ?? new WeakMap<Segment, boolean>();
    this.#ahead.set(backend, known);
    if (!known.has(ahead)) {
      known.set(ahead, backend.compileAhead === undefined);
      void backend.compileAhead?.(ahead, true).done.then(() => known.set(ahead, true));
    }
    return known.get(ahead) ?? false;
  }

  #isOpen(key: string): boolean {
    return this.#open?.key === key && this.#open.backend === this.#device.backend;
  }

  #close(): void {
    this.#open?.session.dispose();
    this.#open = undefined;
  }
}

/** Returns the callback without the calls that are not ahead of what it was told: a search may begin anew. */
export function rising(report: ExecuteOptions["onProgress"]): ExecuteOptions["onProgress"] {
  let most = -1;
  return (
    report &&
    ((progress) => {
      if (progress.done > most) report(progress);
      most = Math.max(most, progress.done);
    })
  );
}

/** Turns work and units into calls of onProgress that never go back. */
class ProgressMeter {
  readonly #phase: string;
  readonly #total: number;
  readonly #report: ((progress: Progress) => void) | undefined;
  #shown = 0;

  constructor(phase: string, total: number, report: ((progress: Progress) => void) | undefined) {
    this.#phase = phase;
    this.#total = total;
    this.#report = report;
    report?.({ phase, done: 0, total });
  }

  /** Returns what to call while a job runs that starts with `left` units to go. */
  during({ cost, units }: Job, left: number): (more: number) => void {
    let done = 0;
    return (more) => {
      done += more;
      this.#show(this.#total - left + Math.floor(Math.min(done / cost, 1) * units));
    };
  }

  reached(left: number): void {
    this.#show(this.#total - left);
  }

  #show(done: number): void {
    if (done <= this.#shown) return;
    this.#shown = done;
    this.#report?.({ phase: this.#phase, done, total: this.#total });
  }
}
