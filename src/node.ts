/**
 * This is Nearfield for Node and Deno: everything of index.ts, over worker_threads and the runtime's own
 * WebGPU or Dawn (the optional package `webgpu`). With node/ and cli/ it is the only place that imports
 * node:*.
 */
import { availableParallelism, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { UnavailableError } from "./core/errors.ts";
import { installPlatform } from "./core/platform.ts";
import type { WorkerHandle } from "./core/platform.ts";
import { openDawn } from "./node/dawn.ts";

export * from "./index.ts";

let threads: number | undefined;

const lastActs = new Set<() => void>();
const endAll = () => lastActs.forEach((act) => act());

installPlatform({
  name: "node",
  // Threads and memory are asked for when they are needed: Deno has permissions for them.
  get threads() {
    return (threads ??= availableParallelism());
  },
  get memory() {
    return Math.floor(totalmem() * 0.6);
  },
  gpu: openDawn,
  openFile: async (path) => {
    const { fileSource } = await import("./node/fileSource.ts");
    return fileSource(path instanceof URL ? fileURLToPath(path) : path);
  },
  spawnWorker,
  atExit(act) {
    if (lastActs.size === 0) process.on("exit", endAll);
    lastActs.add(act);
    return () => {
      lastActs.delete(act);
      if (lastActs.size === 0) process.off("exit", endAll);
    };
  },
});

function spawnWorker(): WorkerHandle {
  const worker = startWorker();
  worker.unref();
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    onMessage: (listener) => worker.on("message", listener),
    onError: (listener) => {
      worker.on("error", listener);
      worker.on("exit", (code) => listener(new Error(`the worker ended with code ${code}`)));
    },
    keepAlive: (alive) => (alive ? worker.ref() : worker.unref()),
    terminate: async () => void (await worker.terminate()),
  };
}

function startWorker(): Worker {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new UnavailableError(
      `Nearfield needs Node 20.19 or later, and this is Node ${process.versions.node}`,
    );
  try {
    // The worker gets no options of the process, which may not suit a module: `node --eval` ones end the
    // worker at once.
    return new Worker(new URL("./worker.js", import.meta.url), { execArgv: [] });
  } catch (cause) {
    throw new UnavailableError(
      `this process may not start the CPU backend's worker threads (${String(cause)}); Node's permission model needs --allow-worker`,
      cause,
    );
  }
}
