// The first pass of reduce: params.lanes lanes join one row, or one part of it, and keep its total.
// Globals: THREADS, PART, params.rows, params.cols, params.parts, params.lanes, input; total_*, keep_*,
// reduce_lanes.

@each_workgroup
fn main(number: u32, thread: u32) {
  let item = number * (THREADS / params.lanes) + thread / params.lanes;
  let lane = thread % params.lanes;
  let used = item < params.rows * params.parts;
  var total = nothing();
  if (used) {
    let rowBegin = item / params.parts * params.cols;
    let begin = rowBegin + item % params.parts * PART;
    total = fold(visit(begin, min(begin + PART, rowBegin + params.cols), lane), rowBegin);
  }
  total = reduceLanes(thread, params.lanes, total);
  if (used && lane == 0u) {
    keep(item, total);
  }
}

// Joins elements [begin, end): whole vectors, and the elements before and after them.
fn visit(begin: u32, end: u32, lane: u32) -> Running {
  let first = (begin + 3u) / 4u;
  let last = max(first, end / 4u);
  let step = params.lanes;
  var running = start();
  if (lane == 0u && begin < first * 4u) {
    running = visitSome(running, first - 1u, begin, end);
  }
  var at = first + lane;
  for (; at + 3u * step < last; at += 4u * step) {
    let a = input[at];
    let b = input[at + step];
    let c = input[at + 2u * step];
    let d = input[at + 3u * step];
    running = add(running, a, at);
    running = add(running, b, at + step);
    running = add(running, c, at + 2u * step);
    running = add(running, d, at + 3u * step);
  }
  for (; at < last; at += step) {
    running = add(running, input[at], at);
  }
  if (lane == 0u && last * 4u < end) {
    running = visitSome(running, last, begin, end);
  }
  return running;
}

fn visitSome(running: Running, at: u32, begin: u32, end: u32) -> Running {
  let elements = vec4u(at * 4u) + vec4u(0u, 1u, 2u, 3u);
  return addSome(running, input[at], at, (elements >= vec4u(begin)) & (elements < vec4u(end)));
}
