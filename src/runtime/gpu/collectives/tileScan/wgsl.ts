/** These are the shaders of scans over tiles, which the build deflates. */
import { packedShaders } from "../../packedShaders.ts";
import { packed, type Name } from "./wgsl.generated.ts";

export const { unpack, wgsl } = packedShaders<Name>(packed);
