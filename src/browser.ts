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
        listener(event.message ? new Error(event.message) : notStarted());
      }),
    keepAlive: () => undefined,
    terminate: () => Promise.resolve(worker.terminate()),
  };
}

function startWorker(): Worker {
  try {
    const elsewhere = workerElsewhere();
    if (elsewhere) return new Worker(elsewhere, { type: "module" });
    // In this form bundlers see that the worker is part of the program.
    return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  } catch (cause) {
    throw notStarted(cause);
  }
}

/** This file's address, under a name that bundlers do not look for. */
const here = import.meta.url;
let importing: string | undefined;

/**
 * Returns the address of a worker that imports the worker's file if that comes from another origin than the
 * page, as from a CDN: browsers start no worker from there. What webpack has bundled takes itself for a file
 * on disk, and its worker comes from where the page comes from.
 */
function workerElsewhere(): string | undefined {
  if (!here.startsWith("http")) return undefined;
  const { href, origin } = new URL("./worker.js", here);
  if (origin === globalThis.origin) return undefined;
  return (importing ??= URL.createObjectURL(new Blob([`import "${href}"`], { type: "text/javascript" })));
}

function notStarted(cause?: unknown): UnavailableError {
  return new UnavailableError(
    `the CPU backend's worker did not start${cause ? ` (${String(cause)})` : ""}: its file is missing on the server, or the page's content ` +
      "security policy lacks worker-src 'self', or blob: and Nearfield's origin if that is another; the browser's console names the address",
    cause,
  );
}
