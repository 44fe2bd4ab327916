/** This module unpacks what the build deflates and writes as a text, in base64. */

/** Returns the bytes as a blob. */
export async function inflated(text: string): Promise<Blob> {
  const deflated = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const bytes = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const read: Uint8Array<ArrayBuffer>[] = [];
  const reader = bytes.getReader();
  // No Response collects them, since Node's needs WebAssembly itself, which a process may forbid.
  for (let next = await reader.read(); !next.done; next = await reader.read()) read.push(next.value);
  return new Blob(read);
}
