/**
 * Processes that are drawn and then broken: each break is found before anything is read or written, by the
 * path of the member, in a message that a terminal can hold.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProcess, parseProcess, printProcess, runProcess } from "../../../dist/graph/index.js";
import type { ProcessDocument } from "../../../dist/graph/index.js";
import type { Device } from "../../../dist/node.js";
import { InvalidInputError } from "../../../dist/node.js";
import { breaks, long } from "./breaks.ts";
import { filesOf, soundProcess } from "./draw.ts";

/** Returns all that is said against the text, by parsing or by the checks. */
function saidAgainst(text: string): string[] {
  try {
    const document = parseProcess(text, "a.json");
    return checkProcess(document, { files: filesOf(document) }).map(
      ({ path, message }) => `${path}: ${message}`,
    );
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    return [(error as Error).message];
  }
}

describe("a process that is broken by", () => {
  it.each(Object.entries(breaks))("%s is refused with the place and a word on it", async (name, breakOne) => {
    const numRuns = name.startsWith("a text of") ? 8 : 60;
    let tried = 0;
    const property = fc.asyncProperty(soundProcess, fc.nat(), async (sound, pick) => {
      const broken = breakOne(sound.nodes, pick);
      if (broken === undefined) return;
      tried++;
      const text = JSON.stringify({ nearfield: 1, nodes: broken.nodes });
      const said = saidAgainst(
        text.length > 10_000_000 ? text.replaceAll(long, long.slice(0, 9_900_000)) : text,
      );
      const expected = broken.says.replace("10000000", "9900000");
      const fitting = said.filter((each) => each.includes(broken.path) && each.includes(expected));
      expect(fitting, said.join("\n").slice(0, 2000)).not.toEqual([]);
      expect(Math.max(...said.map(({ length }) => length))).toBeLessThan(1500);
      await expectNothingRuns(text);
    });
    await fc.assert(property, { numRuns });
    expect(tried).toBeGreaterThan(numRuns / 3);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("any of these has problems whose mends, where one is offered, take them away and change nothing else", () => {
    const kinds = Object.entries(breaks).filter(([name]) => !/10 MB|hostile/.test(name));
    const offered = new Set<string>();
    const property = fc.property(
      soundProcess,
      fc.constantFrom(...kinds),
      fc.nat(),
      (sound, [name, breakOne], pick) => {
        const broken = breakOne(sound.nodes, pick);
        if (broken === undefined || name === "code") return;
        const process = { nearfield: 1 as const, nodes: broken.nodes as ProcessDocument["nodes"] };
        const before = JSON.stringify(process);
        const problemsOf = (of: ProcessDocument) =>
          checkProcess(of, { files: filesOf(of) }).map(({ path, message }) => `${path}: ${message}`);
        for (const { path, message, mend } of checkProcess(process, { files: filesOf(process) })) {
          if (mend === undefined) continue;
          offered.add(name);
          const mended = mend.apply(process);
          expect(problemsOf(mended)).not.toContain(`${path}: ${message}`);
          expect(JSON.stringify(process)).toBe(before);
          const changed = Object.keys(process.nodes).filter((id) => mended.nodes[id] !== process.nodes[id]);
          expect(changed).toEqual([path.split(".")[1]]);
        }
      },
    );
    fc.assert(property, { numRuns: 600 });
    expect([...offered]).toEqual(
      expect.arrayContaining([
        "an unknown operator",
        "an unknown parameter",
        "an unknown input",
        "a wire from no output",
      ]),
    );
  });

  it("members called __proto__ anywhere is refused by that name", () => {
    const places = [
      '{"nearfield": 1, "nodes": {"__proto__": {"operator": "knn"}}}',
      '{"nearfield": 1, "nodes": {"a": {"operator": "knn", "parameters": {"__proto__": {"k": 3}}}}}',
      '{"nearfield": 1, "nodes": {"a": {"operator": "knn", "inputs": {"__proto__": "a.b"}}}}',
      '{"nearfield": 1, "nodes": {"a": {"operator": "knn", "__proto__": {}}}}',
      '{"nearfield": 1, "__proto__": {}, "nodes": {}}',
      '{"nearfield": 1, "nodes": {}, "layout": {"__proto__": [0, 0]}}',
    ];
    for (const text of places)
      expect(saidAgainst(text), text).toEqual([expect.stringContaining('"__proto__"')]);
  });
});

/** A run must not even look for a device, a file or a place to write. */
async function expectNothingRuns(text: string): Promise<void> {
  let document: ProcessDocument;
  try {
    document = parseProcess(text);
  } catch {
    return;
  }
  const never = () => {
    throw new Error("something ran");
  };
  const device = new Proxy({}, { get: never }) as Device;
  await expect(runProcess(document, { device, open: never, write: never })).rejects.toThrow(
    InvalidInputError,
  );
}

describe("any text", () => {
  it("is a process that prints and checks, or refused in words, however a file was cut and joined", () => {
    const property = fc.property(
      soundProcess,
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.nat(12),
          fc.constantFrom("", '"', "{", "}", "[", ",", ":", "\\", "\u0000", "9", "é", "n", "null"),
        ),
      ),
      (sound, edits) => {
        const text = edits.reduce((before, [at, cut, put]) => {
          const begin = at % (before.length + 1);
          return before.slice(0, begin) + put + before.slice(begin + cut);
        }, printProcess(sound));
        if (saidAgainst(text).length > 0) return;
        expect(saidAgainst(printProcess(parseProcess(text)))).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: 400 });
  });

  it("of a sound process is sound again once it is printed", () => {
    const property = fc.property(soundProcess, (sound) => {
      expect(saidAgainst(printProcess(sound))).toEqual([]);
    });
    fc.assert(property);
  });
});
