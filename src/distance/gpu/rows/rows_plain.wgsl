// Passes rows on as they are, for row_metas: a base is the squared length of its row, or without NORMS zero.
// It is not for certified searches, whose metas say how far a float32 distance may be off.
// Globals: NORMS; rows.

fn entriesAt(at: u32, column: u32) -> vec4f {
  if (!NORMS) {
    return vec4f();
  }
  return rows[at];
}

fn laneEnds() {}

fn metaOf(sum: f32) -> vec4f {
  return vec4f(sum, 0.0, 0.0, 0.0);
}

fn groupEnds(lane: u32) {}
