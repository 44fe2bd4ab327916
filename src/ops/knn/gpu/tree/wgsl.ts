/** These are the shaders of trees, which the build deflates. */
import { unpack as unpackScan } from "../../../../runtime/gpu/collectives/tileScan/wgsl.ts";
import { packedShaders } from "../../../../runtime/gpu/packedShaders.ts";
import { packed, type Name } from "./wgsl.generated.ts";

export const { unpack, wgsl } = packedShaders<Name>(packed, unpackScan);
