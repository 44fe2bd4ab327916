// compact of no elements: none are kept.
// Globals: found.

@compute @workgroup_size(1)
fn main() {
  found[0] = 0u;
}
