/**
 * A pool of workers that take tasks from one queue. Workers start when there is work for them, hold the process alive only
 * while they have some, and are replaced when they die. What a task is, the pool does not know (protocol.ts).
 */
import { DeviceLostError, UnavailableError } from "../core/errors.ts";
import type { WorkerHandle } from "../core/platform.ts";
import {
  fromFailure,
  type Reply,
  type Request,
  type StartRequest,
  type TaskKind,
  type Tasks,
} from "./protocol.ts";

export interface PoolOptions {
  readonly spawn: () => WorkerHandle;
  /** Workers at most. */
  readonly threads: number;
  /** What every worker is sent first. */
  readonly start: StartRequest;
}

/** A request, made only when a worker is free for it, since it may hold copies. */
export interface Prepared<Kind extends TaskKind> {
  readonly request: Tasks[Kind]["request"];
  readonly transfer?: ArrayBuffer[];
}

interface Job {
  readonly kind: TaskKind;
  readonly prepare: () => Prepared<TaskKind>;
  readonly signals: readonly AbortSignal[];
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Worker {
  readonly handle: WorkerHandle;
  job: Job | undefined;
}

/** The id of the first request; its reply belongs to no job. */
const START = 0;

export class Pool {
  readonly #options: PoolOptions;
  readonly #workers = new Set<Worker>();
  #queue: Job[] = [];
  #lastId = START;
  #disposed = false;
  /** Why no worker can be started here. */
  #refused: UnavailableError | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Runs one task when its turn comes. A signal keeps a task from starting; one that runs is waited for.
   * @throws DeviceLostError when the worker died; UnavailableError when it could not be started, which trying again would not
   * mend; a signal's reason; what the task threw.
   */
  run<Kind extends TaskKind>(
    kind: Kind,
    prepare: () => Prepared<Kind>,
    ...signals: AbortSignal[]
  ): Promise<Tasks[Kind]["result"]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ kind, prepare, signals, resolve: resolve as Job["resolve"], reject });
      this.#dispatch();
    });
  }

  /**
   * As `run`, for a task that may take seconds: an abort ends its worker, which is replaced when there is work again. Memory that
   * the task shares is then half written.
   */
  async runEndable<Kind extends TaskKind>(
    kind: Kind,
    prepare: () => Prepared<Kind>,
    signal: AbortSignal,
  ): Promise<Tasks[Kind]["result"]> {
    const end = () => {
      for (const worker of this.#workers)
        if (worker.job?.prepare === prepare) this.#end(worker, signal.reason);
      this.#dispatch();
    };
    signal.addEventListener("abort", end, { once: true });
    try {
      return await this.run(kind, prepare, signal);
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** Ends every worker; what is queued or running is rejected. */
  dispose(): void {
    this.#disposed = true;
    const running = [...this.#workers];
    this.#workers.clear();
    for (const { handle } of running) handle.terminate();
    for (const { job } of running) job?.reject(disposedError());
    this.#rejectAll(disposedError());
  }

  #dispatch(): void {
    this.#dropAborted();
    while (this.#queue.length > 0) {
      if (this.#disposed) return this.#rejectAll(disposedError());
      if (this.#refused) return this.#rejectAll(this.#refused);
      let worker: Worker | undefined;
      try {
        worker = this.#idleWorker();
      } catch (error) {
        if (error instanceof UnavailableError) this.#refused = error;
        this.#queue.shift()!.reject(error);
        continue;
      }
      if (!worker) return;
      this.#give(worker, this.#queue.shift()!);
    }
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #dropAborted(): void {
    const aborted = this.#queue.filter(({ signals }) => signals.some((signal) => signal.aborted));
    if (aborted.length === 0) return;
    this.#queue = this.#queue.filter((job) => !aborted.includes(job));
    for (const { signals, reject } of aborted) reject(signals.find((signal) => signal.aborted)!.reason);
  }

  #idleWorker(): Worker | undefined {
    for (const worker of this.#workers) if (!worker.job) return worker;
    return this.#workers.size < this.#options.threads ? this.#startWorker() : undefined;
  }

  #startWorker(): Worker {
    const worker: Worker = { handle: this.#options.spawn(), job: undefined };
    worker.handle.onMessage((message) => this.#receive(worker, message as Reply));
    worker.handle.onError((error) => this.#bury(worker, error));
    worker.handle.post({ id: START, kind: "start", request: this.#options.start } satisfies Request, []);
    this.#workers.add(worker);
    return worker;
  }

  #give(worker: Worker, job: Job): void {
    try {
      const { request, transfer } = job.prepare();
      worker.handle.post({ id: ++this.#lastId, kind: job.kind, request }, transfer ?? []);
      worker.job = job;
      worker.handle.keepAlive(true);
    } catch (error) {
      worker.handle.keepAlive(false);
      job.reject(error);
    }
  }

  #receive(worker: Worker, reply: Reply): void {
    if (!this.#workers.has(worker)) return;
    if (reply.id === START) {
      if ("error" in reply) this.#bury(worker, fromFailure(reply.error));
      return;
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
    if (error instanceof UnavailableError) this.#refused = error;
    this.#end(worker, this.#refused ?? new DeviceLostError(`a CPU worker died: ${error.message}`, error));
    this.#dispatch();
  }

  #end(worker: Worker, reason: unknown): void {
    this.#workers.delete(worker);
    worker.handle.terminate();
    worker.job?.reject(reason);
  }
}

function disposedError(): DeviceLostError {
  return new DeviceLostError("the CPU backend was disposed before its work was done");
}
