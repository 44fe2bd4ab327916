// This snippet makes keys of squared distances of rows that are bytes, whole numbers of up to 31 bits: as
// many steps above the smallest normal float32, which are in the same order, and neither subnormal nor
// infinite.

const LEAST_KEY: u32 = 0x00800000u;

fn keyOfSum(sum: i32) -> f32 {
  return bitcast<f32>(u32(sum) + LEAST_KEY);
}

fn sumOf(key: f32) -> u32 {
  return bitcast<u32>(key) - LEAST_KEY;
}
