/** How pipelines hold up the end of a process, on a paper device. What they compile is in tests/backend. */
import { expect, it, onTestFinished, vi } from "vitest";
import { installPlatform, type Platform } from "../../../src/core/platform.ts";
import type { Health } from "../../../src/runtime/gpu/health.ts";
import type { Pass } from "../../../src/runtime/gpu/passes/pass.ts";
import { Pipelines } from "../../../src/runtime/gpu/passes/pipelines.ts";

const passOf = (code: string) => ({ code, label: code, bindings: [] }) as unknown as Pass;

/** Pipelines whose compilations end when they are told to, and what is called when the process ends. */
function paperPipelines() {
  const acts = new Set<() => void>();
  const log: string[] = [];
  const atExit = (act: () => void) => {
    acts.add(act);
    return () => acts.delete(act);
  };
  installPlatform({ name: "node", atExit } as unknown as Platform);
  vi.stubGlobal("GPUShaderStage", { COMPUTE: 4 });
  onTestFinished(() => {
    installPlatform({ name: "browser" } as Platform);
    vi.unstubAllGlobals();
  });
  const ends: Record<string, { resolve: (value: unknown) => void; reject: (error: Error) => void }> = {};
  const device = {
    pushErrorScope: () => undefined,
    popErrorScope: () => Promise.resolve(null),
    createShaderModule: () => ({ getCompilationInfo: () => Promise.resolve({ messages: [] }) }),
    createBindGroupLayout: () => ({}),
    createPipelineLayout: () => ({}),
    createComputePipelineAsync: ({ label }: { label: string }) =>
      new Promise((resolve, reject) => (ends[label] = { resolve, reject })),
    destroy: () => void log.push("destroyed"),
  } as unknown as GPUDevice;
  const health = { guard: <T>(promise: Promise<T>) => promise } as unknown as Health;
  return { pipelines: new Pipelines(device, health), acts, ends, log };
}

it("pipelines destroy the device at the end of a process only while something compiles, and once", async () => {
  const { pipelines, acts, ends, log } = paperPipelines();
  const both = [pipelines.prepare([passOf("a")]), pipelines.prepare([passOf("b"), passOf("a")])];
  expect(acts.size).toBe(1);
  ends["a"].resolve({});
  await both[0];
  expect(acts.size).toBe(1);
  for (const act of acts) act();
  expect(log).toEqual(["destroyed"]);
  ends["b"].resolve({});
  await both[1];
  expect(acts.size).toBe(0);
  const again = pipelines.prepare([passOf("a"), passOf("c")]);
  expect(acts.size).toBe(1);
  ends["c"].reject(new Error("no such thing"));
  await expect(again).rejects.toThrow("no such thing");
  expect(acts.size).toBe(0);
});
