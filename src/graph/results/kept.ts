/**
 * This module keeps results between runs, by the keys of plans. There is no budget: who holds them decides
 * when to dispose of them.
 */
import type { Device } from "../../runtime/device.ts";
import { disposeValue } from "../values.ts";
import type { PortType, PortValues } from "../values.ts";
import type { Ingredients } from "./ingredients.ts";

/**
 * A node that has run gave this output.
 * @example
 * const learner = { steps: [], estimator: undefined };
 * const output: NodeOutput = { type: "Learner", value: learner, fingerprint: "00" };
 * output.type; // => "Learner"
 */
export type NodeOutput = {
  readonly [Type in PortType]: {
    readonly type: Type;
    readonly value: PortValues[Type];
    /** 64 hexadecimal digits, equal wherever the result is. */
    readonly fingerprint: string;
  };
}[PortType];

export type NodeOutputs = Readonly<Record<string, NodeOutput>>;

/**
 * Keeps the results of earlier runs, so that a run does only what has changed. Trained models belong to their
 * device: a run on another device trains them again.
 * @example
 * import { KeptResults, parseProcess, runProcess } from "nearfield/graph";
 *
 * const process = parseProcess('{"nearfield": 1, "nodes": {"knn": {"operator": "knn"}}}');
 * const device = await Device.create({ backend: "cpu" });
 * const kept = new KeptResults();
 * await runProcess(process, { device, kept });
 * (await runProcess(process, { device, kept })).nodes[0].state; // => "kept"
 * kept.dispose();
 * device.dispose();
 */
export class KeptResults {
  readonly #results = new Map<string, NodeOutputs>();
  readonly #last = new Map<string, Ingredients>();
  #device: Device | undefined;

  /** Returns true where there is a result of that key. */
  has(key: string): boolean {
    return this.#results.has(key);
  }

  /** @internal */
  get(key: string): NodeOutputs | undefined {
    return this.#results.get(key);
  }

  /** @internal */
  keep(key: string, outputs: NodeOutputs): void {
    this.#results.set(key, outputs);
  }

  /**
   * Returns what the result of a node followed from when it last ran; it serves reasons alone.
   * @internal
   */
  lastOf(node: string): Ingredients | undefined {
    return this.#last.get(node);
  }

  /** @internal */
  ran(node: string, ingredients: Ingredients): void {
    this.#last.set(node, ingredients);
  }

  /**
   * Forgets the models of another device.
   * @internal
   */
  moveTo(device: Device): void {
    if (this.#device === device) return;
    this.#device = device;
    for (const [key, outputs] of this.#results) {
      const held = Object.values(outputs).filter(({ value }) => "pipeline" in value);
      if (held.length === 0) continue;
      for (const { value } of held) disposeValue(value);
      this.#results.delete(key);
    }
  }

  /** Frees all results. */
  dispose(): void {
    for (const outputs of this.#results.values())
      for (const { value } of Object.values(outputs)) disposeValue(value);
    this.#results.clear();
  }

  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}
