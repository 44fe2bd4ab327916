/**
 * This is a pool of workers that take tasks from one queue. Workers start when there is work for them, hold
 * the process alive only while they have some, and are replaced when they die. Where none can be started, it
 * tries again a few times (starts.ts). What a task is, the pool does not know (protocol.ts).
 */
import { DeviceLostError } from "../../core/errors.ts";
import type { WorkerHandle } from "../../core/platform.ts";
import { fromFailure, START, type Reply, type Request, type StartRequest } from "./protocol.ts";
import { TaskQueue } from "./queue.ts";
import { Starts } from "./starts.ts";
import type { Task } from "./task.ts";

export interface PoolOptions {
  readonly spawn: () => WorkerHandle;
  /** There are at most this many workers. */
  readonly threads: number;
  /** Every worker is sent this request first. */
  readonly start: StartRequest;
}

/** A request is made only when a worker is free for it, since it may hold copies. */
export interface PreparedRequest<Request> {
  readonly request: Request;
  readonly transfer?: ArrayBuffer[];
}

interface PoolJob {
  readonly kind: string;
  readonly prepare: () => PreparedRequest<unknown>;
  readonly signals: readonly AbortSignal[];
  readonly isOffer: boolean;
  readonly isEndable: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Worker {
  readonly handle: WorkerHandle;
  job: PoolJob | undefined;
  /** The worker has answered its first request, and may have begun its job since. */
  started: boolean;
  /** The worker belongs to this try of `Starts`. */
  readonly attempt: number;
}

/** It watches a signal that jobs have: one listener serves all of them, since a search has hundreds. */
interface Watch {
  jobs: number;
  readonly onAbort: () => void;
}

/** An offered task that nobody takes has this result. */
const DECLINED = Symbol("declined");
/** The first request has this id; its reply belongs to no job. */
const FIRST = 0;

export class Pool {
  readonly #options: PoolOptions;
  readonly #workers = new Set<Worker>();
  readonly #watches = new Map<AbortSignal, Watch>();
  readonly #queue = new TaskQueue<PoolJob>();
  #lastId = FIRST;
  #disposed = false;
  readonly #starts = new Starts(() => this.#dispatch());

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Runs one task when its turn comes. A signal takes it out of the queue at once; a task that runs is waited
   * for.
   * @throws DeviceLostError when the worker died at it; UnavailableError when none could be started, several
   * times in a row; a signal's reason; what the task threw.
   */
  run<Request, Result>(
    task: Task<Request, Result>,
    prepare: () => PreparedRequest<Request>,
    ...signals: AbortSignal[]
  ): Promise<Result> {
    return this.#run<Result>(task.name, prepare, { signals });
  }

  /**
   * Does what `run` does, for a task that may take seconds: a signal also ends the worker that runs it, which
   * is replaced when there is work again. Memory that the task shares is then half written.
   */
  runEndable<Request, Result>(
    task: Task<Request, Result>,
    prepare: () => PreparedRequest<Request>,
    ...signals: AbortSignal[]
  ): Promise<Result> {
    return this.#run<Result>(task.name, prepare, { signals, isEndable: true });
  }

  /**
   * Does what `run` does, for a task of some milliseconds that the caller could do as well. It goes before
   * tasks that are not offered.
   * @returns undefined when nobody takes it: all workers are at tasks that were not offered, or none could be
   * started
   */
  async offer<Request, Result>(
    task: Task<Request, Result>,
    prepare: () => PreparedRequest<Request>,
    ...signals: AbortSignal[]
  ): Promise<{ readonly result: Result } | undefined> {
    const result = await this.#run<unknown>(task.name, prepare, { signals, isOffer: true });
    return result === DECLINED ? undefined : { result: result as Result };
  }

  /** Says whether there is a worker. */
  get isRunning(): boolean {
    return this.#workers.size > 0;
  }

  /** Says whether an offer would be declined. */
  get declines(): boolean {
    return !this.#starts.mayTry || this.#isTaken;
  }

  /** Ends every worker. Queued tasks are rejected, and running ones once their worker has ended. */
  dispose(): void {
    this.#disposed = true;
    this.#starts.dispose();
    for (const worker of this.#workers) this.#end(worker, disposedError());
    this.#rejectAll(disposedError());
  }

  async #run<Result>(
    kind: string,
    prepare: () => PreparedRequest<unknown>,
    how: Pick<PoolJob, "signals"> & Partial<Pick<PoolJob, "isOffer" | "isEndable">>,
  ): Promise<Result> {
    const { signals, isOffer = false, isEndable = false } = how;
    for (const signal of signals) signal.throwIfAborted();
    for (const signal of signals) this.#watch(signal);
    try {
      return await new Promise<Result>((resolve, reject) => {
        const settle = { resolve: resolve as PoolJob["resolve"], reject };
        this.#queue.push({ kind, prepare, signals, isOffer, isEndable, ...settle });
        this.#dispatch();
      });
    } finally {
      for (const signal of signals) this.#unwatch(signal);
    }
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      if (this.#disposed) return this.#rejectAll(disposedError());
      if (this.declines)
        for (const { resolve } of this.#queue.take(({ isOffer }) => isOffer)) resolve(DECLINED);
      const { refusal } = this.#starts;
      if (refusal && this.#workers.size === 0) return this.#rejectAll(refusal);
      let worker: Worker | undefined;
      try {
        worker = this.#idleWorker();
      } catch (error) {
        this.#starts.failed(error);
        continue;
      }
      if (!worker) {
        // Not asked by `mayTry` again, whose answer may have changed since.
        if (this.#workers.size < this.#options.threads) this.#starts.wakeWhenDue();
        return;
      }
      const job = this.#queue.next();
      if (job) this.#give(worker, job);
    }
  }

  /** Says whether all workers are at tasks that were not offered. */
  get #isTaken(): boolean {
    const taken = [...this.#workers].filter(({ job }) => job && !job.isOffer);
    return taken.length >= this.#options.threads;
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#queue.take(() => true)) reject(error);
  }

  #watch(signal: AbortSignal): void {
    const watch = this.#watches.get(signal) ?? { jobs: 0, onAbort: () => this.#abort(signal) };
    if (watch.jobs++ > 0) return;
    this.#watches.set(signal, watch);
    signal.addEventListener("abort", watch.onAbort, { once: true });
  }

  #unwatch(signal: AbortSignal): void {
    const watch = this.#watches.get(signal);
    if (!watch || --watch.jobs > 0) return;
    this.#watches.delete(signal);
    signal.removeEventListener("abort", watch.onAbort);
  }

  #abort(signal: AbortSignal): void {
    const has = ({ signals }: PoolJob): boolean => signals.includes(signal);
    for (const { reject } of this.#queue.take(has)) reject(signal.reason);
    for (const worker of this.#workers) {
      if (worker.job?.isEndable && has(worker.job)) this.#end(worker, signal.reason);
    }
    this.#dispatch();
  }

  #idleWorker(): Worker | undefined {
    for (const worker of this.#workers) if (!worker.job) return worker;
    const mayStart = this.#workers.size < this.#options.threads && this.#starts.mayTry;
    return mayStart ? this.#startWorker() : undefined;
  }

  #startWorker(): Worker {
    const { attempt } = this.#starts;
    const worker: Worker = { handle: this.#options.spawn(), job: undefined, started: false, attempt };
    worker.handle.onMessage((message) => this.#receive(worker, message as Reply));
    worker.handle.onError((error) => this.#bury(worker, error));
    worker.handle.post({ id: FIRST, kind: START, request: this.#options.start } satisfies Request, []);
    this.#workers.add(worker);
    return worker;
  }

  #give(worker: Worker, job: PoolJob): void {
    try {
      const { request, transfer } = job.prepare();
      // Before the post, since Deno tells at once that a worker has ended.
      worker.job = job;
      worker.handle.post({ id: ++this.#lastId, kind: job.kind, request } satisfies Request, transfer ?? []);
      worker.handle.keepAlive(true);
    } catch (error) {
      worker.job = undefined;
      worker.handle.keepAlive(false);
      job.reject(error);
    }
  }

  #receive(worker: Worker, reply: Reply): void {
    if (!this.#workers.has(worker)) return;
    if (reply.id === FIRST) {
      if ("error" in reply) return this.#bury(worker, fromFailure(reply.error));
      worker.started = true;
      return this.#starts.succeeded();
    }
    const { job } = worker;
    worker.job = undefined;
    worker.handle.keepAlive(false);
    if ("error" in reply) job?.reject(fromFailure(reply.error));
    else job?.resolve(reply.result);
    this.#dispatch();
  }

  #bury(worker: Worker, error: Error): void {
    if (!this.#workers.has(worker)) return;
    if (worker.started) this.#end(worker, new DeviceLostError(`a CPU worker died: ${error.message}`, error));
    else this.#putBack(worker, error);
    this.#dispatch();
  }

  /**
   * Gives the job of a worker that has not started, and so has not begun it either, to another one or back to
   * the caller.
   */
  #putBack(worker: Worker, error: Error): void {
    this.#workers.delete(worker);
    const { job } = worker;
    this.#starts.failed(error, worker.attempt);
    void worker.handle.terminate().then(() => {
      if (!job) return;
      const aborted = job.signals.find((signal) => signal.aborted);
      if (aborted) return job.reject(aborted.reason);
      this.#queue.putBack(job);
      this.#dispatch();
    });
  }

  /**
   * Ends a worker. Its job is rejected when the worker has ended, since until then it may write the memory
   * that the job is about.
   */
  #end(worker: Worker, reason: unknown): void {
    this.#workers.delete(worker);
    void worker.handle.terminate().then(() => worker.job?.reject(reason));
  }
}

function disposedError(): DeviceLostError {
  return new DeviceLostError("the CPU backend was disposed before its work was done");
}
