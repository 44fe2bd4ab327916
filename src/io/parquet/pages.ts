/**
 * This module gives the pages of one column chunk, one after the other, as values of a table with their gaps.
 * It reads ahead a little and holds one page and the dictionary. hyparquet's own reader holds a row group: it
 * takes 3 times the processor time and 6 times the memory for flights-3m.parquet. Of 3000 damaged files 17
 * end the process in it, and 90 are read without a word (bench/results/files-decoders.md).
 */
import type { Encoding, PageHeader } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { assert, InvalidInputError } from "../../core/errors.ts";
import type { RandomAccess } from "../bytes/randomAccess.ts";
import { decodeHybrid } from "./bits.ts";
import type { PageBudget } from "./budget.ts";
import { decompressorOf } from "./codec.ts";
import { PageError, PageTooLargeError } from "./errors.ts";
import type { Chunk } from "./file.ts";
import { checkThrift, ThriftError } from "./thrift.ts";
import type { ColumnType, Converted } from "./types.ts";
import { decodeValues, type RawValues, type ValueLayout } from "./values.ts";

export interface ChunkColumnInfo {
  readonly file: string;
  readonly name: string;
  readonly layout: ValueLayout;
  /** Cells may be null. */
  readonly optional: boolean;
  readonly type: ColumnType;
  /** One page may take so many bytes unpacked. */
  readonly memory: number;
}

/** It has the values without gaps, in order, or indices into a dictionary where there is one. */
export interface Page {
  readonly cells: number;
  /** It has a byte per cell, 1 where the cell has a value; undefined when all have. */
  readonly present: Uint8Array | undefined;
  readonly values: Converted;
  readonly indices: Uint32Array | undefined;
  /** The page begins at this byte of the file. */
  readonly byte: number;
}

const READ_AHEAD = 1 << 18;
/** A page header has so much room; one with long statistics is read again with more. */
const HEADER_BYTES = 1 << 12;

export class PageReader {
  readonly #access: RandomAccess;
  readonly #info: ChunkColumnInfo;
  readonly #chunk: Chunk;
  readonly #budget: PageBudget;
  #at: number;
  #dictionary: Converted | undefined;
  /** The page read last has claimed so many bytes; the dictionary's stay claimed. */
  #claimed = 0;
  #window: Uint8Array = NOTHING;
  #windowAt = 0;
  /** It says why the source gave no bytes, which is no fault of the page. */
  #unread: unknown = NOTHING;

  constructor(access: RandomAccess, info: ChunkColumnInfo, chunk: Chunk, budget: PageBudget) {
    this.#access = access;
    this.#budget = budget;
    this.#info = info;
    this.#chunk = chunk;
    this.#at = chunk.begin;
  }

  /**
   * Reads the next page; undefined at the end of the chunk.
   * @throws InvalidInputError naming the column and the byte where a damaged page begins.
   */
  async next(): Promise<Page | undefined> {
    while (this.#at < this.#chunk.end) {
      const byte = this.#at;
      try {
        const page = await this.#page(byte);
        if (page !== undefined) return page;
      } catch (error) {
        if (error instanceof InvalidInputError || error === this.#unread) throw error;
        throw this.#damaged(byte, error);
      }
    }
    return undefined;
  }

  /** Reads a page; undefined for pages without values. */
  async #page(byte: number): Promise<Page | undefined> {
    const header = await this.#header();
    const { type, compressed_page_size: size, uncompressed_page_size: unpacked } = header;
    if (!(size >= 0 && size <= this.#chunk.end - this.#at))
      throw new PageError(`it is said to be ${size} bytes long, beyond its chunk`);
    if (!(unpacked >= 0 && unpacked <= this.#info.memory))
      throw new PageTooLargeError(
        `it is said to unpack to ${unpacked} bytes; at most ${this.#info.memory} may (option memory)`,
      );
    this.#budget.claim(-this.#claimed);
    this.#claimed = 0;
    const count = valuesOf(header);
    this.#checkCount(count);
    this.#claim(unpacked + BYTES_PER_VALUE * count);
    const bytes = await this.#read(this.#at, this.#at + size);
    this.#at += size;
    switch (type) {
      case "DICTIONARY_PAGE":
        this.#dictionary = await this.#readDictionary(header, bytes);
        this.#settle(valueBytes(this.#dictionary));
        this.#claimed = 0;
        return undefined;
      case "DATA_PAGE":
        return this.#settled(await this.#dataPage(header, bytes, byte));
      case "DATA_PAGE_V2":
        return this.#settled(await this.#dataPageV2(header, bytes, byte));
      case "INDEX_PAGE":
        return undefined;
      default:
        throw new PageError("its type is unknown");
    }
  }

  async #header(): Promise<PageHeader> {
    const { end } = this.#chunk;
    for (let length = HEADER_BYTES; ; length *= 4) {
      const bytes = await this.#read(this.#at, Math.min(end, this.#at + length));
      try {
        checkThrift(bytes, this.#info.memory);
      } catch (error) {
        if (error instanceof ThriftError && error.lacks === "bytes" && this.#at + length < end) continue;
        throw error;
      }
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      const header = parquetHeader(reader);
      this.#at += reader.offset;
      return header;
    }
  }

  async #readDictionary(header: PageHeader, bytes: Uint8Array): Promise<Converted> {
    const page = await this.#unpack(bytes, header.uncompressed_page_size);
    return this.#convert(this.#decode(page, "PLAIN", valuesOf(header)));
  }

  async #dataPage(header: PageHeader, bytes: Uint8Array, byte: number): Promise<Page> {
    const { data_page_header: data, uncompressed_page_size: size } = header;
    if (data === undefined) throw new PageError("its header is incomplete");
    const page = await this.#unpack(bytes, size);
    if (!this.#info.optional) return this.#cells(page, data.encoding, data.num_values, undefined, byte);
    if (data.definition_level_encoding !== "RLE")
      throw new PageError("its levels are not in the encoding RLE");
    if (page.length < 4) throw new PageError("its levels end early");
    const end = 4 + new DataView(page.buffer, page.byteOffset).getUint32(0, true);
    if (end > page.length) throw new PageError("its levels are longer than the page");
    const levels = decodeHybrid(page, 4, end, 1, data.num_values);
    return this.#cells(page.subarray(end), data.encoding, data.num_values, levels, byte);
  }

  async #dataPageV2(header: PageHeader, bytes: Uint8Array, byte: number): Promise<Page> {
    const { data_page_header_v2: data, uncompressed_page_size: size } = header;
    if (data === undefined) throw new PageError("its header is incomplete");
    const { num_values: count, definition_levels_byte_length: levelBytes } = data;
    if (data.repetition_levels_byte_length !== 0) throw new PageError("it has repetition levels");
    if (!(levelBytes >= 0 && levelBytes <= bytes.length))
      throw new PageError("its levels are longer than the page");
    const packed = bytes.subarray(levelBytes);
    const values = data.is_compressed === false ? packed : await this.#unpack(packed, size - levelBytes);
    const levels = this.#info.optional ? decodeHybrid(bytes, 0, levelBytes, 1, count) : undefined;
    return this.#cells(values, data.encoding, count, levels, byte);
  }

  #cells(
    bytes: Uint8Array,
    encoding: Encoding | undefined,
    cells: number,
    levels: Uint32Array | undefined,
    byte: number,
  ): Page {
    const count = levels === undefined ? cells : levels.reduce((sum, level) => sum + level, 0);
    const present = levels === undefined || count === cells ? undefined : Uint8Array.from(levels);
    if (encoding !== "RLE_DICTIONARY" && encoding !== "PLAIN_DICTIONARY") {
      const raw = this.#decode(bytes, encoding, count);
      return { cells, present, values: this.#convert(raw), indices: undefined, byte };
    }
    const dictionary = this.#dictionary;
    if (dictionary === undefined)
      throw new PageError("it refers to a dictionary, but there is none before it");
    if (count > 0 && bytes.length === 0) throw new PageError("its values end early");
    const indices = count === 0 ? new Uint32Array(0) : decodeHybrid(bytes, 1, bytes.length, bytes[0], count);
    const size = dictionary.values.length;
    const beyond = indices.find((index) => index >= size);
    if (beyond !== undefined) throw new PageError(`it refers to value ${beyond} of a dictionary of ${size}`);
    return { cells, present, values: dictionary, indices, byte };
  }

  #decode(bytes: Uint8Array, encoding: Encoding | undefined, count: number): RawValues {
    return decodeValues(bytes, encoding, count, this.#info.layout, (more) => this.#claim(more));
  }

  #claim(bytes: number): void {
    this.#claimed += bytes;
    this.#budget.claim(bytes);
  }

  /** Keeps a claim for what is held of a page after it is read, which is less than reading it took. */
  #settle(bytes: number): void {
    this.#claim(bytes - this.#claimed);
  }

  #settled(page: Page): Page {
    const { present, indices, values } = page;
    this.#settle((present?.length ?? 0) + (indices?.byteLength ?? valueBytes(values)));
    return page;
  }

  #convert(raw: RawValues): Converted {
    return this.#info.type.convert(raw);
  }

  #checkCount(count: number): void {
    if (count < 0) throw new PageError(`it is said to hold ${count} values`);
    const most = Math.floor(this.#info.memory / BYTES_PER_VALUE);
    if (count <= most) return;
    throw new PageTooLargeError(`it is said to hold ${count} values; at most ${most} may (option memory)`);
  }

  async #unpack(bytes: Uint8Array, size: number): Promise<Uint8Array> {
    if (size === 0) return new Uint8Array(0);
    const decompress = await decompressorOf(this.#chunk.codec);
    const page = await decompress(bytes, size);
    if (page.length !== size) throw new PageError(`it unpacks to ${page.length} bytes instead of ${size}`);
    return page;
  }

  /** Reads bytes within the chunk. */
  async #read(begin: number, end: number): Promise<Uint8Array> {
    assert(begin >= this.#chunk.begin && end <= this.#chunk.end, "a page is read within its chunk");
    const windowEnd = this.#windowAt + this.#window.length;
    if (begin < this.#windowAt || end > windowEnd) {
      const kept =
        begin >= this.#windowAt && begin < windowEnd
          ? this.#window.subarray(begin - this.#windowAt)
          : NOTHING;
      const from = begin + kept.length;
      const to = Math.min(this.#chunk.end, Math.max(end, begin + READ_AHEAD));
      const more = await this.#access.slice(from, to).catch((error: unknown) => {
        this.#unread = error;
        throw error;
      });
      this.#window = kept.length === 0 ? more : joined(kept, more);
      this.#windowAt = begin;
    }
    return this.#window.subarray(begin - this.#windowAt, end - this.#windowAt);
  }

  #damaged(byte: number, error: unknown): InvalidInputError {
    const { file, name: column } = this.#info;
    const known = error instanceof PageError || error instanceof ThriftError;
    const what = known ? error.message : "its bytes do not fit its encoding or compression";
    const verdict = error instanceof PageTooLargeError ? "too large" : "damaged";
    const message = `byte ${byte}: the page that begins here is ${verdict}: ${what}`;
    return new InvalidInputError(message, { file, column }, error);
  }
}

/** A value takes so many bytes while its page is read. */
const BYTES_PER_VALUE = 16;

/** Returns the number of values. @throws PageError where the header does not say it. */
function valuesOf(header: PageHeader): number {
  const { type, dictionary_page_header, data_page_header, data_page_header_v2 } = header;
  if (type !== "DICTIONARY_PAGE" && type !== "DATA_PAGE" && type !== "DATA_PAGE_V2") return 0;
  const headers = {
    DICTIONARY_PAGE: dictionary_page_header,
    DATA_PAGE: data_page_header,
    DATA_PAGE_V2: data_page_header_v2,
  };
  const count = headers[type]?.num_values;
  if (count === undefined) throw new PageError("its header is incomplete");
  return count;
}

/** A text's head and its place in an array take so many bytes, beside its characters. */
const TEXT_BYTES = 32;

function valueBytes({ values }: Converted): number {
  if (values instanceof Float64Array) return values.byteLength;
  return values.reduce((sum, text) => sum + TEXT_BYTES + 2 * text.length, 0);
}

const NOTHING = new Uint8Array(0);

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
