/**
 * Writes the report of `bench`, which shows what was measured, as the benches give it, with bars for series
 * of numbers.
 */
import { bars, chart, shortNumber } from "./marks.ts";
import { markup, type Markup } from "./markup.ts";
import { pageText, type Section } from "./page.ts";
import { lastSections } from "./settings.ts";
import { codeMarkup, figure, tableMarkup, textClass } from "./tables.ts";

/**
 * @param summary plain data
 * @param text the same for people
 */
export function benchPage(summary: { readonly command: string }, text: string): string {
  const parts: Section[] = [];
  const facts: Markup[] = [];
  for (const [name, value] of factsOf(summary, "")) {
    if (value === undefined || value === null) continue;
    if (!isSeries(value)) {
      const shown = typeof value === "number" ? shortNumber(value) : String(value);
      facts.push(markup`<tr><th scope="row">${name}</th><td${textClass}>${shown}</td></tr>\n`);
      continue;
    }
    const picture = chart(
      name,
      { ends: [0, value.length], title: "run, from 0" },
      { ends: [0, Math.max(...value) * 1.05 || 1], title: name },
      (x, y) =>
        bars(
          value.map((each, at) => [x(at), x(at + 1), y(each)]),
          y(0),
        ),
      220,
    );
    parts.push({
      id: `series-${parts.length}`,
      title: name,
      body: markup`<div class="pair">${figure(name, `${value.map(shortNumber).join(", ")}.`, picture)}</div>`,
    });
  }
  const table = tableMarkup(
    "Measured",
    "Seconds, bytes and counts as --json gives them.",
    [
      ["what", true],
      ["value", true],
    ],
    markup`<tbody>${facts}</tbody>`,
  );
  return pageText({
    title: `nearfield ${summary.command}`,
    about: "measured on this machine",
    sections: [
      { id: "result", title: "Result", body: codeMarkup("In short", text.trimEnd()) },
      ...parts,
      { id: "facts", title: "All facts", body: table },
      ...lastSections({}),
    ],
  });
}

/** Lists the values of nested data by their path; series of numbers stay whole. */
function factsOf(data: unknown, path: string): (readonly [string, unknown])[] {
  if (typeof data !== "object" || data === null || isSeries(data)) return [[path, data]];
  return Object.entries(data).flatMap(([name, value]) =>
    factsOf(value, path === "" ? name : `${path} ${name}`),
  );
}

function isSeries(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 1 && value.every((each) => typeof each === "number");
}
