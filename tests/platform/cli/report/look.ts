/** Opens a page in Chromium as people would, and lists what is wrong with it. */
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";

/** The ways to look at a page. */
const looks = [
  { width: 1200, colorScheme: "light" },
  { width: 1200, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
] as const;

/**
 * Returns requests, messages of the console, content wider than the screen, and what `findings` finds, in
 * light and dark and on a narrow screen; an empty list for a page that is as it should be.
 */
export async function problemsOf(browser: Browser, file: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { width, colorScheme } of looks) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const { href } = pathToFileURL(file);
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      if (request.url() !== href) problems.push(`requests ${request.url()}`);
    });
    await page.goto(href);
    problems.push(...(await page.evaluate(findings)).map((text) => `${colorScheme}, ${width}: ${text}`));
    await page.close();
  }
  return problems;
}

/** Runs in the page: what readers of the screen, keys and weak eyes need. */
function findings(): string[] {
  const found: string[] = [];
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const check = (selector: string, says: string, isRight: (element: HTMLElement) => unknown) => {
    for (const element of all(selector))
      if (!isRight(element)) found.push(`${says}: ${element.outerHTML.slice(0, 100)}`);
  };
  const name = (element: Element) => element.getAttribute("aria-label") ?? "";
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(`is ${scrollWidth} wide`);
  if (document.documentElement.lang !== "en") found.push("has no language");
  if (all("main").length !== 1 || all("h1").length !== 1) found.push("has not one main part and title");
  const levels = all("h1, h2, h3").map(({ tagName }) => Number(tagName[1]));
  if (levels.some((level, at) => at > 0 && level > levels[at - 1] + 1)) found.push("leaves out a level");
  check("table", "has no caption", (table) => table.querySelector("caption")?.textContent);
  check("th", "has no scope", (cell) => cell.getAttribute("scope"));
  check("thead th", "is an empty heading", (cell) => cell.textContent?.trim());
  check("svg", "has no name", (svg) =>
    svg.getAttribute("role") === "img" ? name(svg) : svg.getAttribute("aria-hidden") === "true",
  );
  check(
    ".wide, pre",
    "scrolls without keys",
    (box) => box.tabIndex === 0 && name(box) && box.role === "region",
  );
  check('a[href^="#"]', "leads nowhere", (link) => document.querySelector(link.getAttribute("href")!));
  check(".line", "is filled", (line) => getComputedStyle(line).fill === "none");
  check("figure", "has no caption", (one) => one.querySelector("figcaption")?.textContent);
  const ids = all("[id]").map(({ id }) => id);
  if (new Set(ids).size < ids.length) found.push("has an id twice");
  if (all("script, img, link, iframe, [style], [onload], [onerror]").length > 0)
    found.push("has foreign parts");

  type Colour = readonly number[];
  const parts = (text: string): Colour =>
    /[\d.]+/g.exec(text) ? text.match(/[\d.]+/g)!.map(Number) : [0, 0, 0, 0];
  const luminance = (colour: Colour) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, share, at) => {
      const value = colour[at] / 255;
      return sum + share * (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    }, 0);
  const behind = (element: Element | null): Colour => {
    if (element === null) return [255, 255, 255];
    const colour = parts(getComputedStyle(element).backgroundColor);
    return colour.length === 4 && colour[3] === 0 ? behind(element.parentElement) : colour;
  };
  for (const element of all("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    if (!own || element.tagName === "title") continue;
    const { color, fill } = getComputedStyle(element);
    const [a, b] = [
      luminance(parts(element instanceof SVGElement ? fill : color)),
      luminance(behind(element)),
    ];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`has contrast ${contrast.toFixed(2)}: ${element.outerHTML.slice(0, 100)}`);
  }
  return [...new Set(found)];
}
