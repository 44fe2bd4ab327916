/** This task prepares rows in shared memory, in place: it is the workers' part of sharedRows.ts. */
import { bytesIn, floatsOf } from "../../runtime/cpu/buffers.ts";
import { handler } from "../../runtime/cpu/task.ts";
import { strideOf } from "./preparation.ts";
import { PreparedRows } from "./prepare.ts";
import { prepareTask } from "./sharedRows.ts";

export const handlers = [
  handler(prepareTask, ({ how, cols, rows, values }) => {
    const [shared, stride] = [floatsOf(values), strideOf(cols)];
    // It works in memory of its own, which engines read and write sooner than shared memory.
    const data = new Float32Array(rows * cols);
    if (cols === stride) data.set(shared);
    else for (let i = 0; i < rows; i++) data.set(shared.subarray(i * stride, i * stride + cols), i * cols);
    const prepared = new PreparedRows({ data, rows, cols }, how);
    const all = { begin: 0, end: rows };
    const bytes = new Uint8Array(values.bytes);
    prepared.fill("values", all, bytes);
    bytesIn(values).set(bytes);
    const metas = new Float32Array(4 * rows);
    prepared.fill("meta", all, new Uint8Array(metas.buffer));
    return { result: metas, transfer: [metas.buffer] };
  }),
];
