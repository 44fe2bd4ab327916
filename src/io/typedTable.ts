/** Readers of a format that says the types of its columns, Parquet and Arrow, take these options. */
export interface TypedTableOptions {
  /** These columns are read, in this order. The default is all. */
  readonly columns?: readonly string[];
  /** These columns are read as texts, whatever they hold. */
  readonly nominal?: readonly string[];
  /** These columns must hold numbers. */
  readonly numeric?: readonly string[];
  /** These columns must hold dates or times; numbers of another program may stand for them. */
  readonly dates?: readonly string[];
  /**
   * Ignores columns in `columns`, `nominal`, `numeric` and `dates` that the file lacks. The default is false.
   */
  readonly ignoreUnknown?: boolean;
  /**
   * So many bytes may be taken by the distinct texts, by Parquet's parsed metadata, by one page or message
   * and what it unpacks to, and by all of a Parquet file that cannot be read anywhere. The default is 1 GiB
   * each.
   */
  readonly memory?: number;
  readonly signal?: AbortSignal;
}
