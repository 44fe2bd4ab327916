/**
 * An epilogue is what a kernel does with a finished tile of distances, as in a matrix product. The tile
 * (tile.ts) adds up what the columns of every pair of rows come to and hands the sums over; an operator
 * writes them, counts them or takes their minima. It holds no epilogue: each stands in the room of the
 * operator that needs it.
 */
import type { Binding, ShaderParts, UniformField } from "../../runtime/gpu/passes/compose.ts";

/** An epilogue may read these metas of the rows: base, product, margin. */
export type RowMetas = "queryMeta" | "refMeta";

/**
 * An epilogue adds these parts of a shader to those of the tile. Its snippets declare, all for use in
 * uniform control flow:
 *
 *     const EPILOGUE_SLAB: u32      the vectors of the slab that the epilogue uses
 *     fn epilogueWants(lane, firstQuery) -> bool      whether a workgroup shall make its tiles
 *     fn epilogueBegins(lane, firstRef)               before a tile; its references may be read
 *     fn epilogueSees(turn, rows)                     four rows of a block that the lane loads
 *     fn epilogue(sums, lane, firstQuery, firstRef)   the tile's sums; nobody else uses the slab
 *
 * They may use what distance_tile.wgsl declares: Sums, slab, queryOf, refOf, finish of the metric and
 * valueOf.
 */
export interface Epilogue {
  readonly snippets: readonly string[];
  readonly constants?: ShaderParts["constants"];
  readonly uniforms: readonly UniformField[];
  /** It reads these metas of the buffers that the tile reads. */
  readonly reads: readonly RowMetas[];
  /** It has these buffers of its own, which are bound after those of the tile. */
  readonly bindings: readonly Binding[];
}
