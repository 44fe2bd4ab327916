// This snippet says in which cell of a uniform grid over a box a point lies. It takes the place of tree_path
// where a tree has the order of a grid. Globals: CELLS.

fn cellIn(point: vec3f, least: vec3f, largest: vec3f, halvings: u32) -> u32 {
  let side = 0.5 * largest - 0.5 * least;
  let part = (0.5 * point - 0.5 * least) / max(side, vec3f(0x1p-126));
  let cell = min(vec3u(clamp(part, vec3f(), vec3f(1.0)) * f32(CELLS)), vec3u(CELLS - 1u));
  return cell.x + CELLS * (cell.y + CELLS * cell.z);
}
