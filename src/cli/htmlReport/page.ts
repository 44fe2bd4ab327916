/**
 * Puts a report together as one page that needs nothing else: no script, no picture, no font of elsewhere,
 * and a policy that forbids them. The page's own style is allowed by its hash.
 */
import { createHash } from "node:crypto";
import { packageVersion } from "../files.ts";
import { Markup, markup } from "./markup.ts";
import { style } from "./style.ts";

export interface Section {
  /** It is the anchor of the section, a word. */
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

export interface ReportPage {
  readonly title: string;
  /** This line says what was done on what. */
  readonly about: string;
  readonly sections: readonly Section[];
}

export function pageText({ title, about, sections }: ReportPage): string {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const links = sections.map(({ id, title: name }) => markup`<li><a href="#${id}">${name}</a></li>`);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${about}</p>
<nav aria-label="Sections"><ul>${links}</ul></nav>
</header>
<main>
${sections.map(sectionMarkup)}</main>
<footer><p>Made by Nearfield ${packageVersion()}. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`.text;
}

function sectionMarkup({ id, title, body }: Section): Markup {
  return markup`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}</section>
`;
}
