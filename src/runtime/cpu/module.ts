/**
 * This module unpacks the WASM module, which the build deflates and writes as a text: its three builds would
 * take 111 kB of the package as they are, and take 38.
 */
import { wasm } from "./wasm.generated.ts";

export type WasmName = keyof typeof wasm;

/** Returns the bytes of a build of the module. */
export async function wasmBytes(name: WasmName): Promise<ArrayBuffer> {
  const deflated = Uint8Array.from(atob(wasm[name]), (character) => character.charCodeAt(0));
  const bytes = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const reader = bytes.getReader();
  // No Response collects them, since Node's needs WebAssembly itself, which a process may forbid.
  for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value);
  return new Blob(pieces).arrayBuffer();
}
