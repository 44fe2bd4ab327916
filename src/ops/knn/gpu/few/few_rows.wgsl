// With this snippet the rows of knn_few are float32.
// Globals: params (refBegin; depth: the vectors of a row); queries, refs; accumulateRow (distance_row).

alias Part = f32;
alias Vector = vec4f;

fn refVector(reference: u32, vector: u32) -> Vector {
  return refs[(params.refBegin + reference) * params.depth + vector];
}

fn queryVector(query: u32, vector: u32) -> Vector {
  return queries[query * params.depth + vector];
}

// @param vector where in the row the columns are
fn addVector(sum: Part, a: Vector, b: Vector, vector: u32) -> Part {
  return accumulateRow(sum, a, b, vector);
}
