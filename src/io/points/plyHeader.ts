/**
 * This module reads the header of .ply: the form of the numbers, and where the coordinates of the vertices
 * lie. Reading the vertices is ply.ts. The format is G. Turk's, The PLY Polygon File Format, 1994.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import type { ByteCursor } from "../bytes/cursor.ts";
import type { ElementKind } from "../elements.ts";
import { quote } from "../quote.ts";

export interface PlyHeader {
  readonly form: "ascii" | "little" | "big";
  /** The header has this many bytes and lines; in binary files also those of elements before the vertices. */
  readonly begin: number;
  readonly lines: number;
  /** In ASCII, so many lines of elements come before the vertices. */
  readonly linesBefore: number;
  readonly rows: number;
  /** A vertex has this many bytes and numbers. */
  readonly rowBytes: number;
  readonly numbers: number;
  /** x, y and z, those there are, in this order. */
  readonly columns: readonly PlyColumn[];
  /** Other elements follow, which are not read. */
  readonly more: boolean;
}

export interface PlyColumn {
  readonly axis: string;
  readonly kind: ElementKind;
  /** The property has this number among those of a vertex, and this first byte. */
  readonly place: number;
  readonly offset: number;
}

interface Element {
  readonly name: string;
  readonly count: number;
  readonly properties: { readonly name: string; readonly kind: ElementKind }[];
  hasList: boolean;
}

const forms: Readonly<Record<string, PlyHeader["form"]>> = {
  ascii: "ascii",
  binary_little_endian: "little",
  binary_big_endian: "big",
};

const kinds: ReadonlyMap<string, ElementKind> = new Map(
  [
    ["i1", "char", "int8"],
    ["u1", "uchar", "uint8"],
    ["i2", "short", "int16"],
    ["u2", "ushort", "uint16"],
    ["i4", "int", "int32"],
    ["u4", "uint", "uint32"],
    ["f4", "float", "float32"],
    ["f8", "double", "float64"],
  ].flatMap(([kind, ...names]) => names.map((name) => [name, kind as ElementKind] as const)),
);

/** A header has at most this many bytes. */
const MOST_BYTES = 2 ** 16;

/** @throws InvalidInputError naming the line (from 1) that is wrong */
export async function parsePlyHeader(cursor: ByteCursor): Promise<PlyHeader> {
  const { name: file } = cursor.source;
  // One character a byte, so that places in the text are those in the file.
  const head = new TextDecoder("latin1").decode(await cursor.peek(MOST_BYTES));
  const end = /(^|\n)end_header[ \t]*\r?\n/.exec(head);
  const refuse = (line: number, message: string) => new InvalidInputError(message, { file, line });
  if (!/^ply[ \t]*\r?\n/.test(head))
    throw refuse(1, `found ${quote(head.slice(0, 12))}; a .ply begins with a line ply`);
  if (end === null) throw refuse(1, `the header has no line end_header within ${MOST_BYTES} bytes`);
  const begin = end.index + end[0].length;
  const lines = head.slice(0, begin).split("\n").slice(1, -2);
  let form: PlyHeader["form"] | undefined;
  const elements: Element[] = [];
  lines.forEach((text, at) => {
    const [word, ...rest] = text.trim().split(/[ \t]+/);
    const fail = (message: string) => refuse(at + 2, message);
    if (word === "comment" || word === "obj_info" || word === "") return;
    if (word === "format") {
      form = Object.hasOwn(forms, rest[0]) && rest[1] === "1.0" ? forms[rest[0]] : undefined;
      if (!form)
        throw fail(
          `the format is ${quote(rest.join(" "))}; expected ${oneOf(Object.keys(forms))}, each with 1.0`,
        );
    } else if (word === "element") {
      const [name = "", count = ""] = rest;
      if (!/^\d{1,15}$/.test(count))
        throw fail(`the element has the count ${quote(count)}; expected a whole number`);
      elements.push({ name, count: Number(count), properties: [], hasList: false });
    } else if (word === "property") {
      const element = elements.at(-1);
      if (!element) throw fail("a property stands before the first element");
      if (rest[0] === "list") element.hasList = true;
      else {
        const kind = kinds.get(rest[0]);
        if (!kind || rest.length !== 2) {
          throw fail(
            `the property is ${quote(rest.join(" "))}; expected a type (${[...kinds.keys()].join(", ")}) and a name`,
          );
        }
        element.properties.push({ name: rest[1], kind });
      }
    } else throw fail(`found ${quote(word)}; expected format, comment, element, property or end_header`);
  });
  if (!form)
    throw refuse(2, `the header has no format; expected ${oneOf(Object.keys(forms))}, each with 1.0`);
  return { ...vertices(elements, form, begin, refuse), form, lines: lines.length + 2 };
}

function vertices(
  elements: readonly Element[],
  form: PlyHeader["form"],
  headerBytes: number,
  refuse: (line: number, message: string) => Error,
) {
  const at = elements.findIndex(({ name }) => name === "vertex");
  if (at < 0) throw refuse(1, "the header has no element vertex");
  const { count: rows, properties, hasList } = elements[at];
  const before = elements.slice(0, at);
  if (hasList) throw refuse(1, "vertices have a list; expected only numbers");
  if (form !== "ascii" && before.some((each) => each.hasList && each.count > 0)) {
    throw refuse(1, "lists stand before the vertices of a binary file; write the vertices first");
  }
  const bytesOf = (each: Element) => each.properties.reduce((sum, { kind }) => sum + Number(kind[1]), 0);
  const columns = ["x", "y", "z"].flatMap((axis): PlyColumn[] => {
    const place = properties.findIndex(({ name }) => name === axis);
    if (place < 0) return [];
    const offset = bytesOf({ ...elements[at], properties: properties.slice(0, place) });
    return [{ axis, kind: properties[place].kind, place, offset }];
  });
  if (columns.length === 0) throw refuse(1, "vertices have no properties x, y and z");
  const rowBytes = bytesOf(elements[at]);
  const begin =
    headerBytes + (form === "ascii" ? 0 : before.reduce((sum, e) => sum + e.count * bytesOf(e), 0));
  if (!(begin + rows * rowBytes <= Number.MAX_SAFE_INTEGER)) {
    throw refuse(1, `${rows} vertices are larger than any file`);
  }
  const linesBefore = form === "ascii" ? before.reduce((sum, { count }) => sum + count, 0) : 0;
  const more = elements.slice(at + 1).some(({ count }) => count > 0);
  return { begin, linesBefore, rows, rowBytes, numbers: properties.length, columns, more };
}
