/** This task prepares rows in shared memory: it is the workers' part of sharedRows.ts. */
import { bytesIn, floatsOf } from "../../runtime/cpu/buffers.ts";
import { wasmHandler, type WorkerWasm } from "../../runtime/cpu/task.ts";
import { strideOf } from "./preparation.ts";
import { isPlainly, metaOf, PreparedRows } from "./prepare.ts";
import { prepareTask, type SharedRowsTask } from "./sharedRows.ts";

/** The module has this function (distance/wasm/rows.ts). */
interface RowKernels {
  prepareRows(
    rows: number,
    count: number,
    cols: number,
    centre: number,
    factor: number,
    prepared: number,
    squares: number,
  ): void;
}

/** So many bytes of rows, or one row, are copied in at a time: they stay in the second-level cache. */
const BLOCK_BYTES = 2 ** 16;

export const handlers = [
  wasmHandler(prepareTask, (request, wasm) => {
    const { how, raw } = request;
    const sumsSquares = how.core === "dot" || how.core === "l2";
    const metas = isPlainly(how) && sumsSquares ? prepareByKernel(request, wasm) : prepareOneByOne(request);
    return { result: { metas, raw }, transfer: [metas.buffer, raw.buffer] };
  }),
];

function prepareByKernel(
  { how, cols, rows, raw, values }: SharedRowsTask,
  { kernels, memory }: WorkerWasm,
): Float32Array<ArrayBuffer> {
  const { prepareRows } = kernels as unknown as RowKernels;
  const stride = strideOf(cols);
  const block = Math.max(1, Math.floor(BLOCK_BYTES / (stride * 4)));
  memory.reset();
  const centreAt = memory.take(stride * 8);
  const squaresAt = memory.take(block * 8);
  const preparedAt = memory.take(block * stride * 4);
  // The kernel reads the last row up to a multiple of four numbers.
  const rowsAt = memory.take(block * cols * 4 + 16);
  const { buffer } = memory.memory;
  const centre = new Float64Array(buffer, centreAt, stride).fill(0);
  if (how.centre) centre.set(how.centre);
  const squares = new Float64Array(buffer, squaresAt, block);
  const target = floatsOf(values);
  const metas = new Float32Array(4 * rows);
  for (let row = 0; row < rows; row += block) {
    const count = Math.min(block, rows - row);
    memory.f32(rowsAt, count * cols).set(raw.subarray(row * cols, (row + count) * cols));
    prepareRows(rowsAt, count, cols, centreAt, 2 ** how.exponent, preparedAt, squaresAt);
    target.set(memory.f32(preparedAt, count * stride), row * stride);
    for (let i = 0; i < count; i++) metas.set(metaOf(how, squares[i]), 4 * (row + i));
  }
  return metas;
}

function prepareOneByOne({ how, cols, rows, raw, values }: SharedRowsTask): Float32Array<ArrayBuffer> {
  const prepared = new PreparedRows({ data: raw.subarray(0, rows * cols), rows, cols }, how);
  const all = { begin: 0, end: rows };
  prepared.fill("values", all, bytesIn(values));
  const metas = new Float32Array(4 * rows);
  prepared.fill("meta", all, new Uint8Array(metas.buffer));
  return metas;
}
