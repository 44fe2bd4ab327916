/** These are the shaders of `select`, which the build deflates. */
import { packedShaders } from "../../runtime/gpu/packedShaders.ts";
import { packed, type Name } from "./wgsl.generated.ts";

export const { unpack, wgsl } = packedShaders<Name>(packed);
