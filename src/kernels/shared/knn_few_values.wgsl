// What knn_few does with a sum: it writes the value to scratch, [query][4 * pitch].
// Globals: params; queryMeta, refMeta, scratch; finish.

fn deliver(query: u32, reference: u32, sum: f32) {
  let value = finish(vec4f(sum), queryMeta[query].x, vec4f(refMeta[params.refBegin + reference].x));
  scratch[query * params.pitch * 4u + reference] = value.x;
}
