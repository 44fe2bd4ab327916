// A source of select_filter: lists of entries (key, index) that an earlier pass left in scratch, from entry
// `readAt` on. Equal keys lie in the order of their indices.
// Globals: params; scratch.

fn sourceBegin(row: u32) -> u32 {
  return params.readAt + row * params.cols;
}

fn roughKeys(vector: u32) -> vec4u {
  let at = vector * 4u;
  return vec4u(scratch[at].x, scratch[at + 1u].x, scratch[at + 2u].x, scratch[at + 3u].x);
}

fn exactKey(rough: u32) -> u32 {
  return rough;
}

fn sourceIndex(element: u32, rowBegin: u32) -> u32 {
  return scratch[element].y;
}
