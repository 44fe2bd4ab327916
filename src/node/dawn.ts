/**
 * This module opens Dawn, the WebGPU of Node, or the runtime's own WebGPU: with which of its options, and not
 * at all where it would only complain. It chooses no adapter.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { UnavailableError } from "../core/errors.ts";

/** It has Dawn with and without matrix units. It keeps its adapters for as long as it lives. */
const opened = new Map<boolean, Promise<GPU>>();

/**
 * Returns the runtime's own WebGPU, as in Deno, or opens Dawn, once per process, and once more where some
 * devices want matrix units and others do not.
 * @param matrixUnits whether Dawn is asked for them; default where that was tried
 */
export async function openDawn(matrixUnits?: boolean): Promise<GPU> {
  // Nothing else is looked at there: Deno has permissions for files.
  if (globalThis.navigator?.gpu) return navigator.gpu;
  const asked = matrixUnits ?? hasOnlyNvidia();
  const dawn = opened.get(asked) ?? createDawn(asked);
  opened.set(asked, dawn);
  return dawn;
}

/**
 * Says whether all GPUs are NVIDIA's, under Linux: with their drivers it was tried to ask Dawn for matrix
 * units; some others crash when asked. Which shapes there are is said by the device.
 */
function hasOnlyNvidia(): boolean {
  if (process.platform !== "linux" || !existsSync("/dev/nvidiactl")) return false;
  const nodes = "/sys/class/drm";
  try {
    const rendering = readdirSync(nodes).filter((name) => name.startsWith("renderD"));
    return rendering.every(
      (name) => readFileSync(join(nodes, name, "device/vendor"), "utf8").trim() === "0x10de",
    );
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

async function createDawn(matrixUnits: boolean): Promise<GPU> {
  const webgpu = await importDawn();
  // Vulkan's window-system code prints an error when this is unset, although nothing is drawn.
  process.env.XDG_RUNTIME_DIR ??= tmpdir();
  Object.assign(globalThis, webgpu.globals);
  const gpu = webgpu.create(dawnOptions(matrixUnits));
  return mayHaveDriver() ? gpu : Object.assign(gpu, { requestAdapter: () => Promise.resolve(null) });
}

/**
 * Says whether there may be a Vulkan driver. Where there is none at all, its loader and Dawn say so on
 * stderr, and nothing keeps them from it but not asking. It is false only where that is certain: on Linux,
 * without a GPU's device, a variable that names a driver, or a file that describes one in any folder where
 * the loader looks (Vulkan-Loader, LoaderDriverInterface.md).
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
 * "disable-dawn-features=timestamp_quantization"; with matrix units the one that allows them, too.
 */
function dawnOptions(matrixUnits: boolean): string[] {
  const given = (process.env.NEARFIELD_DAWN ?? "").split(/\s+/).filter((option) => option !== "");
  if (!matrixUnits) return given;
  // Of two options of one name Dawn heeds the last.
  const name = "enable-dawn-features=";
  const enabled = given
    .filter((option) => option.startsWith(name))
    .map((option) => option.slice(name.length));
  const others = given.filter((option) => !option.startsWith(name));
  return [...others, name + [...enabled, "allow_unsafe_apis"].join(",")];
}
