// This kernel cuts a merge into tiles: for each place at which a tile begins, and where the last one ends, it
// finds by bisection how many of the keys before it are the left run's (merge path). Globals: THREADS, TILE;
// params (left, right, begin, count, cuts); leftKeys, rightKeys, cuts; sort_key_*, sort_order.

@each_lane(params.cuts)
fn main(at: u32) {
  let place = params.begin + min(at * TILE, params.count);
  var least = max(place, params.right) - params.right;
  var most = min(place, params.left);
  while (least < most) {
    let middle = least + (most - least) / 2u;
    let other = ordinalOf(rightKeys[place - 1u - middle]);
    if (isBefore(other, ordinalOf(leftKeys[middle]))) {
      most = middle;
    } else {
      least = middle + 1u;
    }
  }
  cuts[at] = least;
}
