/**
 * This module takes the first look at a JSON lines file: it finds its keys, and which kind of value each
 * holds.
 */
import type { ColumnSchema } from "../../table/stream.ts";
import { MOST_TEXT_COLUMNS } from "../chunkColumn.ts";
import { JsonLineParser, leftOutBy, reasonAgainst, type JsonCell } from "./line.ts";
import { quote, shortened } from "../quote.ts";
import type { WantedColumns } from "../sharedDictionary.ts";
import { notATime, TimeReader, unitOf } from "../time.ts";

/** A key's values are numbers alone, strings that are all dates or times, or anything, as texts. */
export type ValueKind = "number" | "time" | "text";

interface KeyScan {
  readonly name: string;
  readonly declared: ColumnSchema["kind"] | "dates" | undefined;
  kind: ValueKind | undefined;
  readonly times: TimeReader;
  /**
   * The first number that float64 cannot hold gave this error, which counts only if the column stays one of
   * numbers.
   */
  unfit: Error | undefined;
  firstText: ColumnSchema["firstText"];
  /** It is the last row that had the key. */
  row: number;
}

export class JsonlScan {
  rows = 0;
  readonly #parser: JsonLineParser;
  readonly #keys = new Map<string, KeyScan>();
  readonly #declared: ReadonlyMap<string, KeyScan["declared"]>;
  #line = 0;

  constructor(
    file: string,
    {
      nominal = [],
      numeric = [],
      dates = [],
      columns,
    }: {
      readonly nominal?: readonly string[];
      readonly numeric?: readonly string[];
      readonly dates?: readonly string[];
    } & WantedColumns,
  ) {
    this.#parser = new JsonLineParser(file, {
      onCell: (key, cell) => this.#add(key, cell),
      isLeftOut: leftOutBy(columns),
    });
    this.#declared = new Map([
      ...numeric.map((name) => [name, "numeric"] as const),
      ...nominal.map((name) => [name, "nominal"] as const),
      ...dates.map((name) => [name, "dates"] as const),
    ]);
  }

  add(text: string, line: number, column = 0): void {
    this.#line = line;
    this.#parser.parse(text, line, column);
    this.rows++;
  }

  /** @throws InvalidInputError where a column of numbers has one that float64 cannot hold. */
  schema(): ColumnSchema[] {
    return [...this.#keys.values()].map(({ name, declared, kind, times, unfit, firstText }) => {
      if (kind === "number" && unfit !== undefined) throw unfit;
      if (declared === "nominal" || kind === "text")
        return { name, kind: "nominal", ...(firstText === undefined ? {} : { firstText }) };
      if (kind !== "time" || times.kind === undefined) return { name, kind: "numeric" };
      const zone = times.zoned ? ({ zone: "UTC" } as const) : {};
      return { name, kind: "numeric", unit: unitOf(times.kind), ...zone };
    });
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
    if (key.declared === "numeric") {
      if (typeof cell !== "number") throw this.#notDeclared(name, typeof cell);
    } else if (typeof cell !== "number" && key.kind !== "text") {
      key.firstText ??= { line: this.#line, text: shortened(this.#parser.raw) };
    }
    const isTime =
      typeof cell === "string" && (key.kind ?? "time") === "time" && key.times.read(cell) !== undefined;
    if (key.declared === "dates" && !isTime)
      throw this.#parser.error(notATime(this.#parser.raw, { name }), name);
    if (typeof cell === "number" && (key.kind ?? "number") === "number") this.#check(key, cell);
    const kind: ValueKind = isTime ? "time" : typeof cell === "number" ? "number" : "text";
    key.kind = (key.kind ?? kind) === kind ? kind : "text";
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
      times: new TimeReader(),
      unfit: undefined,
      firstText: undefined,
      row: -1,
    };
    this.#keys.set(name, key);
    return key;
  }

  #check(key: KeyScan, value: number): void {
    const reason = reasonAgainst(this.#parser, value);
    if (reason === undefined) return;
    const { name } = key;
    key.unfit ??= this.#parser.error(`${reason}; read the column as text (option nominal: ${name})`, name);
    if (key.declared === "numeric") throw key.unfit;
  }

  #notDeclared(name: string, kind: string): Error {
    return this.#parser.error(
      `${quote(this.#parser.raw)} is a ${kind}, but the column holds numbers; make them alike, write null where a value is ` +
        `missing, or read the column as text (option nominal: ${name})`,
      name,
    );
  }
}
