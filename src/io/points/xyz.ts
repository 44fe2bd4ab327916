/**
 * This module reads .xyz, points as lines of numbers apart by blanks and tabs: x, y and z as float64, or the
 * one or two numbers that lines have. What follows z, such as a colour, is not read; empty lines and those
 * that begin with # or // are left out. It is not the .xyz of chemistry, whose lines begin with an element.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { streamOf, type MatrixStream } from "../../core/matrixStream.ts";
import type { ByteCursor } from "../bytes/cursor.ts";
import type { ByteSource } from "../bytes/source.ts";
import { opened } from "../rowStream.ts";
import { fieldsOf, linesOf, LONGEST_LINE, pointsOf, type PointColumns } from "./lines.ts";

/** The first point must be in so many bytes. */
const HEAD_BYTES = LONGEST_LINE;

/** @throws InvalidInputError naming the line (from 1) that is wrong, here or while reading */
export async function openXyz(
  source: ByteSource,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<MatrixStream> {
  const { header: columns, start, source: plain } = await opened(source, columnsOf, { signal });
  async function* chunks(later: AbortSignal | undefined) {
    const cursor = await start(later);
    for await (const { lines, line } of linesOf(cursor.rest(), plain.name, 1)) {
      const points: string[][] = [];
      const numbers: number[] = [];
      lines.forEach((text, at) => {
        const fields = fieldsOf(text);
        if (fields === undefined) return;
        points.push(fields);
        numbers.push(line + at);
      });
      if (points.length > 0) yield pointsOf(points, columns, { file: plain.name, lines: numbers });
    }
  }
  const cols = columns.places.length;
  const stream = streamOf({ name: plain.name, cols, chunks });
  return { ...stream, columns: ["x", "y", "z"].slice(0, cols), once: plain.once === true };
}

/** Looks at the first point, which says how many columns there are. */
async function columnsOf(cursor: ByteCursor): Promise<PointColumns> {
  const { name: file } = cursor.source;
  const head = new TextDecoder().decode(await cursor.peek(HEAD_BYTES));
  for (const line of head.split("\n")) {
    const fields = fieldsOf(line);
    if (fields === undefined) continue;
    const count = fields.length <= 3 ? fields.length : undefined;
    return { places: [0, 1, 2].slice(0, fields.length), count, single: false };
  }
  throw new InvalidInputError("has no points; expected lines such as 0.5 0 1.25", { file, line: 1 });
}
