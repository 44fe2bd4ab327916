/** These are rows that lie where they can be fetched from, such as in a file, as a source of uploads. */
import type { Fetch, FetchableRows } from "../../../../core/fetchable.ts";
import { assert } from "../../../../core/errors.ts";
import type { HostSource, RowSet } from "../../../../runtime/source.ts";

/**
 * A device that prepares float32 rows itself asks for their parts "raw" and "centre", which is zero; see
 * PreparedRows. Rows of bytes have the part "" alone.
 */
export class FetchedRows implements HostSource {
  readonly rows: number;
  readonly elsewhere = true;
  readonly #part: string;
  readonly #rowBytes: number;
  readonly #fetch: Fetch;

  /** @param valueBytes the bytes of a value; those of a row are a multiple of 4 */
  constructor({ rows, cols, fetch }: FetchableRows, valueBytes: 1 | 4) {
    this.rows = rows;
    this.#part = valueBytes === 1 ? "" : "raw";
    this.#rowBytes = cols * valueBytes;
    this.#fetch = fetch;
  }

  rowBytes(): number {
    return this.#rowBytes;
  }

  fill(part: string, _rows: RowSet, target: Uint8Array): void {
    assert(part === "centre", `rows that lie elsewhere cannot be filled in as "${part}"`);
    target.fill(0);
  }

  fetcher(part: string, rows: RowSet): Fetch | undefined {
    if (part !== this.#part || !("begin" in rows)) return undefined;
    return (target, begin) => this.#fetch(target, rows.begin * this.#rowBytes + begin);
  }
}
