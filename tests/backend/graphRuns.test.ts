/**
 * Random small processes, edited step by step: a run that uses kept results gives what a fresh run gives,
 * node by node, and does not do again what has not changed.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeptResults, operators, planProcess, runProcess } from "../../dist/graph/index.js";
import type { ProcessDocument, ProcessNode, ProcessResult } from "../../dist/graph/index.js";
import { textSource } from "../../dist/node.js";
import type { Device } from "../../dist/node.js";
import { soundProcess, texts } from "../unit/graph/draw.ts";
import { openDevice } from "./helpers.ts";

describe("kept results", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("cpu");
  });
  afterAll(() => device.dispose());

  const open = (path: string) => textSource(texts[path], path);
  const madeBy = ({ nodes }: ProcessResult) =>
    nodes.map(({ node, key, state, outputs, error }) => ({
      node,
      key,
      ended: state === "kept" ? "done" : state,
      error: error?.message,
      fingerprints: Object.values(outputs).map(({ fingerprint }) => fingerprint),
    }));

  it("of random processes are those of fresh runs, through edits and back", async () => {
    const property = fc.asyncProperty(soundProcess, soundProcess, fc.nat(), async (one, other, pick) => {
      const kept = new KeptResults();
      for (const document of [one, other, renamed(one), without(one, pick), one]) {
        const [again, fresh] = [
          await runProcess(document, { device, open, kept }),
          await runProcess(document, { device, open }),
        ];
        expect(madeBy(again)).toEqual(madeBy(fresh));
        fresh.dispose();
      }
      const { nodes } = await runProcess(one, { device, open, kept });
      expect(nodes.filter(({ state }) => state === "done")).toEqual([]);
      kept.dispose();
    });
    await fc.assert(property, { numRuns: 25 });
  }, 120_000);

  it("of a process whose nodes were renamed are all used again", async () => {
    const property = fc.asyncProperty(soundProcess, async (process) => {
      const kept = new KeptResults();
      const first = await runProcess(process, { device, open, kept });
      const second = await runProcess(renamed(process), { device, open, kept });
      const failed = (result: ProcessResult) =>
        result.nodes.filter(({ state }) => state === "failed" || state === "skipped").length;
      expect(second.nodes.filter(({ state }) => state === "kept").length).toBe(
        second.nodes.length - failed(first),
      );
      kept.dispose();
    });
    await fc.assert(property, { numRuns: 15 });
  }, 120_000);

  it("have keys of which no two differing results share one", () => {
    const keys = new Map<string, string>();
    const property = fc.property(soundProcess, (process) => {
      for (const { node, key } of planProcess(process)) {
        const what = JSON.stringify(unfolded(process, node));
        expect(keys.get(key) ?? what).toBe(what);
        keys.set(key, what);
      }
    });
    fc.assert(property);
  });
});

/** Gives every node another name, and all wires with it. */
function renamed({ nodes, ...rest }: ProcessDocument): ProcessDocument {
  const name = (id: string) => `z${id}`;
  const entries = Object.entries(nodes).map(([id, { inputs = {}, ...node }]): [string, ProcessNode] => [
    name(id),
    { ...node, inputs: Object.fromEntries(Object.entries(inputs).map(([port, wire]) => [port, name(wire)])) },
  ]);
  return { ...rest, nodes: Object.fromEntries(entries) };
}

/** Leaves out a node that no other one needs. */
function without({ nodes, ...rest }: ProcessDocument, pick: number): ProcessDocument {
  const wires = Object.values(nodes).flatMap(({ inputs = {} }) => Object.values(inputs));
  const last = Object.keys(nodes).filter((id) => !wires.some((wire) => wire.startsWith(`${id}.`)));
  const gone = last[pick % last.length];
  return { ...rest, nodes: Object.fromEntries(Object.entries(nodes).filter(([id]) => id !== gone)) };
}

/** Writes out all that a node follows from, with no names of nodes; a default counts like what is given. */
function unfolded({ nodes }: ProcessDocument, id: string): unknown {
  const { operator, inputs = {}, parameters = {} } = nodes[id];
  const wires = Object.keys(inputs).sort();
  const { parameters: known = [] } = operators.find((each) => each.id === operator) ?? {};
  return [
    operator,
    known.map(({ name, default: usual }) => parameters[name] ?? usual ?? null),
    wires.map((port) => {
      const [from, output] = inputs[port].split(".");
      return [port, output, unfolded({ nearfield: 1, nodes }, from)];
    }),
  ];
}
