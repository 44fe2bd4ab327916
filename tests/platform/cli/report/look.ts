/** Opens a page in Chromium as people would, and lists what is wrong with it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type * as Axe from "axe-core";
import type { Browser } from "playwright-core";

declare const axe: typeof Axe;
const axeText = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The ways to look at a page, and the rules of axe to which it makes a difference after the first. */
const looks = [
  { width: 1200, colorScheme: "light", rules: undefined },
  { width: 1200, colorScheme: "dark", rules: ["color-contrast", "link-in-text-block"] },
  { width: 390, colorScheme: "light", rules: ["scrollable-region-focusable", "target-size"] },
] as const;

/**
 * Returns requests, messages of the console, what axe and what `findings` find, in light and dark and on a
 * narrow screen; an empty list for a page that is as it should be.
 */
export async function problemsOf(browser: Browser, file: string): Promise<string[]> {
  const problems: string[] = [];
  const page = await browser.newPage();
  const { href } = pathToFileURL(file);
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (request.url() !== href) problems.push(`requests ${request.url()}`);
  });
  await page.goto(href);
  await page.evaluate(axeText);
  for (const { width, colorScheme, rules } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(findings);
    const violations = await page.evaluate(
      async (runOnly) =>
        (await axe.run(runOnly ? { runOnly: [...runOnly] } : {})).violations.flatMap(({ help, nodes }) =>
          nodes.map(({ html }) => `${help}: ${html.slice(0, 100)}`),
        ),
      rules,
    );
    problems.push(...[...found, ...violations].map((text) => `${colorScheme}, ${width}: ${text}`));
  }
  await page.close();
  return problems;
}

/** Runs in the page, and finds what axe does not: parts that our pages promise and others need not have. */
function findings(): string[] {
  const found: string[] = [];
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const check = (selector: string, says: string, isRight: (element: HTMLElement) => unknown) => {
    for (const element of all(selector))
      if (!isRight(element)) found.push(`${says}: ${element.outerHTML.slice(0, 100)}`);
  };
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(`is ${scrollWidth} wide`);
  check("table", "has no caption", (table) => table.querySelector("caption")?.textContent);
  check("th", "has no scope", (cell) => cell.getAttribute("scope"));
  check("svg", "has no name", (svg) =>
    svg.getAttribute("role") === "img"
      ? svg.getAttribute("aria-label")
      : svg.getAttribute("aria-hidden") === "true",
  );
  check(
    ".wide, pre",
    "scrolls without keys",
    (box) => box.tabIndex === 0 && box.getAttribute("aria-label") && box.role === "group",
  );
  check('a[href^="#"]', "leads nowhere", (link) => document.querySelector(link.getAttribute("href")!));
  check(".line", "is filled", (line) => getComputedStyle(line).fill === "none");
  check("figure", "has no caption", (one) => one.querySelector("figcaption")?.textContent);
  if (all("script, img, link, iframe, [style], [onload], [onerror]").length > 0)
    found.push("has foreign parts");
  return [...new Set(found)];
}
