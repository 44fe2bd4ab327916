// A pass of knn.tree: puts runs of points into the order of a k-d tree, so that the boxes of leaves hardly
// overlap. A workgroup takes one run, sorts it along its longest side, then each half along its own, and so
// on down to leaves. The side is that of a few of the points: any order is right.
//
// Globals: THREADS (half of RUN), RUN, LEAF; params; points; keyOfBits.

var<workgroup> run: array<vec4u, RUN>;
var<workgroup> keys: array<u32, RUN>;
var<workgroup> order: array<u32, RUN>;

const SAMPLE: u32 = 8u;

@each_workgroup(params.groups)
fn main(group: u32, lane: u32) {
  let begin = group * RUN;
  let count = min(params.rows - begin, RUN);
  for (var i = lane; i < RUN; i += THREADS) {
    run[i] = points[begin + min(i, count - 1u)];
    order[i] = i;
  }
  workgroupBarrier();
  for (var size = RUN; size > LEAF; size /= 2u) {
    for (var i = lane; i < RUN; i += THREADS) {
      let side = longestSide(i / size * size, size, count);
      let item = order[i];
      // What lies behind the last point comes last.
      keys[i] = select(0xffffffffu, keyOfBits(run[item][side]), item < count);
    }
    workgroupBarrier();
    for (var block = 2u; block <= size; block *= 2u) {
      for (var apart = block / 2u; apart > 0u; apart /= 2u) {
        let i = 2u * lane - (lane & (apart - 1u));
        let other = i + apart;
        let isUp = block == size || (i & block) == 0u;
        let key = keys[i];
        let otherKey = keys[other];
        let isBefore = key < otherKey;
        if (key != otherKey && isBefore != isUp) {
          keys[i] = otherKey;
          keys[other] = key;
          let item = order[i];
          order[i] = order[other];
          order[other] = item;
        }
        workgroupBarrier();
      }
    }
  }
  for (var i = lane; i < count; i += THREADS) {
    points[begin + i] = run[order[i]];
  }
}

// Returns the column along which a part of the run is longest.
fn longestSide(first: u32, size: u32, count: u32) -> u32 {
  var least = bitcast<vec3f>(run[order[first]].xyz);
  var largest = least;
  for (var i = 0u; i < SAMPLE; i++) {
    let point = bitcast<vec3f>(run[order[first + ((2u * i + 1u) * size) / (2u * SAMPLE)]].xyz);
    least = min(least, point);
    largest = max(largest, point);
  }
  let side = 0.5 * largest - 0.5 * least;
  if (side.x >= side.y && side.x >= side.z) {
    return 0u;
  }
  return select(2u, 1u, side.y >= side.z);
}
