// This snippet halves a box again and again, its longest side each time, and says into which parts a point
// falls: the number of a cell. Cells that follow each other are near each other.
// Globals: none.

fn cellIn(point: vec3f, least: vec3f, largest: vec3f, halvings: u32) -> u32 {
  var low = least;
  var high = largest;
  var cell = 0u;
  for (var i = 0u; i < halvings; i++) {
    let side = 0.5 * high - 0.5 * low;
    let middle = 0.5 * high + 0.5 * low;
    var isLongest = vec3(false, false, true);
    if (side.x >= side.y && side.x >= side.z) {
      isLongest = vec3(true, false, false);
    } else if (side.y >= side.z) {
      isLongest = vec3(false, true, false);
    }
    let isUpper = any(isLongest & (point >= middle));
    low = select(low, middle, isLongest & vec3(isUpper));
    high = select(high, middle, isLongest & vec3(!isUpper));
    cell = 2u * cell + u32(isUpper);
  }
  return cell;
}
