// compact of no elements keeps none.
// Globals: found.

@compute @workgroup_size(1)
fn main() {
  found[0] = 0u;
}
