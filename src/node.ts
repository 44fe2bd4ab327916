/**
 * This is Nearfield for Node and Deno: everything of index.ts, over worker_threads and the runtime's own
 * WebGPU or Dawn (the optional package `webgpu`). With node/ and cli/ it is the only place that imports
 * node:*.
 */
import { readdirSync } from "node:fs";
import { availableParallelism, homedir, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { UnavailableError } from "./core/errors.ts";
import { installPlatform } from "./core/platform.ts";
import type { WorkerHandle } from "./core/platform.ts";

export * from "./index.ts";

installPlatform({
  name: "node",
  // Threads and memory are asked for when they are needed: Deno has permissions for them.
  get threads() {
    return availableParallelism();
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
});

let dawn: Promise<GPU> | undefined;

/** Opens Dawn, once per process: Dawn keeps its adapters for as long as it lives. */
function openDawn(): Promise<GPU> {
  dawn ??= createDawn();
  return dawn;
}

async function createDawn(): Promise<GPU> {
  if (globalThis.navigator?.gpu) return navigator.gpu;
  const webgpu = await importDawn();
  // Vulkan's window-system code prints an error when this is unset, although nothing is drawn.
  process.env.XDG_RUNTIME_DIR ??= tmpdir();
  Object.assign(globalThis, webgpu.globals);
  const gpu = webgpu.create(dawnOptions());
  return mayHaveDriver() ? gpu : Object.assign(gpu, { requestAdapter: () => Promise.resolve(null) });
}

/**
 * Says whether there may be a Vulkan driver. Where there is none at all, its loader and Dawn say so on
 * stderr, and nothing keeps them from it but not asking. False only where that is certain: on Linux, without
 * a GPU's device, a variable that names a driver, or a file that describes one in any folder where the loader
 * looks (Vulkan-Loader, LoaderDriverInterface.md).
 */
function mayHaveDriver(): boolean {
  const { env, platform } = process;
  if (platform !== "linux") return true;
  if (Object.keys(env).some((name) => /^VK_\w*(DRIVER|ICD)/.test(name))) return true;
  const devices = /^(dri|dxg|nvidia|mali|kgsl|pvr)/;
  const lists = [env.XDG_CONFIG_HOME, env.XDG_CONFIG_DIRS, env.XDG_DATA_HOME, env.XDG_DATA_DIRS];
  const named = lists.flatMap((list) => list?.split(":") ?? []);
  const home = [".config", ".local/share"].map((folder) => join(homedir(), folder));
  const system = ["/etc", "/etc/xdg", "/usr/local/etc", "/usr/local/share", "/usr/share"];
  const folders = [...named, ...home, ...system, "/run/opengl-driver/share"].map((folder) =>
    join(folder, "vulkan/icd.d"),
  );
  return (
    holds("/dev", (name) => devices.test(name)) ||
    folders.some((folder) => holds(folder, (name) => name.endsWith(".json")))
  );
}

/** Says whether a folder has such a file, or cannot be looked into. */
function holds(folder: string, wanted: (name: string) => boolean): boolean {
  try {
    return readdirSync(folder).some(wanted);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

async function importDawn(): Promise<typeof import("webgpu")> {
  try {
    return await import("webgpu");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") {
      throw new UnavailableError("no WebGPU in this Node: run `npm install webgpu` to use a GPU", cause);
    }
    const { platform, arch } = process;
    throw new UnavailableError(
      `the package webgpu does not load here (${platform} ${arch}): ${String(cause)}; it needs macOS, Windows or a Linux ` +
        "with glibc",
      cause,
    );
  }
}

/**
 * Returns Dawn's own options, which NEARFIELD_DAWN holds, such as
 * "disable-dawn-features=timestamp_quantization".
 */
function dawnOptions(): string[] {
  return (process.env.NEARFIELD_DAWN ?? "").split(/\s+/).filter((option) => option !== "");
}

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
