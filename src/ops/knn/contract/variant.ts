/** Callers may choose the variant of `knn.search` for measurements. gpu/search/ chooses the best one. */

/**
 * `knn.search` runs in this variant; parts left out are chosen by size. If any part is given, even few
 * queries take the passes made for many.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter!.requestDevice();
 * const primitives = await GpuPrimitives.create(device);
 * const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
 * const bufferOf = (size: number) => device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
 *
 * async function millisecondsOf(variant: KnnVariant): Promise<number> {
 *   const search = await primitives.knn({ queries: 64, references: 1000, columns: 8, k: 3, variant });
 *   const { bytes } = search;
 *   const [queries, references] = [bufferOf(bytes.queries), bufferOf(bytes.references)];
 *   const [distances, indices] = [bufferOf(bytes.distances), bufferOf(bytes.indices)];
 *   const encoder = device.createCommandEncoder();
 *   search.encode(encoder, { queries, references, distances, indices });
 *   const begin = performance.now();
 *   device.queue.submit([encoder.finish()]);
 *   await device.queue.onSubmittedWorkDone();
 *   search.dispose();
 *   return performance.now() - begin;
 * }
 * // The same neighbours by other variants: which is fastest is the device's matter.
 * const [chosen, stored] = [await millisecondsOf({}), await millisecondsOf({ tile: "standard", group: 0 })];
 * console.log(`${chosen} ms as chosen, ${stored} ms with all values stored`);
 */
export interface KnnVariant {
  /** Distances are computed in tiles of this name, such as "standard". */
  readonly tile?: string | undefined;
  /** Only the minimum of every 8, 16, 32 or 64 references is stored; 0 stores all values. */
  readonly group?: number | undefined;
}
