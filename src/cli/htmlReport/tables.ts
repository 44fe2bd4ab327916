/**
 * This module makes the frames of a report in which other markup stands: wide tables that scroll, figures,
 * key facts, code.
 */
import { code, markup, type Content, type Markup } from "./markup.ts";

/** A column of a table has this heading, and may hold text, which is set to the left. */
export type Heading = readonly [name: string, isText?: boolean];

/**
 * Makes a table that scrolls by touch and by keys where it is wider than the screen.
 * @param caption what the table shows; its first words are its name
 * @param body whole rows, or groups of them
 */
export function tableMarkup(
  name: string,
  caption: string,
  headings: readonly Heading[],
  body: Content,
  kind = "",
): Markup {
  const head = headings.map(
    ([text, isText]) => markup`<th scope="col"${isText ? textClass : undefined}>${text}</th>`,
  );
  return markup`<div class="wide" role="group" tabindex="0" aria-label="${name}">
<table class="${kind}"><caption><b>${name}.</b> ${long(caption)}</caption>
<thead><tr>${head}</tr></thead>
${body}</table></div>
`;
}

export const textClass = markup` class="text"`;

/** Returns the markup of a sentence of this program, which is not cut. */
function long(text: string): Markup {
  return code(text);
}

export function figure(name: string, about: string, picture: Markup): Markup {
  return markup`<figure><figcaption><b>${name}.</b> ${long(about)}</figcaption>
${picture}</figure>
`;
}

export function paragraph(text: string): Markup {
  return markup`<p>${long(text)}</p>
`;
}

/** The reader should see such a number first, with its name and a note below it. */
export type KeyFact = readonly [name: string, value: Content, note?: string | undefined];

export function factsMarkup(facts: readonly KeyFact[]): Markup {
  const one = ([name, value, note]: KeyFact) =>
    markup`<div><dt>${name}</dt><dd>${value}</dd>${note === undefined ? undefined : markup`<dd>${note}</dd>`}</div>
`;
  return markup`<dl class="facts">${facts.map(one)}</dl>
`;
}

export function codeMarkup(name: string, text: string): Markup {
  return markup`<h3>${name}</h3>
<pre tabindex="0" role="group" aria-label="${name}"><code>${code(text)}</code></pre>
`;
}
