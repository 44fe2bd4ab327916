/** Small processes on a device: their nodes in short, and what they come to once the checks have passed. */
import { expect } from "vitest";
import { checkProcess, inspectFiles, runProcess } from "../../dist/graph/index.js";
import type { NodeOutput, PortType, ProcessNode } from "../../dist/graph/index.js";
import type { ByteSource, Device } from "../../dist/node.js";

export const node = (operator: string, inputs: object = {}, parameters: object = {}): ProcessNode => ({
  operator,
  inputs: inputs as Record<string, string>,
  parameters: parameters as Record<string, number>,
});

export async function bytesOf(pieces: AsyncIterable<string | Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces)
    parts.push(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

type Open = (path: string) => ByteSource | Promise<ByteSource>;

/** Runs a process and returns an output, with the files that it wrote. */
export async function outcomeOf(device: Device, nodes: Record<string, ProcessNode>, open: Open) {
  const process = { nearfield: 1 as const, nodes };
  expect(checkProcess(process, { files: await inspectFiles(process, { open }) })).toEqual([]);
  const written = new Map<string, Uint8Array>();
  const write = async (path: string, pieces: AsyncIterable<string | Uint8Array>) =>
    void written.set(path, await bytesOf(pieces));
  const result = await runProcess(process, { device, open, write });
  const failed = result.nodes.find(({ error }) => error !== undefined);
  if (failed?.error) throw failed.error;
  const outputOf = <Type extends PortType>(of: string, type: Type) => {
    const [id, name] = of.split(".");
    const found = result.nodes.find((each) => each.node === id)!.outputs[name];
    if (found.type !== type) throw new Error(`${of} is a ${found.type}`);
    return found as Extract<NodeOutput, { type: Type }>;
  };
  return { outputOf, written };
}

/** The digits of a fingerprint that tests keep. */
export const short = ({ fingerprint }: NodeOutput) => fingerprint.slice(0, 16);
