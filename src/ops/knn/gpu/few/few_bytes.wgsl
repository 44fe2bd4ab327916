// With this snippet the rows of knn_few are bytes, which knn_quantize made of references and the host of
// queries. A pair has the interval in which its distance must be for all that bytes tell. The proof is in
// distance/bound/bytes.ts. Facts of references follow the bytes of all, those of a query its own.
//
// Globals: params (refBegin; depth: the vectors of a row; refFacts: the vector at which facts begin; scale);
// refBytes, queryBytes.

alias Part = i32;
alias Vector = vec4u;

// A length of so many steps may have been cut off there.
const FAR: f32 = 65536.0;
const FARTHEST: f32 = 0x1p126;
const UP: f32 = 1.0 + 0x1p-16;
const DOWN: f32 = 1.0 - 0x1p-16;
// Flushing what is subnormal takes less.
const FLUSHED: f32 = 0x1p-120;

fn refVector(reference: u32, vector: u32) -> Vector {
  return refBytes[(params.refBegin + reference) * params.depth + vector];
}

fn queryVector(query: u32, vector: u32) -> Vector {
  return queryBytes[query * (params.depth + 1u) + vector];
}

fn addVector(sum: Part, a: Vector, b: Vector, vector: u32) -> Part {
  let low = dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y);
  return sum + low + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}

fn join(a: Part, b: Part) -> Part {
  return a + b;
}

fn pairInterval(query: u32, reference: u32, products: Part) -> vec2f {
  let own = queryVector(query, params.depth);
  let other = refBytes[params.refFacts + params.refBegin + reference];
  let root = sqrt(f32(i32(own.x + other.x) - 2 * products));
  let losses = bitcast<vec2f>(vec2u(own.y, other.y));
  let spreads = bitcast<vec2f>(vec2u(own.z, other.z));
  let loss = losses.x + losses.y;
  let near = max(root * DOWN - loss * UP, 0.0) * params.scale;
  let far = (root + loss) * UP * params.scale;
  let spread = fma(dot(spreads, spreads) * UP, params.scale * params.scale, FLUSHED);
  let most = max(max(losses.x, losses.y), max(spreads.x, spreads.y));
  return vec2f(near * near * DOWN - spread, select(far * far * UP + spread, FARTHEST, most >= FAR));
}
