// This kernel makes the metas of rows: ROW_LANES lanes share a row and add up what its entries come to. A
// snippet says where entries come from, what else is done with them and what a meta is made of: rows_prepared
// or rows_plain.
//
// Globals: SQUARES (sums squares), LARGEST (takes the largest entry; neither: sums magnitudes), THREADS,
// ROW_LANES; params; metas; entriesAt, laneEnds, metaOf, groupEnds.

var<workgroup> parts: array<f32, THREADS>;

fn joined(a: f32, b: f32) -> f32 {
  return select(a + b, max(a, b), LARGEST);
}

fn powerOf(four: vec4f) -> f32 {
  if (SQUARES) {
    return dot(four, four);
  }
  let size = abs(four);
  return joined(joined(size.x, size.y), joined(size.z, size.w));
}

@each_workgroup
fn main(number: u32, lane: u32) {
  let row = number * (THREADS / ROW_LANES) + lane / ROW_LANES;
  var power = 0.0;
  if (row < params.count) {
    for (var column = lane % ROW_LANES; column < params.depth; column += ROW_LANES) {
      power = joined(power, powerOf(entriesAt(row * params.stride + column, column)));
    }
  }
  parts[lane] = power;
  laneEnds();
  for (var half = ROW_LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane % ROW_LANES < half) {
      parts[lane] = joined(parts[lane], parts[lane + half]);
    }
  }
  if (lane % ROW_LANES == 0u && row < params.count) {
    metas[row] = metaOf(parts[lane]);
  }
  groupEnds(lane);
}
