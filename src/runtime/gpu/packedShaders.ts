/** These are the shaders of a folder that the build deflates, since few programs load them. */
import { inflated } from "../../core/async/inflated.ts";

export function packedShaders<Name extends string>(packed: string) {
  let texts: Readonly<Record<Name, string>> | undefined;
  return {
    /** Unpacks them; `wgsl` does not work before. */
    async unpack(): Promise<void> {
      texts ??= JSON.parse(await (await inflated(packed)).text()) as Record<Name, string>;
    },
    wgsl(name: Name): string {
      if (texts === undefined) throw new Error(`the shader ${name} was not unpacked`);
      return texts[name];
    },
  };
}
