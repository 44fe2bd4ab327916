/** This task prepares rows in shared memory: it is the workers' part of sharedRows.ts. */
import { bytesIn } from "../../runtime/cpu/buffers.ts";
import { handler } from "../../runtime/cpu/task.ts";
import { PreparedRows } from "./prepare.ts";
import { prepareTask } from "./sharedRows.ts";

export const handlers = [
  handler(prepareTask, ({ how, cols, rows, raw, values }) => {
    const prepared = new PreparedRows({ data: raw.subarray(0, rows * cols), rows, cols }, how);
    const all = { begin: 0, end: rows };
    prepared.fill("values", all, bytesIn(values));
    const metas = new Float32Array(4 * rows);
    prepared.fill("meta", all, new Uint8Array(metas.buffer));
    return { result: { metas, raw }, transfer: [metas.buffer, raw.buffer] };
  }),
];
