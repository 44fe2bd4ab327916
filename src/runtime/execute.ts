/**
 * Walks a program on a device: opens its resident buffers, runs job after job, tells the program what was seen, and mends
 * what can be mended: a lost device is opened again and only unfinished jobs run again; out of memory goes back to the
 * plan. No policy: what to run, and when to give up, is the program's.
 */
import { unlessAborted } from "../core/async/aborted.ts";
import type { Backend, RunOptions, Session, Sources } from "./backend.ts";
import { DeviceLostError, InvalidInputError, OutOfMemoryError } from "../core/errors.ts";
import type { Job, Observation, Program } from "./program.ts";
import type { Device } from "./device.ts";
import type { KernelLoader } from "./kernels.ts";

/**
 * How far a call has got.
 * @example
 * const seen: Progress[] = [];
 * await kneighbors([[0], [5]], [[4], [1]], { k: 1, onProgress: (progress) => seen.push(progress) });
 * seen.at(-1); // => { phase: "search", done: 2, total: 2 }
 */
export interface Progress {
  readonly phase: string;
  readonly done: number;
  /** Infinity until it is known, which only streams of unknown length know at their end. */
  readonly total: number;
}

export interface ExecuteOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Monotone; the last call has done = total. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

interface Violated<Plan> {
  readonly kind: "refuted";
  readonly plan: Plan;
}

/** The host's part of a job; it may overlap the device's part of the next one. */
export type Finish<J> = (job: J, downloads: ReadonlyMap<string, ArrayBuffer>) => Promise<void>;

/**
 * Runs programs over the same resident data, one after the other, keeping the resident buffers in between. Concurrent
 * calls wait for each other.
 */
export class Executor {
  readonly #device: Device;
  readonly #load: KernelLoader | undefined;
  #open: { readonly key: string; readonly backend: Backend; readonly session: Session } | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #disposed = false;

  /** @param load the kernels that its programs run; without them a GPU runs none */
  constructor(device: Device, load?: KernelLoader) {
    this.#device = device;
    this.#load = load;
  }

  /** @returns the plan as it was at the end, for explain; one that was refuted has work left. */
  async execute<Plan, J extends Job>(
    program: Program<Plan, J>,
    plan: Plan,
    sources: Sources,
    finish: Finish<J>,
    options: ExecuteOptions = {},
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
    { signal, onProgress }: ExecuteOptions,
  ): Promise<Plan> {
    const progress = new ProgressMeter(program.phase ?? "search", program.unitsLeft(start), onProgress);
    let plan = start;
    let finishing: Promise<void> = Promise.resolve();
    let last: (() => Promise<void>) | undefined;
    // When the device is busy with the next job, whose submission it would hold up.
    const finishLast = () => {
      if (!last) return;
      finishing = last();
      finishing.catch(() => undefined);
      last = undefined;
    };
    try {
      for (let job = program.nextJob(plan); job; job = program.nextJob(plan)) {
        signal?.throwIfAborted();
        const { backend } = this.#device;
        const onWork = progress.during(job, program.unitsLeft(plan));
        const seen = await this.#attempt(program, plan, job, sources, { signal, onWork, onBusy: finishLast });
        finishLast();
        if (seen.kind === "done") {
          await finishing;
          last = () => finish(job, seen.downloads);
        } else if (seen.kind === "refuted") {
          this.#close();
          return seen.plan;
        } else {
          this.#close();
          if (seen.kind === "deviceLost") await this.#device.reopen(backend);
        }
        plan = program.next(plan, job, seen);
        progress.reached(program.unitsLeft(plan));
      }
      finishLast();
    } finally {
      await finishing;
    }
    progress.reached(program.unitsLeft(plan));
    return plan;
  }

  async #attempt<Plan, J extends Job>(
    program: Program<Plan, J>,
    plan: Plan,
    job: J,
    sources: Sources,
    options: RunOptions,
  ): Promise<Observation | Violated<Plan>> {
    if (!job.segment) return { kind: "done", ms: 0, downloads: new Map(), dispatches: 0, pairs: 0 };
    try {
      const session = await this.#session(program, plan, sources, options.signal);
      if ("kind" in session) return session;
      const output = await session.run(job.segment, sources, options);
      const refuted = program.refuted?.(plan, output);
      return refuted ? { kind: "refuted", plan: refuted } : { kind: "done", ...output };
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
  ): Promise<Session | Violated<Plan>> {
    const key = program.residentKey(plan);
    const { backend } = this.#device;
    if (this.#open?.key === key && this.#open.backend === backend) return this.#open.session;
    this.#close();
    if (this.#load && backend.info.kind === "gpu") await this.#load();
    const session = await backend.open(program.residentBuffers(plan));
    try {
      const setup = program.setupSegment(plan);
      const output = setup && (await session.run(setup, sources, { signal }));
      const refuted = output && program.refuted?.(plan, output);
      if (refuted) {
        session.dispose();
        return { kind: "refuted", plan: refuted };
      }
    } catch (error) {
      session.dispose();
      throw error;
    }
    this.#open = { key, backend, session };
    return session;
  }

  #close(): void {
    this.#open?.session.dispose();
    this.#open = undefined;
  }
}

/** The callback without what is not ahead of what it was told: a search may begin anew. */
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

  /** For a job that starts with `left` units to go. */
  during({ work, units }: Job, left: number): (work: number) => void {
    let done = 0;
    return (more) => {
      done += more;
      this.#show(this.#total - left + Math.floor(Math.min(done / work, 1) * units));
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
