/** Readers of a format that says the types of its columns, Parquet and Arrow, take these options. */
export interface TypedTableOptions {
  /** Columns to read, in this order. Default all. */
  readonly columns?: readonly string[];
  /** Columns to read as texts, whatever they hold. */
  readonly nominal?: readonly string[];
  /** Columns that must hold numbers. */
  readonly numeric?: readonly string[];
  /** Columns that must hold dates or times; numbers of another program may stand for them. */
  readonly dates?: readonly string[];
  /** Ignores columns in `columns`, `nominal`, `numeric` and `dates` that the file lacks. Default false. */
  readonly ignoreUnknown?: boolean;
  /**
   * The bytes for the distinct texts, for Parquet's parsed metadata, for one page or message and what it
   * unpacks to, and for all of a Parquet file that cannot be read anywhere. Default 1 GiB each.
   */
  readonly memory?: number;
  readonly signal?: AbortSignal;
}
