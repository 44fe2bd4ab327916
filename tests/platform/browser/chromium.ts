/**
 * Chromium with and without WebGPU, found by scripts/software-gpu.mjs; absent on some machines, never in CI.
 */
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

const executablePath = process.env.NEARFIELD_CHROMIUM;
const inCI = Boolean(process.env.CI) && process.env.CI !== "false";

export const noChromium = !executablePath && !inCI;

const softwareGpu = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
  // As in scripts/software-gpu.mjs.
  "--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension",
];

/**
 * @param webgpu whether pages find an adapter, SwiftShader's.
 * @param hosts names for 127.0.0.1 that are no secure context
 */
export function launchChromium(webgpu: boolean, ...hosts: string[]): Promise<Browser> {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(",");
  return chromium.launch({
    executablePath: executablePath ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      ...(webgpu ? softwareGpu : []),
      ...(rules ? [`--host-resolver-rules=${rules}`] : []),
    ],
  });
}
