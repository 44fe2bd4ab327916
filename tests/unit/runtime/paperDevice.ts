/** A program and a device that are made of paper, for tests of the engine that walks the one on the other. */
import type { Session } from "../../../src/runtime/backend.ts";
import type { Device } from "../../../src/runtime/device.ts";
import type { Job, Program } from "../../../src/runtime/program.ts";

/** Jobs still to do; each answers one unit. */
export interface Plan {
  readonly todo: readonly string[];
  readonly key: string;
  readonly seen: readonly string[];
}

export interface NamedJob extends Job {
  readonly name: string;
}

export const program: Program<Plan, NamedJob> = {
  phase: "search",
  residentKey: ({ key }) => key,
  residentBuffers: ({ key }) => [{ name: key, bytes: 4 }],
  setupSegment: ({ key }, ran) =>
    ran.length === 0 ? { label: `setup ${key}`, buffers: [], steps: [] } : undefined,
  nextJob: ({ todo: [name] }) =>
    name === undefined
      ? undefined
      : { name, segment: { label: name, buffers: [], steps: [] }, cost: 10, units: 1 },
  next: (plan, job, { kind }) => {
    const seen = [...plan.seen, `${job.name} ${kind}`];
    if (kind === "outOfMemory") return { ...plan, key: `${plan.key}/2`, seen };
    return { ...plan, todo: kind === "done" ? plan.todo.slice(1) : plan.todo, seen };
  },
  unitsLeft: ({ todo }) => todo.length,
};

export const nothing = { downloads: new Map<string, ArrayBuffer>(), ms: 1, dispatches: 0, work: 0 };

export const planOf = (...todo: string[]): Plan => ({ todo, key: "rows", seen: [] });

/** A device whose log tells what was done; `run` may throw or report work. */
export function paperDevice(run: Session["run"] = () => Promise.resolve(nothing)) {
  const log: string[] = [];
  const open: Device["backend"]["open"] = ([buffer]) => {
    log.push(`open ${buffer.name}`);
    return Promise.resolve({
      run(segment, sources, options) {
        log.push(segment.label);
        return run(segment, sources, options);
      },
      add: ([more]) => Promise.resolve(void log.push(`add ${more.name}`)),
      dispose: () => void log.push("close"),
    });
  };
  const reopen = () => Promise.resolve(void log.push("reopen"));
  return { log, device: { backend: { open }, reopen } as unknown as Device };
}

/** Throws each error in turn at the runs of "b", then lets them pass. */
export function failingAtB(...errors: Error[]): Session["run"] {
  return ({ label }) => {
    const error = label === "b" ? errors.shift() : undefined;
    return error ? Promise.reject(error) : Promise.resolve(nothing);
  };
}

export const finishNothing = () => Promise.resolve();
