/**
 * Derives advice from the facts about a machine: what is wrong and what to do about it, each problem with its
 * remedy. It is a pure function.
 */
import type { MachineReport } from "../../node.ts";
import type { HostFacts, LinuxFacts } from "./host.ts";
import { install } from "./packages.ts";
import type { Advice, BackendReport } from "./report.ts";

/** This is the oldest Node that works; package.json says the same. */
const OLDEST_NODE = [20, 19] as const;
const NODE_WITH_RELAXED_SIMD = 22;

/**
 * Returns the advice, problems first.
 * @param wantsGpu false where only the CPU was asked for
 */
export function adviceFor(
  host: HostFacts,
  machine: MachineReport,
  backends: readonly Pick<BackendReport, "backend" | "gpu" | "status">[],
  wantsGpu: boolean,
): Advice[] {
  const all = [
    ...nodeAdvice(host, machine),
    ...(wantsGpu ? gpuAdvice(host, machine) : []),
    // In a Node that is too old, failures are to be expected.
    ...(isOldNode(host) ? [] : backends.filter(({ status }) => status === "failed").map(failureAdvice)),
    ...memoryAdvice(host, machine),
  ];
  return [...all.filter(({ level }) => level === "problem"), ...all.filter(({ level }) => level === "hint")];
}

function isOldNode({ node }: HostFacts): boolean {
  const [major, minor] = node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

function nodeAdvice(host: HostFacts, { simd, relaxedSimd }: MachineReport): Advice[] {
  const { node } = host;
  const advice: Advice[] = [];
  if (isOldNode(host)) {
    advice.push({
      level: "problem",
      problem: `Node ${node} is older than ${OLDEST_NODE.join(".")}, the oldest that Nearfield supports`,
      remedy: "install Node 22 or later, from https://nodejs.org or with a version manager",
    });
  }
  if (!simd) {
    advice.push({
      level: "problem",
      problem: "there is no WebAssembly SIMD, which the CPU backend needs",
      remedy: "use Node 20.19 or later on a processor with SSE4.1 or NEON",
    });
  } else if (!relaxedSimd) {
    advice.push({
      level: "hint",
      problem: "there is no relaxed SIMD, so the CPU backend does without fused multiply-add",
      remedy:
        Number.parseInt(node) < NODE_WITH_RELAXED_SIMD
          ? `use Node ${NODE_WITH_RELAXED_SIMD} or later`
          : "use a processor with fused multiply-add",
    });
  }
  return advice;
}

function memoryAdvice({ memoryLimit }: HostFacts, { memory }: MachineReport): Advice[] {
  if (memoryLimit === null || memoryLimit >= memory) return [];
  const mebibytes = (bytes: number) => Math.floor(bytes / 2 ** 20);
  return [
    {
      level: "hint",
      problem: `the process may have ${mebibytes(memoryLimit)} MiB of memory, but Nearfield plans with ${mebibytes(memory)} MiB`,
      remedy: `add --memory ${mebibytes(memoryLimit * 0.6)}M to commands on large files`,
    },
  ];
}

function gpuAdvice({ platform, linux }: HostFacts, { noWebGpu, adapters }: MachineReport): Advice[] {
  if (noWebGpu !== undefined) return withoutWebGpu(noWebGpu, linux);
  if (adapters.some(({ software }) => !software)) return [];
  const none: Pick<Advice, "level" | "problem"> = {
    level: "problem",
    problem:
      adapters.length === 0
        ? "WebGPU finds no GPU"
        : "only a software GPU was found, which is slower than the CPU backend and is used only with --backend gpu",
  };
  if (linux) {
    const causes = linuxAdvice(linux);
    return causes.length > 0
      ? causes
      : [
          {
            ...none,
            remedy:
              "update the card's Vulkan driver; `vulkaninfo --summary` (vulkan-tools) shows what it offers",
          },
        ];
  }
  return [
    {
      ...none,
      remedy:
        platform === "win32"
          ? "install the current driver of the card's maker, with Direct3D 12"
          : "run on a machine with a GPU that Metal supports; virtual machines often have none",
    },
  ];
}

/**
 * Says what to do without the package webgpu. It is large, so Linux is asked for a GPU first; other systems
 * do not tell without it.
 */
function withoutWebGpu(problem: string, linux: LinuxFacts | null): Advice[] {
  if (linux?.musl) {
    const remedy =
      "use an image with glibc, such as node:22-slim instead of node:22-alpine, and there `npm install webgpu`";
    return [{ level: "problem", problem, remedy }];
  }
  if (linux && !seesGpu(linux)) return [{ level: "hint", ...unseenGpu(linux) }];
  const remedy =
    "`npm install webgpu` beside nearfield (132 MB); with npx: `npx -p webgpu -p nearfield nearfield doctor`";
  return [{ level: "problem", problem, remedy }];
}

function seesGpu({ renderNodes, nvidia }: LinuxFacts): boolean {
  return renderNodes.length > 0 || nvidia;
}

function unseenGpu({ container }: LinuxFacts): Pick<Advice, "problem" | "remedy"> {
  return container
    ? {
        problem: "this is a container, and no GPU is passed into it",
        remedy:
          "NVIDIA: `docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all ...`; AMD, Intel: `docker run --device /dev/dri ...`",
      }
    : {
        problem: "Linux sees no GPU: there is neither /dev/dri/renderD* nor /dev/nvidiactl",
        remedy: "load the card's kernel driver; `lspci -k` shows which one it wants",
      };
}

/** Lists all that keeps Vulkan from a GPU, in the order in which to repair it. */
function linuxAdvice(linux: LinuxFacts): Advice[] {
  const { vulkanLoader, missingDrivers, renderNodes, nvidia, vulkanDrivers, container } = linux;
  const advice: Advice[] = [];
  const add = (problem: string, remedy: string) => advice.push({ level: "problem", problem, remedy });
  if (!vulkanLoader) add("the Vulkan loader, libvulkan.so.1, is not installed", install(linux, "loader"));
  if (missingDrivers.length > 0) {
    add(
      `VK_DRIVER_FILES or VK_ICD_FILENAMES names ${missingDrivers.join(", ")}, which does not exist`,
      "correct the variable or unset it",
    );
  }
  if (!seesGpu(linux)) {
    const { problem, remedy } = unseenGpu(linux);
    add(problem, remedy);
    return advice;
  }
  const forbidden = renderNodes.filter(({ allowed }) => !allowed);
  if (forbidden.length > 0) {
    add(
      `this user may not use ${forbidden.map(({ path }) => path).join(", ")}`,
      container
        ? "add --group-add render to `docker run`"
        : "`sudo usermod -aG render $USER`, then log in again",
    );
  }
  if (nvidia && !vulkanDrivers.some((path) => /nvidia/i.test(path))) {
    add(
      "NVIDIA's kernel driver is there, but not its Vulkan driver",
      container
        ? `start the container with NVIDIA_DRIVER_CAPABILITIES=all (graphics is what is missing); in it ${install(linux, "nvidiaContainer")}`
        : install(linux, "nvidia"),
    );
  }
  if (renderNodes.length > 0 && !nvidia && vulkanDrivers.length === 0) {
    add("no Vulkan driver is installed", install(linux, "mesa"));
  }
  return advice;
}

function failureAdvice({ backend, gpu }: Pick<BackendReport, "backend" | "gpu">): Advice {
  return backend === "cpu"
    ? {
        level: "problem",
        problem: "the CPU backend failed its self-test",
        remedy: "please report it, with the output of `nearfield doctor --json`",
      }
    : {
        level: "problem",
        problem: `GPU ${gpu} failed its self-test`,
        remedy:
          "use --backend cpu, update the GPU's driver, and report it with the output of `nearfield doctor --json`",
      };
}
