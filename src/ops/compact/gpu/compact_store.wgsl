// Writes what a tile of compact keeps to its places, and with the last tile how many are kept in all. What is
// kept is put side by side in workgroup memory first, so that stores are contiguous. Where there is room, all
// of it is put there at once; otherwise it goes slice by slice. A slice holds what the lanes keep of their
// vectors of one number, and follows the slice of the number before.
// Globals: THREADS, VECTORS, KEEPS_ELEMENTS, KEEPS_INDICES, scan_begin, kept_tile, fetchElements (fetch_*),
// keepElement, keepIndex and keepStep (compact_*), params.tiles, params.firstIndex, found.

const ROOM: u32 = TILE_VECTORS;
// This many certainly fit.
const SLICES: u32 = VECTORS / 4u;

// The places where slices begin among what is kept in the tile; then the number of all that is kept.
var<workgroup> slices: array<u32, VECTORS + 1u>;

// @param before the number kept before the tile
fn storeTile(tile: u32, thread: u32, begun: ptr<function, Begun>, before: u32) {
  var elements = fetchElements(tile, thread, begun);
  if (thread == 0u) {
    for (var i = 0u; i < VECTORS; i++) {
      slices[i] = (*begun).before[i];
    }
  }
  if (thread == LAST) {
    slices[VECTORS] = (*begun).total;
    if (tile == params.tiles - 1u) {
      found[0] = before + (*begun).total;
    }
  }
  let atOnce = select(SLICES, VECTORS, workgroupUniformLoad(&slices[VECTORS]) <= ROOM);
  for (var slice = 0u; slice < VECTORS; slice += atOnce) {
    let begin = slices[slice];
    let end = slices[slice + atOnce];
    if (KEEPS_ELEMENTS) {
      for (var i = 0u; i < VECTORS; i++) {
        if (i >= slice && i < slice + atOnce) {
          stage((*begun).before[i] - begin, keptOf((*begun).tile.kept, i), elements[i]);
        }
      }
      workgroupBarrier();
      for (var at = begin + thread; at < end; at += THREADS) {
        keepElement(before + at, slab[at - begin]);
      }
      workgroupBarrier();
    }
    if (KEEPS_INDICES) {
      let first = params.firstIndex + (tile * TILE_VECTORS + thread) * 4u;
      for (var i = 0u; i < VECTORS; i++) {
        if (i >= slice && i < slice + atOnce) {
          let indices = vec4u(first + i * THREADS * 4u) + vec4u(0u, 1u, 2u, 3u);
          stage((*begun).before[i] - begin, keptOf((*begun).tile.kept, i), indices);
        }
      }
      workgroupBarrier();
      for (var at = begin + thread; at < end; at += THREADS) {
        let index = slab[at - begin];
        keepIndex(before + at, index);
        if (at + 1u < end) {
          keepStep(before + at, slab[at + 1u - begin] - index);
        }
      }
      workgroupBarrier();
    }
  }
}

// Puts those of four words that are kept side by side.
fn stage(start: u32, kept: u32, words: vec4u) {
  var to = start;
  for (var i = 0u; i < 4u; i++) {
    if (extractBits(kept, i, 1u) != 0u) {
      slab[to] = words[i];
      to++;
    }
  }
}
