/** How shaders are compiled ahead, by kernels and pipelines of paper. */
import { expect, it } from "vitest";
import { primitive, run } from "../../../src/runtime/primitive.ts";
import type { GpuMachine } from "../../../src/runtime/gpu/machine.ts";
import { compileAhead } from "../../../src/runtime/gpu/passes/ahead.ts";
import type { Pass } from "../../../src/runtime/gpu/passes/pass.ts";

/** Steps whose kernel has these passes, and what is compiled of them, in this order. */
function paper(codes: readonly string[], check = () => {}) {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const kernel = { passes: () => codes.map((code) => ({ code }) as Pass), bytes: () => ({}) };
  const paperKernel = primitive<object, string>({ name: "paper", gpu: () => Promise.resolve(kernel) });
  const prepare = ([{ code }]: readonly Pass[]) => {
    begun.push(code);
    return new Promise<void>((resolve, reject) => ends.set(code, { resolve, reject }));
  };
  const machine = { pipelines: { prepare }, health: { check }, limits: {} } as unknown as GpuMachine;
  const steps = [0, 1].map((cost) => run(paperKernel, { params: {}, bindings: {}, cost }));
  return { begun, ends, machine, steps };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it("compiles all shaders at once, each once", async () => {
  const { begun, machine, steps } = paper(["a", "b", "a"]);
  await compileAhead(machine, steps).begun;
  await Promise.resolve();
  expect(begun).toEqual(["a", "b"]);
});

it("gives other events their turn between shaders where it is told to", async () => {
  const { begun, machine, steps } = paper(["a", "b", "c"]);
  await compileAhead(machine, steps, true).begun;
  const seen = [[...begun]];
  for (let i = 0; i < 3; i++) {
    await turn();
    seen.push([...begun]);
  }
  expect(seen).toEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]]);
});

it.each([undefined, true])("ends when all shaders have, one that failed too: gently %s", async (gently) => {
  const { begun, ends, machine, steps } = paper(["a", "b"]);
  let done = false;
  void compileAhead(machine, steps, gently).done.then(() => (done = true));
  while (begun.length < 2) await turn();
  ends.get("a")!.reject(new Error("does not compile"));
  await turn();
  expect(done).toBe(false);
  ends.get("b")!.resolve();
  await turn();
  expect(done).toBe(true);
});

it("compiles nothing for a device that is lost", async () => {
  const { begun, machine, steps } = paper(["a", "b"], () => {
    throw new Error("lost");
  });
  await compileAhead(machine, steps).done;
  expect(begun).toEqual([]);
});
