/**
 * These are the metas of rows as the parts of a pass: for rows that are prepared on the way (prepare.ts), and
 * for rows as they are.
 */
import { ceilDiv } from "../../../core/math.ts";
import type { Binding, ShaderParts } from "../../../runtime/gpu/passes/compose.ts";
import type { PassParts } from "../../../runtime/gpu/passes/pass.ts";
import * as wgsl from "./wgsl.generated.ts";

export interface MetaRows {
  readonly rows: number;
  /** So many columns count, and so many float32 lie from one row to the next. */
  readonly dims: number;
  readonly stride: number;
  /** The squares or sizes of a row's entries are added up, or the largest size is taken. */
  readonly power: "squares" | "sizes" | "largest";
}

export const metasBinding: Binding = { name: "metas", access: "read_write", type: "array<vec4f>" };

/**
 * Makes the parts.
 * @param source snippets as row_metas.wgsl names them, with what they need; its bindings hold metasBinding.
 */
export function rowMetasParts(
  label: string,
  { rows, dims, stride, power }: MetaRows,
  { threads, rowLanes }: { readonly threads: number; readonly rowLanes: number },
  source: Required<Pick<ShaderParts, "snippets" | "uniforms" | "bindings">> & Pick<ShaderParts, "constants">,
): PassParts {
  return {
    label,
    body: wgsl.row_metas,
    snippets: [...source.snippets],
    constants: {
      THREADS: threads,
      ROW_LANES: rowLanes,
      SQUARES: power === "squares",
      LARGEST: power === "largest",
      ...source.constants,
    },
    uniforms: [
      ["count", "u32", rows],
      ["depth", "u32", ceilDiv(dims, 4)],
      ["stride", "u32", stride / 4],
      ...source.uniforms,
    ],
    bindings: source.bindings,
    groups: ceilDiv(rows, threads / rowLanes),
  };
}
