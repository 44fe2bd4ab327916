/**
 * This module unpacks the WASM module, whose three builds the build script deflates into one text, a piece of
 * each in turn: so they take 26 kB of the package, where each by itself would take 48 in all, and 103 as they
 * are.
 */
import { inflated } from "../../core/async/inflated.ts";
import { wasm, wasmPiece, wasmSizes } from "./wasm.generated.ts";

export type WasmName = keyof typeof wasmSizes;

/** Returns the bytes of a build of the module. */
export async function wasmBytes(name: WasmName): Promise<ArrayBuffer> {
  const all = await inflated(wasm);
  const pieces: Blob[] = [];
  for (let at = 0, begin = 0; at < all.size; begin += wasmPiece) {
    for (const [each, size] of Object.entries(wasmSizes)) {
      const end = at + Math.max(0, Math.min(wasmPiece, size - begin));
      if (each === name) pieces.push(all.slice(at, end));
      at = end;
    }
  }
  return new Blob(pieces).arrayBuffer();
}
