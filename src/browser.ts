/**
 * This is the browser's platform: navigator.gpu and module workers. Node does not import it; it has node.ts.
 */
import { UnavailableError } from "./core/errors.ts";
import type { Platform, WorkerHandle } from "./core/platform.ts";

const GIB = 2 ** 30;

export const browserPlatform: Platform = {
  name: "browser",
  get threads() {
    return navigator.hardwareConcurrency || 1;
  },
  get memory() {
    const { deviceMemory = 4 } = navigator as { deviceMemory?: number };
    return (deviceMemory * GIB) / 2;
  },
  gpu() {
    // The type says that it is always there, but it is absent without WebGPU and outside secure contexts.
    const gpu = (navigator as { gpu?: GPU }).gpu;
    return gpu ? Promise.resolve(gpu) : Promise.reject(noWebGpu());
  },
  spawnWorker,
};

function noWebGpu(): UnavailableError {
  return new UnavailableError(
    isSecureContext
      ? "this browser offers no WebGPU; use a current Chrome, Edge, Firefox or Safari, or the CPU backend"
      : "browsers offer no WebGPU to a page over plain http; serve it over https or from localhost, or use the CPU backend",
  );
}

function spawnWorker(): WorkerHandle {
  const worker = startWorker();
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    onMessage: (listener) => worker.addEventListener("message", (event) => listener(event.data)),
    onError: (listener) =>
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        // An error while loading has no message, other than one thrown by the worker.
        listener(event.message ? new Error(event.message) : notLoaded());
      }),
    keepAlive: () => undefined,
    terminate: () => Promise.resolve(worker.terminate()),
  };
}

function startWorker(): Worker {
  try {
    // In this form bundlers see that the worker is part of the program.
    return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  } catch (cause) {
    throw new UnavailableError(
      `this page may not start the CPU backend's worker: ${String(cause)}. Serve Nearfield's files from the page's own origin`,
      cause,
    );
  }
}

function notLoaded(): UnavailableError {
  return new UnavailableError(
    "the CPU backend's worker could not be loaded: its file is missing on the server, or the page's content security policy " +
      "lacks worker-src 'self'; the browser's console names the address",
  );
}
