// This snippet fetches keys from the input (0), from scratch (1) or from the output (2), and puts them into
// one of the latter. Globals: Key (sort_key_*); params (begin); keys, scratchKeys, sortedKeys.

fn keyAt(source: u32, at: u32) -> Key {
  switch (source) {
    case 0u: { return keys[params.begin + at]; }
    case 1u: { return scratchKeys[params.begin + at]; }
    default: { return sortedKeys[params.begin + at]; }
  }
}

fn putKey(sink: u32, at: u32, key: Key) {
  if (sink == 1u) {
    scratchKeys[params.begin + at] = key;
  } else {
    sortedKeys[params.begin + at] = key;
  }
}
