/** The pages of docs/operators/ are what the catalogue and the commands say, and their examples are sound. */
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { entries } from "../../../dist/graph/catalogue/catalogue.js";
import { parseProcess, printProcess } from "../../../dist/graph/index.js";
import {
  commandsOfOptions,
  exampleOf,
  operatorPages,
  problemsOf,
  stalePages,
  upTo,
} from "../../../scripts/operators.mjs";

const docs = fileURLToPath(new URL("../../../docs", import.meta.url));
const pageOf = (id: string) => readFileSync(`${docs}/operators/${id}.md`, "utf8");

describe("the pages of operators", () => {
  it("are what node scripts/operators.mjs writes, one for each and no more", async () => {
    expect(await stalePages()).toEqual([]);
    const names = [...(await operatorPages()).keys()];
    expect(names).toEqual(["operators.md", ...entries.map(({ id }) => `operators/${id}.md`)]);
  });

  it("are found stale, missing and superfluous", async () => {
    const folder = await mkdtemp(join(tmpdir(), "nearfield-pages-"));
    await cp(`${docs}/operators.md`, `${folder}/operators.md`);
    await cp(`${docs}/operators`, `${folder}/operators`, { recursive: true });
    await writeFile(`${folder}/operators/sort.md`, "# Sort\n");
    await rename(`${folder}/operators/knn.md`, `${folder}/operators/knnn.md`);
    expect(await stalePages(folder).finally(() => rm(folder, { recursive: true }))).toEqual([
      "docs/operators/knn.md is not what the catalogue says",
      "docs/operators/sort.md is not what the catalogue says",
      "docs/operators/knnn.md is of no operator",
    ]);
  });

  it("are listed by the index, each with what it does", () => {
    const index = readFileSync(`${docs}/operators.md`, "utf8").replace(/\n +/g, " ");
    for (const { id, title, says } of entries)
      expect(index).toContain(`- [${title}](operators/${id}.md) (\`${id}\`): ${says}\n`);
  });

  it.each(entries.map((entry) => [entry.id, entry] as const))(
    "of %s names every port, parameter and choice",
    (id, { inputs, parameters }) => {
      const page = pageOf(id).replace(/\\/g, "").replace(/\s+/g, " ");
      for (const { name } of [...inputs, ...parameters]) expect(page).toContain(`- \`${name}\` (`);
      for (const { choices = [] } of parameters) for (const choice of choices) expect(page).toContain(choice);
    },
  );

  it.each(entries.flatMap((entry) => (exampleOf(entry) === undefined ? [] : [[entry.id, entry] as const])))(
    "of %s shows a sound process",
    (id, entry) => {
      const example = exampleOf(entry)!;
      expect(problemsOf(example)).toEqual([]);
      const [, shown] = /^```json\n([^]*?)```$/m.exec(pageOf(id)) ?? [];
      const process = parseProcess(shown);
      expect(problemsOf(process)).toEqual([]);
      expect(process.nodes[id]).toEqual(example.nodes[id]);
      expect(printProcess(process)).toBe(printProcess(upTo(id, example)));
    },
  );

  it("show commands whose options exist and take their values", () => {
    const names = [...commandsOfOptions().keys()].join("|");
    const shown = entries.flatMap(({ id }) => [
      ...pageOf(id).matchAll(new RegExp(`\`nearfield (${names}) ([^\`]*)\``, "g")),
    ]);
    expect(shown.length).toBeGreaterThan(10);
    for (const [, name, text] of shown) {
      const args = text.trim().split(/\s+/);
      const command = commandsOfOptions().get(name)!;
      expect(command.exitOverride().parseOptions(args)).toMatchObject({ unknown: [] });
      const mandatory = command.options.filter((each) => each.mandatory).map(({ long }) => long);
      expect(args).toEqual(expect.arrayContaining(mandatory));
    }
  });
});
