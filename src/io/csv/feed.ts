/**
 * This module turns the text of a CSV file into its records, from the first character on: the start is held
 * back until it tells delimiter and line ends, then everything goes through the parser.
 */
import type { RecordCells } from "./lines.ts";
import type { CsvSettings } from "./options.ts";
import { RecordReader, type PapaParser } from "./records.ts";
import { LineSkipper } from "./skip.ts";
import { SAMPLE_CHARS, sniffFormat, type SniffedFormat } from "./sniff.ts";

export interface RecordListener {
  /** Takes the format, once, before the first record. */
  onFormat(format: SniffedFormat): void;
  onRecord(cells: RecordCells, line: number): void;
}

export class CsvFeed {
  readonly #file: string;
  readonly #settings: CsvSettings;
  readonly #Parser: PapaParser;
  readonly #listener: RecordListener;
  readonly #skipper: LineSkipper;
  #sample = "";
  #reader: RecordReader | undefined;

  constructor(file: string, settings: CsvSettings, Parser: PapaParser, listener: RecordListener) {
    this.#file = file;
    this.#settings = settings;
    this.#Parser = Parser;
    this.#listener = listener;
    this.#skipper = new LineSkipper(settings.skip);
  }

  push(text: string): void {
    if (this.#reader !== undefined) {
      this.#reader.push(text);
      return;
    }
    this.#sample += this.#skipper.push(text);
    if (this.#sample.length > SAMPLE_CHARS) this.#start(false);
  }

  /** Ends the wait for more text: what was held back is needed now. */
  settle(): void {
    if (this.#reader === undefined) this.#start(false);
  }

  end(): void {
    (this.#reader ?? this.#start(true)).end();
  }

  /** @param whole the sample is all of the file. */
  #start(whole: boolean): RecordReader {
    const sample = this.#sample;
    this.#sample = "";
    const format = sniffFormat(sample.slice(0, SAMPLE_CHARS), whole, this.#settings, this.#Parser);
    this.#listener.onFormat(format);
    const onRecord = (cells: RecordCells, line: number) => this.#listener.onRecord(cells, line);
    const { skip } = this.#settings;
    this.#reader = new RecordReader(this.#file, format, this.#Parser, onRecord, undefined, skip);
    this.#reader.push(sample);
    return this.#reader;
  }
}
