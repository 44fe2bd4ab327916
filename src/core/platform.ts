/**
 * A platform is what the runtime must hand in: a GPU object and a way to spawn workers. node.ts and index.ts
 * each install one; nothing else in the library asks which runtime it is on.
 */
import { assert } from "./errors.ts";

/** This is a worker of either runtime, whose messages are unwrapped. */
export interface WorkerHandle {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Is called once when the worker dies, by an uncaught error or an unexpected exit. */
  onError(listener: (error: Error) => void): void;
  /** Keeps the process alive while a worker is pending, if `alive` is true. It does nothing in browsers. */
  keepAlive(alive: boolean): void;
  /**
   * Ends the worker, whatever it is doing. Resolves when it writes no more shared memory; browsers say
   * nothing of that, so that there it resolves at once. Never rejects.
   */
  terminate(): Promise<void>;
}

export interface Platform {
  readonly name: "node" | "browser";
  /** There are so many logical processors, the default number of workers. */
  readonly threads: number;
  /** Nearfield may plan with so many bytes of host memory unless told otherwise. */
  readonly memory: number;
  /**
   * Returns the WebGPU entry point; throws UnavailableError with what to install when there is none.
   * @param matrixUnits whether the runtime is asked for them where it must be; default where that was tried
   */
  gpu(matrixUnits?: boolean): Promise<GPU>;
  /** Opens a file on disk; absent where there is no disk. */
  openFile?(path: string | URL): Promise<ByteSourceLike>;
  /** Starts src/worker.ts as a real module. */
  spawnWorker(): WorkerHandle;
  /** Calls `act` when the process ends, unless that is called off; absent where there is no process. */
  atExit?(act: () => void): () => void;
}

/** This is a source of bytes; the readers of io/ know more of it. */
interface ByteSourceLike {
  readonly name: string;
  stream(signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

let installed: Platform | undefined;

export function installPlatform(platform: Platform): void {
  installed = platform;
}

export function currentPlatform(): Platform {
  assert(installed, "no platform is installed; import from the package root");
  return installed;
}
