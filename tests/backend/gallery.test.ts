/** The processes of examples/, on every backend: they check, print as they stand, and give what they gave. */
import { describe, expect, it } from "vitest";
import {
  checkProcess,
  inspectFiles,
  parseProcess,
  printProcess,
  runProcess,
} from "../../dist/graph/index.js";
import { bytesSource } from "../../dist/node.js";
import { bytesOf, fingerprints, listed, processes, textOf } from "./gallery.ts";
import { onEachBackend } from "./helpers.ts";

const open = (path: string) => bytesSource(bytesOf(path), path);

onEachBackend((device) => {
  it.each(processes)("gives for examples/%s.json the fingerprints that are committed", async (name) => {
    const result = await runProcess(parseProcess(textOf(name)), { device: device(), open });
    expect(result.nodes.flatMap(({ error }) => (error ? [error.message] : []))).toEqual([]);
    expect(listed(name, result.nodes)).toEqual(fingerprints[name]);
    result.dispose();
  });
});

describe("the processes of examples/", () => {
  it.each(processes)("%s.json has the printed form, and nothing is wrong with it", async (name) => {
    const process = parseProcess(textOf(name));
    expect(printProcess(process)).toBe(textOf(name));
    expect(checkProcess(process, { files: await inspectFiles(process, { open }) })).toEqual([]);
  });
});
