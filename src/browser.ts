/** The browser's platform: navigator.gpu and module workers. Not imported by Node, which has node.ts. */
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
    // Typed as always there, but absent without WebGPU and outside secure contexts.
    const gpu = (navigator as { gpu?: GPU }).gpu;
    return gpu
      ? Promise.resolve(gpu)
      : Promise.reject(
          new UnavailableError(
            "this browser offers no WebGPU here; use a current Chrome, Edge, Firefox or Safari over https or localhost",
          ),
        );
  },
  spawnWorker,
};

function spawnWorker(): WorkerHandle {
  const worker = new Worker(new URL("./cpu/worker.js", import.meta.url), { type: "module" });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    onMessage: (listener) => worker.addEventListener("message", (event) => listener(event.data)),
    onError: (listener) =>
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        listener(new Error(event.message || "the worker could not be loaded"));
      }),
    keepAlive: () => undefined,
    terminate: () => worker.terminate(),
  };
}
