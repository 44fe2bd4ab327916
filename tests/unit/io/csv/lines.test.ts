/** Records read where they lie, beside what PapaParse makes of the same text. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { LineCells } from "../../../../src/io/csv/lines.ts";
import { loadParser, parseRecords, RecordReader, type PapaParser } from "../../../../src/io/csv/records.ts";
import { shortestNumberIn, shortNumberIn } from "../../../../src/io/number.ts";

interface Read {
  readonly records: readonly { readonly cells: readonly string[]; readonly line: number }[];
  /** Line and message of what is wrong. */
  readonly error?: string;
}

/** @param cuts where the text is cut into pieces, as shares of it */
function readInPieces(text: string, delimiter: string, Parser: PapaParser, cuts: readonly number[]): Read {
  const records: { cells: string[]; line: number }[] = [];
  const reader = new RecordReader("x.csv", { delimiter, newline: "\n" }, Parser, (cells, line) =>
    records.push({ cells: cells.texts(), line }),
  );
  const places = [0, ...cuts.map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b), text.length];
  try {
    for (let i = 1; i < places.length; i++) reader.push(text.slice(places[i - 1], places[i]));
    reader.end();
  } catch (error) {
    if (error instanceof InvalidInputError) return { records, error: error.message };
    throw error;
  }
  return { records };
}

/** By PapaParse alone; undefined where a quote is wrong or stays open. */
function readByPapa(text: string, delimiter: string, Parser: PapaParser): Read | undefined {
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const records: { cells: string[]; line: number }[] = [];
  let [begin, wrong] = [0, false];
  parseRecords(whole, { delimiter, newline: "\n" }, Parser, ({ cells, end, badQuote }) => {
    records.push({ cells, line: whole.slice(0, begin).split("\n").length });
    begin = end;
    wrong = badQuote !== undefined;
    return !wrong;
  });
  return wrong || begin < whole.length ? undefined : { records };
}

describe("records", () => {
  it("are those of PapaParse, with their lines, however the text is cut into pieces", async () => {
    const Parser = await loadParser();
    const unit = fc.constantFrom(
      ...[
        ",",
        ",",
        ";",
        "\n",
        "\n",
        "\r\n",
        "\r",
        '"',
        '"',
        '""',
        '","',
        '"\n',
        ' "',
        "1.5",
        "-7",
        "",
        "a",
        "é",
        " ",
      ],
    );
    const text = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 });
    let [right, wrong] = [0, 0];
    fc.assert(
      fc.property(text, fc.constantFrom(",", ";", "\t"), cuts, (input, delimiter, where) => {
        const expected = readByPapa(input, delimiter, Parser);
        const found = readInPieces(input, delimiter, Parser, where);
        if (expected) {
          expect(found).toEqual(expected);
          right++;
        } else {
          expect(found.error).toMatch(
            /^x\.csv, line \d+: (the quoted cell that starts here|a quote is opened here)/,
          );
          expect(readInPieces(input, delimiter, Parser, []).error).toBe(found.error);
          wrong++;
        }
      }),
      { numRuns: 20_000 },
    );
    expect(Math.min(right, wrong)).toBeGreaterThan(2000);
  });

  it("are read without PapaParse but for wrong quotes and text between quote and delimiter", () => {
    const usual = [
      "a,b\n",
      "\n",
      '"a,b",c\r\n',
      '"say ""hi""",\n',
      '"two\nlines",x\n',
      "é,ü\n",
      'mid"dle,x\n',
    ];
    const unusual = ['"a" ,b\n', '"a"b,c\n', '"a"\r,b\n'];
    const incomplete = ["a,b", '"a', '"a"', '"a""', '"a"\r', "a\r"];
    const verdict = (text: string) => {
      const cells = new LineCells(",");
      cells.start(text);
      return cells.next() ? "read" : cells.unusual ? "unusual" : "incomplete";
    };
    expect(usual.map(verdict)).toEqual(usual.map(() => "read"));
    expect(unusual.map(verdict)).toEqual(unusual.map(() => "unusual"));
    expect(incomplete.map(verdict)).toEqual(incomplete.map(() => "incomplete"));
  });
});

describe("cells", () => {
  it("are numbers, first units and texts wherever they lie, also more than there was room for", () => {
    const texts = Array.from({ length: 500 }, (_, i) =>
      i % 3 === 0 ? "" : i % 3 === 1 ? `-${i}.50` : `t${i}`,
    );
    const cells = new LineCells(";");
    cells.start(`x;"y"\n${texts.join(";")}\n`);
    expect([cells.next(), cells.texts()]).toEqual([true, ["x", "y"]]);
    expect([cells.next(), cells.count, cells.texts()]).toEqual([true, 500, texts]);
    texts.forEach((text, cell) => {
      expect(cells.text(cell)).toBe(text);
      expect(cells.first(cell)).toBe(text.charCodeAt(0));
      for (const decimal of [".", ","] as const) {
        expect(cells.short(cell, decimal)).toBe(shortNumberIn(text, 0, text.length, decimal));
        expect(cells.shortest(cell, decimal)).toBe(shortestNumberIn(text, 0, text.length, decimal));
      }
    });
    expect(cells.next()).toBe(false);
  });
});
