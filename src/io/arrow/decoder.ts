/**
 * This module puts flechette, which takes messages of Arrow apart, behind what the reader needs of it:
 * fields, and the cells of a batch by rows. It refuses what claims more than its bytes hold (cells.ts,
 * dictionaries.ts); the meaning of values is table.ts's.
 */
import { decompressorOf } from "../parquet/codec.ts";
import { capacityOf, checkLength, TYPES, type ArrowCells, type TypeFacts } from "./cells.ts";
import type { ArrowDictionaries } from "./dictionaries.ts";
import { unpackLz4 } from "./lz4.ts";
import type { ArrowType, ArrowVector } from "./table.ts";

export interface BatchField {
  readonly name: string;
  readonly type: ArrowType;
  /** The file declares this type, such as "Int64" or "Dictionary<Utf8>". */
  readonly stored: string;
  readonly isNull: boolean;
  readonly isText: boolean;
  readonly isNumber: boolean;
  /** The values are whole numbers that are stored as such. */
  readonly isInteger: boolean;
  readonly time: "date" | "time" | undefined;
  readonly zoned: boolean;
}

export interface ArrowBatch {
  readonly rows: number;
  readonly columns: readonly BatchColumn[];
}

export interface BatchColumn {
  /** Returns the rows from begin to end (exclusive). */
  part(begin: number, end: number): ArrowVector;
}

type Flechette = (typeof import("./flechette.generated.ts"))["flechette"];
type FlechetteTable = ReturnType<Flechette["tableFromIPC"]>;

const NAMES: Readonly<Record<number, string>> = {
  [-1]: "Dictionary",
  1: "Null",
  2: "Int",
  3: "Float",
  4: "Binary",
  5: "Utf8",
  6: "Bool",
  7: "Decimal",
  8: "Date",
  9: "Time",
  10: "Timestamp",
  20: "LargeUtf8",
  24: "Utf8View",
};
const { DICTIONARY, NULL, INT, FLOAT, UTF8, BOOL, DECIMAL, DATE, TIME, TIMESTAMP, LARGE_UTF8, UTF8_VIEW } =
  TYPES;
const TEXTS: ReadonlySet<number> = new Set([UTF8, BOOL, LARGE_UTF8, UTF8_VIEW]);
const NUMBERS: ReadonlySet<number> = new Set([INT, FLOAT, DECIMAL, DATE, TIME, TIMESTAMP]);
/** A dictionary of numbers may have values of these types. */
const CODED: ReadonlySet<number> = new Set([INT, FLOAT]);
/** The longest decimals, of 256 bits, have this many digits. A power of ten beyond takes seconds to make. */
const MOST_DIGITS = 76;

export class ArrowDecoder {
  readonly #flechette: Flechette;

  private constructor(flechette: Flechette) {
    this.#flechette = flechette;
  }

  /**
   * Loads flechette.
   * @param most the bytes that a compressed buffer may unpack to
   */
  static async load(most: number): Promise<ArrowDecoder> {
    const { flechette } = await import("./flechette.generated.ts");
    const unpackZstd = await decompressorOf("ZSTD");
    const limited =
      (unpack: (input: Uint8Array, length: number) => Uint8Array) => (input: Uint8Array, length: number) => {
        if (!(length >= 0 && length <= most))
          throw new Error(`a buffer is to unpack to ${length} bytes; at most ${most} may`);
        const bytes = unpack(input, length);
        // Typed arrays begin at multiples of their elements' size.
        return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
      };
    const encode = () => {
      throw new Error("Arrow is read, not written");
    };
    flechette.setCompressionCodec(0, { encode, decode: limited(unpackLz4) });
    flechette.setCompressionCodec(1, {
      encode,
      decode: limited((input, length) => unpackZstd(input, length) as Uint8Array),
    });
    return new ArrowDecoder(flechette);
  }

  fields(schema: Uint8Array): BatchField[] {
    return this.#table([schema]).schema.fields.map(({ name, type }) =>
      fieldOf(name, type as unknown as TypeFacts),
    );
  }

  /** Adds a dictionary batch to the dictionaries, or replaces one of them by it. */
  keep(schema: Uint8Array, message: Uint8Array, dictionaries: ArrowDictionaries): void {
    this.#table([schema, message], dictionaries);
  }

  /**
   * Decodes a record batch.
   * @param dictionaries those that were kept up to here
   */
  batch(schema: Uint8Array, message: Uint8Array, dictionaries: ArrowDictionaries): ArrowBatch {
    const table = this.#table([schema, message], dictionaries);
    const rows = table.numRows;
    const { fields } = table.schema;
    const cells = table.children.map(({ data }) => data[0] as unknown as ArrowCells);
    const limits = cells.map((column, at) => capacityOf(column, fields[at].type as unknown as TypeFacts));
    checkLength("a batch", rows, Math.min(...limits));
    const odd = cells.find(({ length }) => length !== rows);
    if (odd !== undefined) throw new Error(`a column has ${odd.length} cells, but its batch ${rows} rows`);
    return {
      rows,
      columns: cells.map((column, at) => columnOf(column, fields[at].type as unknown as TypeFacts)),
    };
  }

  #table(messages: Uint8Array[], dictionaries?: ArrowDictionaries): FlechetteTable {
    const options = { useBigInt: true, useDate: false, useDecimalInt: true, dictionaries };
    return this.#flechette.tableFromIPC(messages, options);
  }
}

function fieldOf(name: unknown, type: TypeFacts): BatchField {
  if (typeof name !== "string") throw new Error("a column has no name");
  const coded = type.typeId === DICTIONARY;
  const { typeId, scale = 0 } = (coded ? type.dictionary : type) ?? { typeId: NULL };
  if (typeId === DECIMAL && Math.abs(scale) > MOST_DIGITS)
    throw new Error(`a decimal has ${scale} digits after the point; Arrow's have at most ${MOST_DIGITS}`);
  return {
    name,
    type,
    stored: typeName(type),
    isNull: typeId === NULL,
    isText: TEXTS.has(typeId),
    isNumber: coded ? CODED.has(typeId) : NUMBERS.has(typeId),
    isInteger: typeId === INT && !coded,
    time: coded
      ? undefined
      : typeId === TIME
        ? "time"
        : typeId === DATE || typeId === TIMESTAMP
          ? "date"
          : undefined,
    zoned: typeof type.timezone === "string" && type.timezone !== "",
  };
}

function typeName({ typeId, bitWidth, signed, dictionary, timezone }: TypeFacts): string {
  const name = NAMES[typeId] ?? "nested";
  if (dictionary !== undefined) return `${name}<${typeName(dictionary)}>`;
  if (typeId === INT) return `${signed === false ? "Uint" : "Int"}${bitWidth ?? ""}`;
  return typeId === TIMESTAMP && timezone ? `${name}(${timezone})` : name;
}

function columnOf(cells: ArrowCells, { typeId, bitWidth = 128 }: TypeFacts): BatchColumn {
  const { values, nullCount } = cells;
  return {
    part: (begin, end) => ({
      length: end - begin,
      nullCount,
      get: (row) => cells.at(begin + row) ?? null,
      toArray: () => {
        if (typeId === DECIMAL) return bytesOf(values, (begin * bitWidth) / 8, (end * bitWidth) / 8);
        return Array.prototype.slice.call(values, begin, end) as unknown[];
      },
    }),
  };
}

function bytesOf(values: ArrowCells["values"], begin: number, end: number): Uint8Array {
  const { buffer = new ArrayBuffer(0), byteOffset = 0 } = values ?? {};
  return new Uint8Array(buffer, byteOffset + begin, end - begin);
}
