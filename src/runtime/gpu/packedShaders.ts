/** These are the shaders of a folder that the build deflates, since few programs load them. */
import { inflated } from "../../core/async/inflated.ts";

/** @param needs unpacks shaders of other folders that kernels of this one use, too */
export function packedShaders<Name extends string>(packed: string, ...needs: (() => Promise<void>)[]) {
  let texts: Readonly<Record<Name, string>> | undefined;
  return {
    /** Unpacks them; `wgsl` does not work before. */
    async unpack(): Promise<void> {
      await Promise.all(needs.map((unpack) => unpack()));
      texts ??= JSON.parse(await (await inflated(packed)).text()) as Record<Name, string>;
    },
    wgsl(name: Name): string {
      if (texts === undefined) throw new Error(`the shader ${name} was not unpacked`);
      return texts[name];
    },
  };
}
