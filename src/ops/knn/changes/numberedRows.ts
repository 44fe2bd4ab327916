/**
 * NumberedRows holds rows that come and go as they are at one time: each change makes another value, and a
 * search ends on the value it began with. Rows keep the numbers under which they came. What is added becomes
 * an index of its own, small indexes are put together, and an index of which much was removed is made anew.
 * So a change costs little more than its own rows, and a search looks at a handful of indexes, which is what
 * parts.ts does.
 */
import { InvalidInputError } from "../../../core/errors.ts";
import { atOnce, runYielding } from "../../../core/async/yielding.ts";
import { checkMatrix, shapeMatrix, type Matrix, type MatrixLike } from "../../../core/matrix.ts";
import { checkColumns, fitMetric, loadRare, missingPolicyOf } from "../../../distance/metric.ts";
import type { Device } from "../../../runtime/device.ts";
import { NO_NEIGHBOR } from "../arguments.ts";
import { KnnIndex } from "../knnIndex.ts";
import type { KnnOptions, KnnResult, SearchOptions } from "../options.ts";
import { idsOf, joinRows, leftOf, placeOf, type SomeRows } from "./joinRows.ts";
import { searchParts, type Part } from "./parts.ts";

/** The index of such a part is freed with the last value that has it. */
interface OwnedPart extends Part {
  readonly owned: { owners: number };
}

/** All rows share these facts. */
interface Like extends Pick<Matrix, "cols" | "kinds"> {
  readonly device: Device;
  readonly options: KnnOptions;
}

/** Tests make it smaller. */
export const changesPolicy = {
  /** An index of at most this many rows is put together with what comes after it. */
  smallRows: 4096,
};
/** An index has at least this many times the rows of the one after it, or both are put together. */
const STEP = 2;
/** An index of which more than one in so many rows was removed is made anew. */
const REMOVED = 8;

export class NumberedRows {
  readonly #like: Like;
  readonly #parts: readonly OwnedPart[];
  /** The row that is added next has this number. */
  readonly next: number;
  /** This index holds all rows, for searches that cannot be made of several. */
  #whole: Promise<KnnIndex> | undefined;

  /** Numbers the rows of an index from 0, and frees it when no value has them any more. */
  static of(index: KnnIndex): NumberedRows {
    const { device, train, rows } = index;
    const { cols, kinds } = train;
    const ids = Uint32Array.from({ length: train.rows }, (_, row) => row);
    const part = { index, ids, removed: new Set<number>(), owned: { owners: 0 } };
    return new NumberedRows({ device, cols, kinds, options: rows.options }, [part], ids.length);
  }

  private constructor(like: Like, parts: readonly OwnedPart[], next: number) {
    this.#like = like;
    this.#parts = parts;
    this.next = next;
    for (const { owned } of parts) owned.owners++;
  }

  /** Returns the numbers of the rows that are left, ascending. */
  get ids(): Uint32Array {
    return idsOf(this.#parts);
  }

  /** Returns the rows that are left, in the order of their numbers. */
  get matrix(): Matrix {
    return atOnce(joinRows(this.#some));
  }

  /**
   * Adds rows, which are copied, and numbers them on.
   * @throws InvalidInputError for rows that cannot be compared with those there are
   */
  async with(rows: MatrixLike): Promise<NumberedRows> {
    const { options, kinds } = this.#like;
    const given = await runYielding(shapeMatrix(rows, "addition"));
    checkColumns(this.#like, given, "the rows to add");
    const checked = checkMatrix({ ...given, kinds }, "addition", missingPolicyOf(options));
    const train = { ...(await runYielding(checked)), firstRow: this.next };
    const next = this.next + given.rows;
    if (next > NO_NEIGHBOR)
      throw new InvalidInputError("all numbers of rows are given; call fit(train) again");
    // The index that they join would name a row that the metric cannot take by another number.
    if (!this.#isOne) await runYielding(fitMetric(options, train, await loadRare(options)));
    const ids = Uint32Array.from({ length: given.rows }, (_, row) => this.next + row);
    let from = this.#parts.length;
    for (let size = given.rows; from > 0; from--) {
      const left = leftOf(this.#parts[from - 1]);
      if (left > changesPolicy.smallRows && left >= size * STEP && !this.#isOne) break;
      size += left;
    }
    const added = { index: { train }, ids, removed: new Set<number>() };
    const made = await this.#join([...this.#parts.slice(from), added]);
    return new NumberedRows(this.#like, [...this.#parts.slice(0, from), made], next);
  }

  /** Removes the rows of these numbers. @throws InvalidInputError for one that is not there */
  async without(numbers: Iterable<number>): Promise<NumberedRows> {
    const gone = this.#parts.map(({ removed }) => new Set(removed));
    for (const id of numbers) {
      const at = this.#parts.findLastIndex(({ ids }) => ids[0] <= id);
      const row = at < 0 ? -1 : placeOf(this.#parts[at].ids, id);
      if (row < 0 || gone[at].has(row)) throw this.#notThere(id);
      gone[at].add(row);
    }
    const parts: OwnedPart[] = [];
    try {
      for (const [at, part] of this.#parts.entries()) {
        const now = { ...part, removed: gone[at] };
        if (leftOf(now) === 0) continue;
        const isWorn = now.removed.size * REMOVED > now.ids.length || (this.#isOne && now.removed.size > 0);
        parts.push(isWorn ? await this.#join([now]) : now);
      }
    } catch (error) {
      for (const { index, owned } of parts) if (owned.owners === 0) index.dispose();
      throw error;
    }
    return new NumberedRows(this.#like, parts, this.next);
  }

  /** Does what an index of the rows that are left does; its indices are their numbers. */
  async search(queries: MatrixLike, k: number, options: SearchOptions): Promise<KnnResult> {
    const parts = this.#some;
    if (!options.excludeSelf && !this.#isOne) return searchParts(parts, queries, k, options);
    const [{ index, removed }] = parts;
    const isWhole = parts.length === 1 && removed.size === 0;
    if (!isWhole) this.#whole ??= this.#join(parts).then((made) => made.index);
    const found = await ((await this.#whole) ?? index).search(queries, k, options);
    const { ids } = this;
    for (let at = 0; at < found.queries * k; at++)
      if (found.indices[at] !== NO_NEIGHBOR) found.indices[at] = ids[found.indices[at]];
    return found;
  }

  /** Gives up the indexes that no other value has. */
  dispose(): void {
    for (const { index, owned } of this.#parts) if (--owned.owners === 0) index.dispose();
    this.#whole?.then(
      (index) => index.dispose(),
      () => undefined, // the search that made it has said so
    );
  }

  /** Returns the parts, of which there must be some. */
  get #some(): readonly OwnedPart[] {
    if (this.#parts.length > 0) return this.#parts;
    throw new InvalidInputError("all rows were removed; add some, or call fit(train) again");
  }

  /** Tells whether what is found depends on which rows are in an index, so that there must be one of all. */
  get #isOne(): boolean {
    const { metric, precision } = this.#like.options;
    return precision === "float32" || metric === "rapidminer:MahalanobisDistance";
  }

  /** Copies what is left of parts into an index of its own. */
  async #join(parts: readonly SomeRows[]): Promise<OwnedPart> {
    const { device, options } = this.#like;
    const index = await KnnIndex.create(device, await runYielding(joinRows(parts)), options);
    return { index, ids: idsOf(parts), removed: new Set(), owned: { owners: 0 } };
  }

  #notThere(id: unknown): InvalidInputError {
    const was = Number.isInteger(id) && (id as number) >= 0 && (id as number) < this.next;
    const isType = typeof id === "number" ? "" : `it is of type ${typeof id}, `;
    const why = was ? "it was removed already" : `${isType}rows are numbered from 0 to ${this.next - 1}`;
    return new InvalidInputError(`row ${String(id)} is not there: ${why}`);
  }
}
