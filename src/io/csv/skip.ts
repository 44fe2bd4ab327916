/**
 * This module changes the text of a CSV file before it is cut into records: it leaves out lines above the
 * header, takes off the "#" in front of a header, and turns runs of blanks into tabs. Nothing here knows
 * cells.
 */

/** Leaves out the first lines, which end with LF, CR and LF, or CR. */
export class LineSkipper {
  #left: number;
  /** It has a CR at the end of a piece, whose LF may still come. */
  #held = "";

  constructor(lines: number) {
    this.#left = lines;
  }

  /** Returns the text behind the lines; "" while there are lines to leave out. */
  push(text: string): string {
    if (this.#left === 0) return text;
    const all = this.#held + text;
    this.#held = "";
    const ends = /\r\n|\n|\r/g;
    for (let end = ends.exec(all); end !== null; end = ends.exec(all)) {
      if (end[0] === "\r" && ends.lastIndex === all.length) {
        this.#held = "\r";
        return "";
      }
      if (--this.#left === 0) return all.slice(ends.lastIndex);
    }
    return "";
  }
}

/** Returns the text without the "#" that it starts with, and the blanks behind that. */
export function withoutHash(text: string): string {
  return text.replace(/^[# \t]+/, "");
}

/**
 * Takes off the blanks at both ends of a line, and turns runs of blanks in it into a tab, those in quotes
 * aside: the parser of CSV then reads the text with the tab for its delimiter. Pieces may end anywhere. Lines
 * of comment stay as they are, so that they are found below.
 */
export class BlankRuns {
  #quoted = false;
  /** The line has had nothing but blanks so far. */
  #lineStart = true;
  #blanks = false;
  /** It is true where the unit before closed a quote, or seemed to. */
  #closed = false;
  readonly #comment: string;
  /** Nothing of the line was seen so far, blanks neither. */
  #untouched = true;
  #inComment = false;
  /** It has the start of a line at the end of a piece, which may become one of comment. */
  #held = "";

  /** @param comment the start of lines of comment; "" for none */
  constructor(comment = "") {
    this.#comment = comment;
  }

  push(piece: string): string {
    const text = this.#held + piece;
    this.#held = "";
    return this.#divided(text, false);
  }

  /** Returns what was held back at the end of the text. */
  end(): string {
    const text = this.#held;
    this.#held = "";
    return this.#divided(text, true);
  }

  #divided(text: string, whole: boolean): string {
    const comment = this.#comment;
    let out = "";
    let begin = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (this.#inComment) {
        this.#inComment = unit !== LF && unit !== CR;
        this.#lineStart = this.#untouched = !this.#inComment;
        continue;
      }
      const mayBegin =
        this.#lineStart && !this.#quoted && (this.#untouched || (unit !== SPACE && unit !== TAB));
      if (comment !== "" && mayBegin) {
        const rest = text.length - at;
        if (!whole && rest < comment.length && comment.startsWith(text.slice(at))) {
          this.#held = text.slice(at);
          return this.#blanks ? out : out + text.slice(begin, at);
        }
        if (text.startsWith(comment, at)) {
          if (this.#blanks) begin = at;
          this.#blanks = this.#closed = false;
          this.#inComment = true;
          continue;
        }
      }
      this.#untouched = false;
      if (this.#quoted) {
        this.#closed = unit === QUOTE;
        if (this.#closed) this.#quoted = false;
        continue;
      }
      const wasClosed = this.#closed;
      this.#closed = false;
      if (unit === SPACE || unit === TAB) {
        if (!this.#blanks) out += text.slice(begin, at);
        this.#blanks = true;
        begin = at + 1;
        continue;
      }
      const ends = unit === LF || unit === CR;
      const cellStart = this.#blanks || this.#lineStart;
      if (this.#blanks && !this.#lineStart && !ends) out += "\t";
      this.#blanks = false;
      this.#lineStart = this.#untouched = ends;
      // A quote within a cell is text; one behind a closed quote is the second of two, which stand for one.
      if (unit === QUOTE && (cellStart || wasClosed)) this.#quoted = true;
    }
    return this.#blanks ? out : out + text.slice(begin);
  }
}

const [TAB, LF, CR, SPACE, QUOTE] = [9, 10, 13, 32, 34];
