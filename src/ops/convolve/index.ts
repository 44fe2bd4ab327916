/** Exports the room of convolution and correlation. */
export { boundaries } from "./samples.ts";
export type { Boundary, Samples } from "./samples.ts";
export { convolveModes, convolveTechniques, placeOutputs } from "./contract.ts";
export type { ConvolveBinding, ConvolveMode, ConvolveParams, ConvolveTechnique } from "./contract.ts";
export { convolve, correlate } from "./convolve.ts";
export type { ConvolveOptions } from "./options.ts";
export type { GpuConvolveParams } from "./gpuParams.ts";
export { checkFill } from "./arguments.ts";
export { chooseTechnique } from "./policy.ts";
export { measureConvolve } from "./measure.ts";
export type { ConvolveMeasureOptions, ConvolveReport } from "./measure.ts";
export type { ConvolveTime } from "./measured.ts";
export { convolveStream } from "./stream.ts";
export type { ConvolveStreamOptions } from "./stream.ts";
export { convolvePrimitive } from "./primitive.ts";
