/**
 * Processes that are drawn and then broken, given to `nearfield run` as anybody's file may be: one line on
 * stderr that names the place, exit code 1, nothing on stdout, and the folder as it was.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ProcessNode } from "../../../../dist/graph/index.js";
import { breaks } from "../../../unit/graph/breaks.ts";
import { soundProcess, texts } from "../../../unit/graph/draw.ts";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const run = (...args: string[]) => folder.run(["run", ...args, "--backend", "cpu", "--threads", "1"]);

/** Every table is written too, so that there is something which must not be. */
function writing(nodes: Readonly<Record<string, ProcessNode>>): Record<string, ProcessNode> {
  const inputs = { table: "read.table" };
  const write: ProcessNode = { operator: "writeTable", inputs, parameters: { file: "written.csv" } };
  return { ...nodes, write };
}

it.each(Object.keys(breaks).filter((name) => !name.startsWith("a text of")))("%s", async (name) => {
  const [sound] = fc.sample(soundProcess, { numRuns: 1, seed: name.length });
  const broken = breaks[name](writing(sound.nodes), 3 * name.length);
  expect(broken).toBeDefined();
  folder.write({ ...texts, "process.json": JSON.stringify({ nearfield: 1, nodes: broken!.nodes }) });
  const before = folder.list();
  const { code, stdout, stderr } = await run("process.json");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^nearfield: process\.json: [^\n]{1,1500}\n$/);
  expect(stderr).toContain(broken!.path);
  expect(folder.list()).toEqual(before);
});

it("a file that is gone", async () => {
  const read = (file: string): ProcessNode => ({ operator: "readTable", parameters: { file } });
  folder.write({
    ...texts,
    "process.json": JSON.stringify({ nearfield: 1, nodes: writing({ read: read("gone.csv") }) }),
  });
  const before = folder.list();
  const { code, stdout, stderr } = await run("process.json");
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "nearfield: node read (Read Table): gone.csv: cannot be read: there is no such file; check the path\n",
  });
  expect(folder.list()).toEqual(before);
});
