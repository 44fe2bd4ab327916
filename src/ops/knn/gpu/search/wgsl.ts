/** These are the shaders of `knn.search`, which the build deflates. */
import { unpack as unpackFew } from "../few/wgsl.ts";
import { unpack as unpackSelect } from "../../../select/gpu.ts";
import { packedShaders } from "../../../../runtime/gpu/packedShaders.ts";
import { packed, type Name } from "./wgsl.generated.ts";

export const { unpack, wgsl } = packedShaders<Name>(packed, unpackFew, unpackSelect);
