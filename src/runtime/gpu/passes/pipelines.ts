/**
 * These are the compute pipelines, cached by the full text of their shader. Two requests for one text share
 * one compilation; a text that does not compile is an error that shows its lines.
 */
import { assert, DeviceError } from "../../../core/errors.ts";
import { currentPlatform } from "../../../core/platform.ts";
import type { Pass } from "./pass.ts";
import type { Health } from "../health.ts";
import { scoped } from "../scopes.ts";

export interface Compiled {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

export class Pipelines {
  readonly #device: GPUDevice;
  readonly #health: Health;
  readonly #pending = new Map<string, Promise<void>>();
  readonly #compiled = new Map<string, Compiled>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();
  #callOff: (() => void) | undefined;

  constructor(device: GPUDevice, health: Health) {
    this.#device = device;
    this.#health = health;
  }

  /** Tells whether `get` has every pass. */
  has(passes: readonly Pass[]): boolean {
    return passes.every(({ code }) => this.#compiled.has(code));
  }

  /**
   * Compiles what is not compiled yet; `get` then has every pass.
   * @throws DeviceError with the compiler's messages and the lines they are about.
   */
  async prepare(passes: readonly Pass[]): Promise<void> {
    const missing = passes.filter(({ code }) => !this.#compiled.has(code));
    await Promise.all(missing.map((pass) => this.#share(pass)));
  }

  get({ code, label }: Pass): Compiled {
    const compiled = this.#compiled.get(code);
    assert(compiled, `${label} was not prepared`);
    return compiled;
  }

  #share(pass: Pass): Promise<void> {
    const pending = this.#pending.get(pass.code);
    if (pending) return pending;
    // A driver that compiles while its process ends crashes; to destroy the device waits for it.
    this.#callOff ??= currentPlatform().atExit?.(() => this.#device.destroy());
    const compilation = this.#compile(pass).finally(() => this.#ended(pass));
    this.#pending.set(pass.code, compilation);
    return compilation;
  }

  #ended({ code }: Pass): void {
    this.#pending.delete(code);
    if (this.#pending.size > 0) return;
    this.#callOff?.();
    this.#callOff = undefined;
  }

  async #compile({ code, label, bindings }: Pass): Promise<void> {
    const device = this.#device;
    const { value, checked } = scoped(device, label, 0, () => {
      const module = device.createShaderModule({ label, code });
      const layout = this.#layout(bindings);
      const pipeline = device.createComputePipelineAsync({
        label,
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: "main" },
      });
      return { module, layout, pipeline };
    });
    const { module, layout } = value;
    try {
      const [pipeline] = await this.#health.guard(Promise.all([value.pipeline, checked]));
      this.#compiled.set(code, { pipeline, layout });
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      const { messages } = await this.#health.guard(module.getCompilationInfo());
      throw await import("./failure.ts").then(
        ({ failureOf }) => failureOf(label, code, messages, error),
        () => error,
      );
    }
  }

  #layout(bindings: Pass["bindings"]): GPUBindGroupLayout {
    const key = bindings.map(({ access }) => access).join();
    let layout = this.#layouts.get(key);
    if (!layout) {
      layout = this.#device.createBindGroupLayout({ label: key, entries: layoutEntries(bindings) });
      this.#layouts.set(key, layout);
    }
    return layout;
  }
}

/** Returns an explicit layout, since the automatic one leaves out bindings a metric happens not to read. */
function layoutEntries(bindings: Pass["bindings"]): GPUBindGroupLayoutEntry[] {
  const types = bindings.map(({ access }) => (access === "read" ? "read-only-storage" : "storage"));
  return (["uniform", ...types] as const).map((type, binding) => ({
    binding,
    visibility: GPUShaderStage.COMPUTE,
    buffer: { type },
  }));
}
