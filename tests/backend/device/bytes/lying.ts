/** Primitives of a GPU whose shaders are changed on purpose, for whoever must find them out. */
import { expect } from "vitest";
import type { Primitive } from "../../../../dist/runtime/primitive.js";

/** Returns the primitive with other shaders. @param change leaves no text of all as it is */
export function lying<Params, Binding extends string>(
  honest: Primitive<Params, Binding>,
  change: (code: string) => string,
): Primitive<Params, Binding> {
  return {
    name: "a stage that lies",
    async gpu() {
      const kernel = await honest.gpu!();
      return {
        ...kernel,
        passes: (params, limits) => {
          const passes = kernel.passes(params, limits);
          const changed = passes.map((pass) => ({ ...pass, code: change(pass.code) }));
          expect(changed).not.toEqual(passes);
          return changed;
        },
      };
    },
  };
}
