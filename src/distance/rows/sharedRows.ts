/**
 * These are the rows of one side as prepare.ts makes them, for a CPU: workers get copies of float32 rows as
 * they are, and prepare them to the same bits in shared memory, which the caller's thread does not touch:
 * touching fresh memory for the first time takes longer than all else that is done with a row. The caller's
 * thread prepares rows of other kinds, and few rows. The worker's side is sharedRowsTask.ts.
 */
import { ceilDiv } from "../../core/math.ts";
import { settleAll } from "../../core/async/settleAll.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { Slice } from "../../runtime/cpu/buffers.ts";
import { retried } from "../../runtime/cpu/retried.ts";
import type { SharedFill } from "../../runtime/cpu/sharedFill.ts";
import { task } from "../../runtime/cpu/task.ts";
import { tuned } from "../../runtime/cpu/tuning.ts";
import type { Workers } from "../../runtime/cpu/workers.ts";
import type { RowSet } from "../../runtime/source.ts";
import type { RowPreparation } from "./preparation.ts";
import { PreparedRows } from "./prepare.ts";

/** These are tuned numbers. They change the speed, never a result. */
export const sharedRowsTuning = {
  /** Fewer bytes than these take the caller's thread less time than workers take to start. */
  fewestBytes: 2 ** 22,
  /** A task has at most this many bytes, a few milliseconds. */
  taskRowBytes: 2 ** 20,
};

/** It asks for rows [rows][cols], the first of `raw`, to be prepared as [rows][stride] in shared memory. */
export interface SharedRowsTask {
  readonly how: RowPreparation;
  readonly cols: number;
  readonly rows: number;
  readonly raw: Float32Array<ArrayBuffer>;
  readonly values: Slice;
}

/** The task gives `raw` back, and returns the part "meta" of its rows, float32 [rows][4]. */
export const prepareTask = task<
  SharedRowsTask,
  Pick<SharedRowsTask, "raw"> & { readonly metas: Float32Array<ArrayBuffer> }
>("distance.rows");

/** Tells whether workers may prepare such rows: float32, by plain data that a message can hold. */
export function canShareRows({ data }: Matrix, { mixed, rows }: RowPreparation): boolean {
  return data instanceof Float32Array && !mixed && rows.kind !== "own";
}

export class SharedRows extends PreparedRows implements SharedFill {
  readonly #matrix: Matrix;
  readonly #how: RowPreparation;
  /** It holds the part "meta" of rows that workers prepared, NaN of others. */
  #metas = new Float32Array();

  constructor(matrix: Matrix, how: RowPreparation) {
    super(matrix, how);
    this.#matrix = matrix;
    this.#how = how;
  }

  override fill(part: string, rows: RowSet, target: Uint8Array): void {
    if (part === "meta" && "begin" in rows && this.#metas.length > 0) {
      const known = this.#metas.subarray(4 * rows.begin, 4 * rows.end);
      if (!known.some(Number.isNaN))
        return new Float32Array(target.buffer, target.byteOffset, known.length).set(known);
    }
    super.fill(part, rows, target);
  }

  fillShared(
    part: string,
    rows: RowSet,
    target: Slice,
    { pool, tuning: overrides }: Workers,
    signal: AbortSignal,
  ): Promise<void> | undefined {
    const tuning = tuned(sharedRowsTuning, overrides);
    if (part !== "values" || !("begin" in rows) || target.bytes < tuning.fewestBytes) return undefined;
    return this.#share(rows.begin, target, pool, tuning.taskRowBytes, signal);
  }

  async #share(
    first: number,
    { buffer, offset, bytes }: Slice,
    pool: Workers["pool"],
    taskBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { data, cols } = this.#matrix;
    const rowBytes = this.rowBytes("values");
    const step = Math.max(1, Math.floor(taskBytes / rowBytes));
    const count = bytes / rowBytes;
    const pieces: Float32Array<ArrayBuffer>[] = [];
    if (this.#metas.length === 0) this.#metas = new Float32Array(4 * this.rows).fill(NaN);
    const tasks = Array.from({ length: ceilDiv(count, step) }, (_, i) => async (failed: AbortSignal) => {
      const [begin, end] = [i * step, Math.min(count, (i + 1) * step)];
      const values = { buffer, offset: offset + begin * rowBytes, bytes: (end - begin) * rowBytes };
      // Rows are copied when a worker is free for them, and again where one died that had them.
      const prepare = () => {
        const raw = pieces.pop() ?? new Float32Array(step * cols);
        raw.set(data.subarray((first + begin) * cols, (first + end) * cols));
        const request = { how: this.#how, cols, rows: end - begin, raw, values };
        return { request, transfer: [raw.buffer] };
      };
      const { metas, raw } = await retried(() => pool.run(prepareTask, prepare, signal, failed));
      pieces.push(raw);
      this.#metas.set(metas, 4 * (first + begin));
    });
    await settleAll(tasks, signal);
  }
}
