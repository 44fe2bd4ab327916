/** The WGSL texts by name. The only file that knows how they got into the program: scripts/build.mjs embeds them. */
import { wgsl } from "./wgsl.generated.ts";

/** Path under src/kernels without extension, such as "knn_distance" or "shared/metric_l1". */
export type SourceName = keyof typeof wgsl;

export function source(name: SourceName): string {
  return wgsl[name];
}
