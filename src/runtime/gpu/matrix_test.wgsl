// This kernel multiplies matrices of bytes in every way in which our kernels do: the left one from a storage
// buffer, the right one from workgroup memory by columns, sums added up over 128 columns and stored by
// columns to workgroup memory; params.rounds times, each from zero. One subgroup of 32 lanes runs it.
//
// Globals: params; left, right (16 rows of 8 vectors each), output (16 columns of 4 vectors for each round).

const PITCH: u32 = 9u;
const SUM_PITCH: u32 = 5u;

alias Left = subgroup_matrix_left<i8, 32, 16>;
alias Right = subgroup_matrix_right<i8, 16, 32>;
alias Result = subgroup_matrix_result<i32, 16, 16>;

var<workgroup> rows: array<vec4u, 16u * PITCH>;
var<workgroup> sums: array<vec4i, 16u * SUM_PITCH>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
  for (var at = lane; at < 128u; at += 32u) {
    rows[at / 8u * PITCH + at % 8u] = right[at];
  }
  workgroupBarrier();
  for (var round = 0u; round < params.rounds; round++) {
    var sum = Result();
    for (var k = 0u; k < 8u; k += 2u) {
      let a = subgroupMatrixLoad<Left, row_major>(&left, k, 8u);
      let b = subgroupMatrixLoad<Right, col_major>(&rows, k, PITCH);
      sum = subgroupMatrixMultiplyAccumulate(a, b, sum);
    }
    subgroupMatrixStore<col_major>(&sums, 0u, sum, SUM_PITCH);
    workgroupBarrier();
    for (var at = lane; at < 64u; at += 32u) {
      output[round * 64u + at] = sums[at / 4u * SUM_PITCH + at % 4u];
    }
    workgroupBarrier();
  }
}
