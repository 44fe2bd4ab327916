/** docs/operators.md is what the catalogue and the commands say, and its examples are sound. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { classifyCommand } from "../../../dist/cli/commands/classify.js";
import { convolveCommand } from "../../../dist/cli/commands/convolve.js";
import { histogramCommand } from "../../../dist/cli/commands/histogram.js";
import { predictCommand } from "../../../dist/cli/commands/predict.js";
import { regressCommand } from "../../../dist/cli/commands/regress.js";
import { searchCommand } from "../../../dist/cli/commands/search.js";
import { sortCommand } from "../../../dist/cli/commands/sort.js";
import { entries } from "../../../dist/graph/catalogue/catalogue.js";
import { parseProcess } from "../../../dist/graph/index.js";
import { exampleOf, operatorsPage, problemsOf } from "../../../scripts/operators.mjs";

const page = readFileSync(fileURLToPath(new URL("../../../docs/operators.md", import.meta.url)), "utf8");

describe("the page of operators", () => {
  it("is what node scripts/operators.mjs writes", async () => {
    expect(page).toBe(await operatorsPage());
  });

  it("has every operator and each of its parameters", () => {
    const sections = new Map(page.split(/^### /m).map((text) => [text.slice(0, text.indexOf("\n")), text]));
    for (const { title, parameters } of entries) {
      const section = sections.get(title) ?? "";
      expect(
        parameters.filter(({ name }) => !section.includes(`\`${name}\``)),
        title,
      ).toEqual([]);
    }
  });

  it.each(entries.flatMap((entry) => (exampleOf(entry) === undefined ? [] : [[entry.id, entry] as const])))(
    "shows a sound node of %s",
    (id, entry) => {
      const example = exampleOf(entry)!;
      expect(problemsOf(example)).toEqual([]);
      const [, line] = new RegExp(`^\`\`\`json\n("${id}": .*)$`, "m").exec(page) ?? [];
      const { nodes } = parseProcess(`{"nearfield": 1, "nodes": {${line}}}`);
      expect(nodes[id]).toEqual(example.nodes[id]);
    },
  );

  it("shows commands whose options exist and take their values", () => {
    const shown = [
      ...page.matchAll(/`nearfield ((?:classify|regress|predict|search|convolve|sort|histogram) [^`]*)`/g),
    ];
    expect(shown.length).toBeGreaterThan(5);
    const made = [
      ...[classifyCommand, regressCommand, predictCommand, searchCommand],
      ...[convolveCommand, sortCommand, histogramCommand],
    ];
    for (const [, text] of shown) {
      const [name, ...args] = text.split(/\s+/);
      const command = made
        .map((make) => make(new AbortController().signal))
        .find((each) => each.name() === name)!;
      expect(command.exitOverride().parseOptions(args)).toMatchObject({ unknown: [] });
      const mandatory = command.options.filter((each) => each.mandatory).map(({ long }) => long);
      expect(args).toEqual(expect.arrayContaining(mandatory));
    }
  });
});
