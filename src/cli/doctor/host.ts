/**
 * Collects facts about Node, containers, Vulkan and GPUs from the operating system. They are read from files,
 * so that nothing has to be installed or run. What they mean for a user is decided in advice.ts.
 */
import { accessSync, constants, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface HostFacts {
  /** It is the version, such as "20.19.0". */
  readonly node: string;
  /** It is process.platform, and `arch` is process.arch. */
  readonly platform: string;
  readonly arch: string;
  /** Linux alone has these facts; other systems give null. */
  readonly linux: LinuxFacts | null;
  /** A container or the like allows the process so many bytes; null where nothing limits it. */
  readonly memoryLimit: number | null;
}

export interface LinuxFacts {
  /** It has ID and ID_LIKE of os-release, such as ["ubuntu", "debian"]. */
  readonly family: readonly string[];
  /** It has VERSION_ID of os-release, such as "12"; empty where there is none. */
  readonly version: string;
  readonly container: boolean;
  /** Says whether the system has musl instead of glibc, as Alpine does. */
  readonly musl: boolean;
  /** Says whether libvulkan.so.1 was found. */
  readonly vulkanLoader: boolean;
  /** These files describe Vulkan drivers. */
  readonly vulkanDrivers: readonly string[];
  /** VK_DRIVER_FILES or VK_ICD_FILENAMES name these files, which do not exist. */
  readonly missingDrivers: readonly string[];
  /** The system has these devices /dev/dri/renderD*; `allowed` says whether this user may use them. */
  readonly renderNodes: readonly { readonly path: string; readonly allowed: boolean }[];
  /** Says whether NVIDIA's kernel driver is loaded. */
  readonly nvidia: boolean;
}

export function hostFacts(): HostFacts {
  const { platform, arch, versions, env } = process;
  const limit = process.constrainedMemory();
  return {
    node: versions.node,
    platform,
    arch,
    linux: platform === "linux" ? linuxFacts("/", env) : null,
    // Without a limit the value is 0, or about 2^63.
    memoryLimit: limit > 0 && Number.isSafeInteger(limit) ? limit : null,
  };
}

const loaderFolders = [
  ...["usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib", "lib64", "lib"],
  "usr/local/lib",
];
const driverFolders = ["usr/share/vulkan/icd.d", "usr/local/share/vulkan/icd.d", "etc/vulkan/icd.d"];

/** Returns the facts of a Linux system. @param root the root of the file system; tests pass another one */
export function linuxFacts(root: string, env: Readonly<Record<string, string | undefined>>): LinuxFacts {
  const at = (path: string) => join(root, path);
  const release = osRelease(at("etc/os-release"));
  const named = list(env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES);
  const installed = driverFolders.flatMap((folder) =>
    namesIn(at(folder)).map((name) => at(join(folder, name))),
  );
  const loaders = [...list(env.LD_LIBRARY_PATH), ...loaderFolders.map(at)];
  return {
    family: [release.get("ID") ?? "", ...(release.get("ID_LIKE") ?? "").split(" ")].filter((id) => id !== ""),
    version: release.get("VERSION_ID") ?? "",
    container:
      [".dockerenv", "run/.containerenv"].some((mark) => existsSync(at(mark))) || Boolean(env.container),
    musl: namesIn(at("lib")).some((name) => name.startsWith("ld-musl-")),
    vulkanLoader: loaders.some((folder) => existsSync(join(folder, "libvulkan.so.1"))),
    vulkanDrivers:
      named.length > 0 ? named.filter(existsSync) : installed.filter((name) => name.endsWith(".json")),
    missingDrivers: named.filter((name) => !existsSync(name)),
    renderNodes: namesIn(at("dev/dri"))
      .filter((name) => name.startsWith("renderD"))
      .map((name) => ({ path: `/dev/dri/${name}`, allowed: isAllowed(at(`dev/dri/${name}`)) })),
    nvidia: existsSync(at("dev/nvidiactl")),
  };
}

/** Returns the entries of os-release: each line NAME=value or NAME="value" is one. */
function osRelease(path: string): ReadonlyMap<string, string> {
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, "utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^(\w+)="?([^"]*)"?$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value] as const];
    }),
  );
}

function list(paths: string | undefined): string[] {
  return (paths ?? "").split(":").filter((path) => path !== "");
}

/** Returns the names in a folder; none where there is no such folder. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function isAllowed(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false; // a driver cannot use the device either, whatever the reason
  }
}
