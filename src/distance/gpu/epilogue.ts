/**
 * An epilogue is what a kernel does with a finished tile of distances, as in a matrix product. The tile
 * (tile.ts) adds up what the columns of every pair of rows come to and hands the sums over; an operator
 * writes them, counts them or takes their minima. It holds no epilogue: each stands in the room of the
 * operator that needs it.
 */
import type { Binding, ShaderParts, UniformField } from "../../runtime/gpu/passes/compose.ts";

/** The metas of the rows that an epilogue may read: base, product, margin. */
export type RowMetas = "queryMeta" | "refMeta";

/** An epilogue adds these parts of a shader to those of the tile. */
export interface Epilogue {
  readonly snippets: readonly string[];
  readonly constants?: ShaderParts["constants"];
  readonly uniforms: readonly UniformField[];
  /** It reads these metas of the buffers that the tile reads. */
  readonly reads: readonly RowMetas[];
  /** It has these buffers of its own, which are bound after those of the tile. */
  readonly bindings: readonly Binding[];
}
