// For argmin and argmax reduce keeps two words of elements: the least cost and the lowest column that has it.
// A cost is the key for argmin and its complement for argmax. The largest cost, which NaN has, is never kept:
// when there is nothing else, all elements are equal and the answer is column 0. A lane must see its elements
// in ascending order.
// Globals: LARGEST, identity (combine_*), valuesOf (value_key_*).

const NOWHERE: u32 = 0xffffffffu;

// The cost and its column.
alias Total = vec2u;

struct Running {
  costs: vec4u,
  // The place in the input, in vectors of four.
  places: vec4u,
}

fn start() -> Running {
  return Running(vec4u(0xffffffffu), vec4u(NOWHERE));
}

fn add(running: Running, bits: vec4u, at: u32) -> Running {
  return keepLess(running, costsOf(bits), at);
}

fn addSome(running: Running, bits: vec4u, at: u32, mask: vec4<bool>) -> Running {
  return keepLess(running, select(vec4u(0xffffffffu), costsOf(bits), mask), at);
}

fn costsOf(bits: vec4u) -> vec4u {
  let keys = valuesOf(bits);
  return select(keys, ~keys, LARGEST);
}

fn keepLess(running: Running, costs: vec4u, at: u32) -> Running {
  let less = costs < running.costs;
  return Running(select(running.costs, costs, less), select(running.places, vec4u(at), less));
}

fn join(a: Total, b: Total) -> Total {
  return select(a, b, b.x < a.x || (b.x == a.x && b.y < a.y));
}

fn fold(running: Running, rowBegin: u32) -> Total {
  let found = running.places != vec4u(NOWHERE);
  let columns = select(vec4u(NOWHERE), running.places * 4u + vec4u(0u, 1u, 2u, 3u) - vec4u(rowBegin), found);
  let low = join(vec2u(running.costs.x, columns.x), vec2u(running.costs.y, columns.y));
  let high = join(vec2u(running.costs.z, columns.z), vec2u(running.costs.w, columns.w));
  return join(low, high);
}

fn nothing() -> Total {
  return Total(0xffffffffu, NOWHERE);
}

fn resultOf(total: Total) -> u32 {
  return select(total.y, 0u, total.y == NOWHERE);
}
