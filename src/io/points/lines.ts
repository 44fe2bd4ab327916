/**
 * This module reads points from text, a point a line, its numbers apart by blanks and tabs, as .xyz and ASCII
 * .ply have them. Which columns a file has is its format's business.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import { largeInteger, parseNumber, reasonAgainstLarge } from "../number.ts";
import { quote } from "../quote.ts";
import { plural } from "../../core/plural.ts";

/** A line has at most this many characters: a longer one is no point, and would be held in memory. */
export const LONGEST_LINE = 2 ** 16;

/** These numbers of a line are read. */
export interface PointColumns {
  /** The columns stand at these places among the numbers of a line. */
  readonly places: readonly number[];
  /** A line has so many numbers; undefined where more may follow those that are read. */
  readonly count: number | undefined;
  readonly single: boolean;
}

/**
 * Gives the lines of some bytes, those of a piece at a time, with the number of the first (from 1).
 * @throws InvalidInputError for a line that is too long
 */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>, file: string, first: number) {
  const decoder = new TextDecoder();
  let [rest, line] = ["", first];
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield { lines, line };
    line += lines.length;
    if (rest.length <= LONGEST_LINE) continue;
    throw new InvalidInputError(
      `is longer than ${LONGEST_LINE} characters; expected the numbers of a point`,
      {
        file,
        line,
      },
    );
  }
  rest += decoder.decode();
  if (rest !== "") yield { lines: [rest], line };
}

/** Returns the texts of a line that is a point; undefined of an empty line and of a comment. */
export function fieldsOf(line: string): string[] | undefined {
  const text = line.trim();
  return text === "" || text.startsWith("#") || text.startsWith("//") ? undefined : text.split(/[ \t]+/);
}

/**
 * Returns some points as a matrix.
 * @param place the file and the number of each point's line
 * @throws InvalidInputError for what is no finite number that float64 holds, and for another count of them
 */
export function pointsOf(
  points: readonly (readonly string[])[],
  { places, count, single }: PointColumns,
  place: { readonly file: string; readonly lines: readonly number[] },
): Matrix {
  const cols = places.length;
  const data = new (single ? Float32Array : Float64Array)(points.length * cols);
  points.forEach((fields, row) => {
    const refuse = (message: string) =>
      new InvalidInputError(message, { file: place.file, line: place.lines[row] });
    if (count === undefined ? fields.length < cols : fields.length !== count) {
      throw refuse(
        `has ${plural(fields.length, "number")}, but a point of this file has ${count ?? `at least ${cols}`}`,
      );
    }
    for (let j = 0; j < cols; j++) {
      const text = fields[places[j]];
      const value = parseNumber(text, ".");
      if (value === undefined || !Number.isFinite(single ? Math.fround(value) : value)) {
        throw refuse(`${quote(text)} is no finite number; expected numbers apart by blanks or tabs`);
      }
      const large = largeInteger(text, value);
      if (large !== undefined) throw refuse(reasonAgainstLarge(large, text));
      data[row * cols + j] = value;
    }
  });
  return { data, rows: points.length, cols };
}
