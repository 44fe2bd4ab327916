/** This is a pass that makes the metas of rows as they are, neither moved nor scaled: no interval follows. */
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { preparePolicy } from "../policy.ts";
import { metasBinding, rowMetasParts, type MetaRows } from "./rowMetas.ts";
import { rows_plain } from "./wgsl.generated.ts";

/**
 * Makes the pass, over `rows` and `metas`.
 * @param norms whether bases are squared lengths; else they are zero
 */
export function plainRowsPass(
  label: string,
  rows: Omit<MetaRows, "power">,
  norms: boolean,
  limits: KernelLimits,
): Pass {
  const parts = rowMetasParts(label, { ...rows, power: "squares" }, preparePolicy, {
    snippets: [rows_plain],
    constants: { NORMS: norms },
    uniforms: [],
    bindings: [{ name: "rows", access: "read", type: "array<vec4f>" }, metasBinding],
  });
  return makePass(parts, limits);
}
