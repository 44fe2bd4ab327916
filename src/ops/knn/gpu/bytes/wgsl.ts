/** These are the shaders of bytes, which the build deflates. */
import { packedShaders } from "../../../../runtime/gpu/packedShaders.ts";
import { packed, type Name } from "./wgsl.generated.ts";

export const { unpack: unpackShaders, wgsl } = packedShaders<Name>(packed);
