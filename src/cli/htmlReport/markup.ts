/**
 * Escapes the markup of a page where it is put together: `markup` escapes every text that stands in it, and
 * only other markup stays as it is. Texts come of files and options, so that they may be hostile, or very
 * long.
 */
import { visible, visibleLines } from "../visible.ts";

/** Such markup is safe to put into a page. */
export class Markup {
  readonly text: string;

  /** @param text what `markup` made, or a constant of this program */
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Markup | string | number | undefined | readonly Content[];

/** Puts markup together: texts and numbers are escaped, undefined is nothing, lists are joined. */
export function markup(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...contents.map(textOf)));
}

/** Texts are cut at this length: more is no longer read, and would make the page large. */
export const SHOWN_CHARS = 120;

/** Makes a text safe between tags and between double quotes, visible, and short. */
export function escaped(text: string): string {
  return entities(visible(cut(text, SHOWN_CHARS)));
}

/** Code is cut at this length. */
const CODE_CHARS = 20_000;

/** Makes a text of several lines safe, such as code. */
export function code(text: string): Markup {
  return new Markup(entities(visibleLines(cut(text, CODE_CHARS))));
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Halves of characters, which a cut may leave, are no text that a file can hold. */
function entities(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function textOf(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "object") return content.map(textOf).join("");
  return escaped(String(content));
}
