/** This makes an index for one call, on the caller's device or one of its own, and frees it afterwards. */
import type { MatrixLike } from "../../core/matrix.ts";
import { withDevice, type ArrayOptions } from "../../runtime/onArrays.ts";
import { KnnIndex } from "./knnIndex.ts";
import type { KnnOptions } from "./options.ts";

/** Calls `use` with an index of the rows of train. */
export async function withIndex<T>(
  train: MatrixLike,
  options: KnnOptions & ArrayOptions,
  use: (index: KnnIndex) => Promise<T>,
): Promise<T> {
  return withDevice(options, async (device) => {
    const index = await KnnIndex.create(device, train, options, options.signal);
    try {
      return await use(index);
    } finally {
      index.dispose();
    }
  });
}
