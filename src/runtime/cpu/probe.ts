/**
 * This module finds out which WASM build this runtime can run. It asks by validating a module of a few bytes
 * per feature; nothing is executed, and no browser is recognised by name.
 */
import { UnavailableError } from "../../core/errors.ts";

export type WasmBuild = "baseline" | "relaxed";

export interface WasmFeatures {
  readonly simd: boolean;
  readonly relaxedSimd: boolean;
}

// (module (func (result v128) (i8x16.popcnt (i8x16.splat (i32.const 0)))))
const simdModule = moduleOf([0x41, 0, 0xfd, 0x0f, 0xfd, 0x62]);

// (module (func (result v128) (f32x4.relaxed_madd z z z))) with z = (f32x4.splat (f32.const 0))
const zero = [0x43, 0, 0, 0, 0, 0xfd, 0x13];
const relaxedModule = moduleOf([...zero, ...zero, ...zero, 0xfd, 0x85, 0x02]);

/** Tells which features the runtime validates. */
export function probeWasm(): WasmFeatures {
  return { simd: validates(simdModule), relaxedSimd: validates(relaxedModule) };
}

/**
 * Chooses the build to load: the relaxed one where it can run, unless told otherwise.
 * @throws UnavailableError when the runtime lacks what the chosen build needs.
 */
export function chooseBuild(features: WasmFeatures, relaxed: boolean | "auto"): WasmBuild {
  if (!features.simd) {
    throw new UnavailableError(
      "the CPU backend needs WebAssembly SIMD, which this runtime does not have; use a browser from 2023 or later, or " +
        "Node 20 or later on a processor with SSE4.1 or NEON",
    );
  }
  if (relaxed === true && !features.relaxedSimd) {
    throw new UnavailableError(
      'relaxed SIMD was asked for, but this runtime does not have it; pass relaxed: "auto", or in Node 20 start with ' +
        "--experimental-wasm-relaxed-simd",
    );
  }
  return relaxed !== false && features.relaxedSimd ? "relaxed" : "baseline";
}

function validates(bytes: readonly number[]): boolean {
  return typeof WebAssembly === "object" && WebAssembly.validate(new Uint8Array(bytes));
}

/** Returns a module of one function () -> v128, short enough for every length to fit into one byte. */
function moduleOf(body: readonly number[]): number[] {
  const code = [0, ...body, 0x0b];
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const type = [1, 5, 1, 0x60, 0, 1, 0x7b];
  return [...header, ...type, 3, 2, 1, 0, 0x0a, code.length + 2, 1, code.length, ...code];
}
