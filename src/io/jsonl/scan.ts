/**
 * This module takes the first look at a JSON lines file: it finds its keys, and which kind of value each
 * holds.
 */
import type { ColumnSchema } from "../../table/stream.ts";
import { MOST_TEXT_COLUMNS } from "../chunkColumn.ts";
import { JsonLineParser, reasonAgainst, type JsonCell } from "./line.ts";
import { quote } from "../quote.ts";

/** The kinds of values, in the words of typeof. */
export type ValueKind = "number" | "string" | "boolean";

interface KeyScan {
  readonly name: string;
  readonly declared: ColumnSchema["kind"] | undefined;
  kind: ValueKind | undefined;
  firstLine: number;
  firstText: ColumnSchema["firstText"];
  /** The last row that had the key. */
  row: number;
}

export class JsonlScan {
  rows = 0;
  readonly #parser: JsonLineParser;
  readonly #keys = new Map<string, KeyScan>();
  readonly #declared: ReadonlyMap<string, ColumnSchema["kind"]>;
  #line = 0;

  constructor(
    file: string,
    {
      nominal = [],
      numeric = [],
    }: { readonly nominal?: readonly string[]; readonly numeric?: readonly string[] },
  ) {
    this.#parser = new JsonLineParser(file, { onCell: (key, cell) => this.#add(key, cell) });
    this.#declared = new Map([
      ...numeric.map((name) => [name, "numeric"] as const),
      ...nominal.map((name) => [name, "nominal"] as const),
    ]);
  }

  add(text: string, line: number): void {
    this.#line = line;
    this.#parser.parse(text, line);
    this.rows++;
  }

  schema(): ColumnSchema[] {
    return [...this.#keys.values()].map(({ name, declared, kind, firstText }) => ({
      name,
      kind: declared ?? (kind === "string" || kind === "boolean" ? "nominal" : "numeric"),
      ...(firstText === undefined ? {} : { firstText }),
    }));
  }

  /**
   * Returns the kinds of columns, without those declared nominal, which take any value. A column of nulls
   * alone holds numbers.
   */
  kinds(): Map<string, ValueKind> {
    const settled = [...this.#keys.values()].filter(({ declared }) => declared !== "nominal");
    return new Map(settled.map(({ name, kind }) => [name, kind ?? "number"]));
  }

  #add(name: string, cell: JsonCell): void {
    const key = this.#keys.get(name) ?? this.#newKey(name);
    if (key.row === this.rows)
      throw this.#parser.error("the key appears twice in the line; rename one of them", name);
    key.row = this.rows;
    if (cell === null || key.declared === "nominal") return;
    const kind: ValueKind =
      typeof cell === "number" ? "number" : typeof cell === "string" ? "string" : "boolean";
    const expected = key.declared === "numeric" ? "number" : (key.kind ?? kind);
    if (kind !== expected) throw this.#mixed(key, kind, expected);
    if (typeof cell === "number") this.#check(name, cell);
    if (key.kind !== undefined) return;
    key.kind = kind;
    key.firstLine = this.#line;
    if (kind !== "number") key.firstText = { line: this.#line, text: this.#parser.raw };
  }

  #newKey(name: string): KeyScan {
    if (this.#keys.size === MOST_TEXT_COLUMNS) {
      throw this.#parser.error(
        `the file has more than ${MOST_TEXT_COLUMNS} different keys; store it as a matrix (.npy), or with fewer`,
        name,
      );
    }
    if (name.trim() === "") throw this.#parser.error("a key is empty; every column needs a name", name);
    const key: KeyScan = {
      name,
      declared: this.#declared.get(name),
      kind: undefined,
      firstLine: 0,
      firstText: undefined,
      row: -1,
    };
    this.#keys.set(name, key);
    return key;
  }

  #check(name: string, value: number): void {
    const reason = reasonAgainst(this.#parser, value);
    if (reason !== undefined)
      throw this.#parser.error(`${reason}; read the column as text (--nominal ${name})`, name);
  }

  #mixed(key: KeyScan, kind: string, expected: string): Error {
    const where = key.kind === undefined ? "" : ` since line ${key.firstLine}`;
    return this.#parser.error(
      `${quote(this.#parser.raw)} is a ${kind}, but the column holds ${expected}s${where}; make them alike, write null where a ` +
        `value is missing, or read the column as text (--nominal ${key.name})`,
      key.name,
    );
  }
}
