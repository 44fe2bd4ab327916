/**
 * This module finds adapters and devices: what a GPU object offers, which adapter to take, and a device with
 * the limits and features that our kernels can use. It does nothing with the device: that is backend.ts.
 */
import { MATRIX_FEATURE } from "./features.ts";
import { InvalidInputError, UnavailableError } from "../../core/errors.ts";

export interface AdapterChoice {
  readonly adapter: GPUAdapter;
  /** People know the adapter by this name. */
  readonly name: string;
  readonly software: boolean;
}

export interface AdapterWish {
  /** It is the position in the list of adapters; default: the first that is allowed. */
  readonly adapterIndex?: number | undefined;
  readonly allowSoftware: boolean;
}

/** Names under which adapters that emulate a GPU are known. */
const softwareNames = /swiftshader|llvmpipe|lavapipe|microsoft basic render/i;

const requests: readonly GPURequestAdapterOptions[] = [
  { powerPreference: "high-performance" },
  { powerPreference: "low-power" },
  { forceFallbackAdapter: true },
];

const optionalFeatures: readonly GPUFeatureName[] = ["timestamp-query", "subgroups", MATRIX_FEATURE];

/**
 * Lists every adapter there is, once, the fastest first and those in software last. Two equal GPUs look like
 * one.
 */
export async function listAdapters(gpu: GPU): Promise<readonly AdapterChoice[]> {
  const byIdentity = new Map<string, AdapterChoice>();
  for (const options of requests) {
    const adapter = await gpu.requestAdapter(options);
    if (!adapter) continue;
    const { info } = adapter;
    const identity = [info.vendor, info.architecture, info.device, info.description].join("|");
    byIdentity.set(identity, { adapter, name: adapterName(info), software: isSoftware(info) });
  }
  const choices = [...byIdentity.values()];
  return [...choices.filter(({ software }) => !software), ...choices.filter(({ software }) => software)];
}

/**
 * @throws InvalidInputError for an index that is not in the list; UnavailableError when nothing allowed is
 *   there.
 */
export function chooseAdapter(choices: readonly AdapterChoice[], wish: AdapterWish): AdapterChoice {
  const { adapterIndex, allowSoftware } = wish;
  if (choices.length === 0) {
    throw new UnavailableError(
      "there is no WebGPU adapter; install a driver with Vulkan, Metal or Direct3D 12, or use the CPU backend",
    );
  }
  if (adapterIndex !== undefined && !choices[adapterIndex]) {
    throw new InvalidInputError(`there is no GPU ${adapterIndex}; the GPUs are: ${describe(choices)}`);
  }
  const candidates = adapterIndex === undefined ? choices : [choices[adapterIndex]];
  const choice = candidates.find(({ software }) => allowSoftware || !software);
  if (choice) return choice;
  throw new UnavailableError(
    `the only GPUs are emulated in software: ${describe(candidates)}; use the CPU backend, which is faster, or ask for "gpu"`,
  );
}

/**
 * Requests a device with the adapter's own limits of buffers and workgroup memory, and those optional
 * features it has.
 * @param matrixUnits false leaves them out
 * @throws UnavailableError when the adapter gives none.
 */
export async function requestDevice(
  { adapter, name, software }: AdapterChoice,
  matrixUnits = true,
): Promise<GPUDevice> {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } =
    adapter.limits;
  // SwiftShader compiles for seconds to clear workgroup memory, word by word, and gains nothing by more of
  // it.
  const workgroupLimits = software
    ? {}
    : { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX };
  try {
    return await adapter.requestDevice({
      label: "nearfield",
      requiredLimits: { maxBufferSize, maxStorageBufferBindingSize, ...workgroupLimits },
      requiredFeatures: optionalFeatures.filter(
        (feature) => adapter.features.has(feature) && (matrixUnits || feature !== MATRIX_FEATURE),
      ),
    });
  } catch (error) {
    throw new UnavailableError(`${name} gave no device: ${String(error)}`, error);
  }
}

export function isSoftware(info: GPUAdapterInfo): boolean {
  return (
    info.isFallbackAdapter || softwareNames.test([info.architecture, info.device, info.description].join(" "))
  );
}

export function adapterName({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  return (
    description || [vendor, architecture, device].filter((part) => part !== "").join(" ") || "unnamed GPU"
  );
}

function describe(choices: readonly AdapterChoice[]): string {
  return choices.map(({ name, software }, at) => `${at}: ${name}${software ? " (software)" : ""}`).join("; ");
}
