// Finds the software GPU and the browser that the tests run on, both parts of Debian's package `chromium`:
// SwiftShader as a Vulkan driver for Dawn in Node, and Chromium itself. Not a GPU for users: "auto" never
// takes a software adapter.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./run.mjs";

const loaders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

/**
 * Environment variables for the tests, without what is absent. NEARFIELD_TEST_GPU=1 says that a GPU is
 * expected, so that not getting one is a failure; NEARFIELD_CHROMIUM is the browser; NEARFIELD_DAWN holds
 * options of Dawn.
 */
export function findSoftwareGpu({ env } = process) {
  const driver = env.NEARFIELD_SWIFTSHADER ?? "/usr/lib/chromium/vk_swiftshader_icd.json";
  const chromium = env.NEARFIELD_CHROMIUM ?? "/usr/bin/chromium";
  const found = {};
  if (existsSync(driver) && loaders.some((folder) => existsSync(join(folder, "libvulkan.so.1")))) {
    found.VK_ICD_FILENAMES = driver;
    found.NEARFIELD_TEST_GPU = "1";
    // Else SwiftShader compiles a store for each word of workgroup memory that is zeroed: up to seven times
    // as long.
    found.NEARFIELD_DAWN =
      env.NEARFIELD_DAWN ?? "disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension";
    // The Vulkan loader complains without one, though nothing here opens a window.
    found.XDG_RUNTIME_DIR = env.XDG_RUNTIME_DIR ?? tmpdir();
  }
  if (existsSync(chromium)) found.NEARFIELD_CHROMIUM = chromium;
  return found;
}

/** Installs it on Debian as root, or says what to install. @returns what is there afterwards */
export async function setUpSoftwareGpu() {
  if (!isComplete(findSoftwareGpu()) && (await isDebianRoot())) {
    await install().catch((error) =>
      console.log(`the software GPU could not be installed: ${error.message}`),
    );
  }
  const found = findSoftwareGpu();
  if (!isComplete(found)) {
    console.log(
      "No software GPU or no browser: install Debian's packages chromium and libvulkan1, or point NEARFIELD_SWIFTSHADER to\n" +
        "a vk_swiftshader_icd.json and NEARFIELD_CHROMIUM to a Chromium. The tests that need them are skipped.",
    );
  }
  return found;
}

export function isComplete({ NEARFIELD_TEST_GPU, NEARFIELD_CHROMIUM }) {
  return Boolean(NEARFIELD_TEST_GPU && NEARFIELD_CHROMIUM);
}

async function install() {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["-qq", "update"], { env });
  await run("apt-get", ["-qq", "install", "-y", "--no-install-recommends", "chromium", "libvulkan1"], {
    env,
  });
}

async function isDebianRoot() {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^ID=debian$/m.test(release);
}
