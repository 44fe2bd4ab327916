// This snippet has rows of equal length.
// Globals: params (cols).

fn rowBegin(row: u32) -> u32 {
  return row * params.cols;
}

fn rowOf(at: u32) -> u32 {
  return at / params.cols;
}
