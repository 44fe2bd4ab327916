/** These are the shaders of bytes, which the build deflates: few searches load them. */
import { inflated } from "../../../../core/async/inflated.ts";
import { packed, type Name } from "./wgsl.generated.ts";

let texts: Readonly<Record<Name, string>> | undefined;

/** Unpacks them; nothing else here works before. */
export async function unpackShaders(): Promise<void> {
  texts ??= JSON.parse(await (await inflated(packed)).text()) as Record<Name, string>;
}

export function wgsl(name: Name): string {
  if (texts === undefined) throw new Error("the shaders of bytes were not unpacked");
  return texts[name];
}
