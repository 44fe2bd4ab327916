/**
 * Asks a GPU how fast it compares bytes, for a search of rows that are bytes on both sides. What is planned
 * then is plan/bytes/rows.ts.
 */
import type { FetchableRows } from "../../../core/fetchable.ts";
import type { Matrix } from "../../../core/matrix.ts";
import type { Device } from "../../../runtime/device.ts";
import { compilesPackedProducts } from "../gpu/bytes/rate.ts";
import { byteRoomOf, withByteRows } from "../plan/bytes/rows.ts";
import type { KnnPlan } from "../plan/knnPlan.ts";
import { rateFor } from "./bytesFirst.ts";

/**
 * Returns the plan for rows that are bytes; undefined where they must become float32.
 * @param train rows in memory, or where they can be fetched from, whose columns are a multiple of four then
 */
export async function byteRowsPlan(
  plan: KnnPlan,
  train: Matrix | FetchableRows,
  queries: Matrix,
  { backend }: Pick<Device, "backend">,
): Promise<KnnPlan | undefined> {
  const room = byteRoomOf(plan, train, queries);
  if (!room || !(await compilesPackedProducts(backend))) return undefined;
  const rate = plan.caps.bytes === true ? undefined : await rateFor(plan, queries.cols, backend);
  if (rate && rate.times < 1) return undefined;
  return withByteRows(plan, train, queries, room, rate?.by ?? "packed products");
}
