/** These are the parameters of a convolution on buffers of a caller, as GpuPrimitives takes them. */
import type { ConvolveMode, ConvolveTechnique } from "./contract.ts";
import type { Boundary } from "./samples.ts";

/**
 * A convolution has these parameters: `count` samples a row, `taps` a mask, and as in ConvolveOptions the
 * mode, by default "full", the boundary, rows and masks. `flip` (default true) reverses the mask. By default
 * the technique is chosen by the taps and the length; "uniform" is not available, since the mask is in a
 * buffer.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: GpuConvolveParams = { type: "f32", count: 100, taps: 5, mode: "valid", flip: false };
 * (await primitives.convolve(params)).bytes.output; // => 96 * 4
 */
export interface GpuConvolveParams {
  readonly type: "f32" | "i32";
  readonly count: number;
  readonly taps: number;
  readonly rows?: number | undefined;
  readonly masks?: number | undefined;
  readonly mode?: ConvolveMode | undefined;
  readonly flip?: boolean | undefined;
  readonly boundary?: Boundary | undefined;
  readonly fill?: number | undefined;
  readonly technique?: Exclude<ConvolveTechnique, "uniform"> | undefined;
}
