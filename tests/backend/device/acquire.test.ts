/** Choosing an adapter and a budget: pure, on adapters made up here. */
import { describe, expect, it } from "vitest";
import {
  adapterName,
  chooseAdapter,
  isSoftware,
  listAdapters,
  requestDevice,
} from "../../../dist/runtime/gpu/acquire.js";
import { budgetAfterRefusal, gpuBudget, stagingBytes } from "../../../dist/runtime/gpu/budget.js";
import { nextQuantum, Pace } from "../../../dist/runtime/gpu/pace.js";
import { rejection } from "./gpu.ts";

const info = (fields: Partial<GPUAdapterInfo>): GPUAdapterInfo => ({
  ...({
    vendor: "",
    architecture: "",
    device: "",
    description: "",
    isFallbackAdapter: false,
  } as GPUAdapterInfo),
  ...fields,
});
const adapter = (fields: Partial<GPUAdapterInfo>): GPUAdapter => ({ info: info(fields) }) as GPUAdapter;
const fast = { vendor: "nvidia", description: "Fast" };
const slow = { vendor: "intel", description: "Slow" };
const software = { vendor: "google", architecture: "swiftshader", isFallbackAdapter: true };

function gpuWith(
  high?: Partial<GPUAdapterInfo>,
  low?: Partial<GPUAdapterInfo>,
  fallback?: Partial<GPUAdapterInfo>,
): GPU {
  const requestAdapter = async ({ powerPreference, forceFallbackAdapter }: GPURequestAdapterOptions = {}) => {
    const fields = forceFallbackAdapter ? fallback : powerPreference === "low-power" ? low : high;
    return fields ? adapter(fields) : null;
  };
  return { requestAdapter } as GPU;
}

describe("adapters", () => {
  it("are listed once, the fast ones first and software last", async () => {
    expect((await listAdapters(gpuWith(fast, slow, software))).map(({ name }) => name)).toEqual([
      "Fast",
      "Slow",
      "google swiftshader",
    ]);
    expect(await listAdapters(gpuWith(fast, fast))).toHaveLength(1);
    expect((await listAdapters(gpuWith(software, fast, software))).map(({ software }) => software)).toEqual([
      false,
      true,
    ]);
    expect(await listAdapters(gpuWith())).toEqual([]);
  });

  it("are told to be software by their names", () => {
    expect(isSoftware(info({ isFallbackAdapter: true }))).toBe(true);
    expect(isSoftware(info({ description: "llvmpipe (LLVM 15.0.6, 256 bits)" }))).toBe(true);
    expect(isSoftware(info({ description: "Microsoft Basic Render Driver" }))).toBe(true);
    expect(isSoftware(info({ architecture: "swiftshader" }))).toBe(true);
    expect(isSoftware(info(fast))).toBe(false);
    expect(adapterName(info({}))).toBe("unnamed GPU");
  });

  it("are chosen by number, or the first that is allowed", async () => {
    const choices = await listAdapters(gpuWith(fast, slow, software));
    expect(chooseAdapter(choices, { allowSoftware: false }).name).toBe("Fast");
    expect(chooseAdapter(choices, { allowSoftware: true, adapterIndex: 2 }).software).toBe(true);
    expect(chooseAdapter(choices, { allowSoftware: false, adapterIndex: 1 }).name).toBe("Slow");
    expect(() => chooseAdapter(choices, { allowSoftware: false, adapterIndex: 2 })).toThrow(
      /emulated in software/,
    );
    expect(() => chooseAdapter(choices, { allowSoftware: true, adapterIndex: 3 })).toThrow(
      "there is no GPU 3; the GPUs are: 0: Fast; 1: Slow; 2: google swiftshader (software)",
    );
  });

  it("are unavailable when there is none, or none but software", async () => {
    expect(() => chooseAdapter([], { allowSoftware: true, adapterIndex: 0 })).toThrow(/no WebGPU adapter/);
    const only = await listAdapters(gpuWith(undefined, undefined, software));
    expect(() => chooseAdapter(only, { allowSoftware: false })).toThrow(/emulated in software/);
    expect(chooseAdapter(only, { allowSoftware: true }).software).toBe(true);
  });

  it("that give no device are unavailable", async () => {
    const broken = {
      limits: {},
      features: new Set(),
      requestDevice: () => Promise.reject(new Error("busy")),
    };
    const choice = { adapter: broken as unknown as GPUAdapter, name: "Broken", software: false };
    expect(await rejection(requestDevice(choice))).toMatchObject({
      tag: "Unavailable",
      cause: new Error("busy"),
    });
  });
});

describe("the budget", () => {
  const MiB = 2 ** 20;
  const limits = { maxStorageBufferBindingSize: 128 * MiB, maxBufferSize: 256 * MiB, software: false };

  it("follows the limits between 512 MiB and 4 GiB", () => {
    expect(gpuBudget(limits)).toEqual({ budgetBytes: 512 * MiB, bufferBytes: 128 * MiB, slotBytes: 8 * MiB });
    const large = { ...limits, maxStorageBufferBindingSize: 2 ** 31 - 4, maxBufferSize: 2 ** 40 };
    expect(gpuBudget(large).budgetBytes).toBe(2 ** 32 - 8);
    expect(gpuBudget({ ...large, maxStorageBufferBindingSize: 2 ** 40 }).budgetBytes).toBe(2 ** 32);
    expect(gpuBudget({ ...large, software: true }).budgetBytes).toBe(512 * MiB);
  });

  it("is the user's own when given, and staging stays small beside it", () => {
    for (const requested of [10_001, MiB, 50 * MiB, 2 ** 36]) {
      const budget = gpuBudget({ ...limits, requested });
      expect(budget.budgetBytes).toBe(requested - (requested % 4));
      expect(budget.bufferBytes).toBe(Math.min(128 * MiB, budget.budgetBytes));
      expect(stagingBytes(budget)).toBeLessThanOrEqual(Math.max(requested / 10, 24_576));
    }
  });

  it("halves when the driver refuses", () => {
    expect(budgetAfterRefusal(1000, 2000, 2000)).toBe(500);
    expect(budgetAfterRefusal(1000, 200, 200)).toBe(200);
  });
});

describe("the pace of submits", () => {
  it("grows while submits are short and shrinks when they are long", () => {
    expect(nextQuantum(100, 100, 5)).toBe(200);
    expect(nextQuantum(100, 10, 5)).toBe(100);
    expect(nextQuantum(100, 100, 50)).toBe(100);
    expect(nextQuantum(100, 400, 200)).toBe(100);
    expect(nextQuantum(100, 100, 200)).toBe(50);
  });

  it("starts from the rate, never falls below it, and counts a submit from the end of the one before", () => {
    const pace = new Pace(1000);
    expect(pace.quantum).toBe(20);
    pace.observe(20, 0, 500);
    expect(pace.quantum).toBe(20);
    pace.observe(20, 0, 510);
    expect(pace.quantum).toBe(40);
  });
});
