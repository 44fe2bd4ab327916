// The only pass of knn.replay sorts the list of a query by row and replays the heap of
// models/rapidminer/heap.ts over it. One workgroup takes one query, and one of its lanes replays.
//
// Globals: THREADS, CAPACITY, MOST_K, POINTS; params; heads, candidates, intervals, places; workgroup_sort.

const UNDECIDED = 0xffffffffu;

struct Entry {
  // This numbers the entry in the order of rows.
  place: u32,
  low: f32,
  high: f32,
}

var<workgroup> highs: array<f32, CAPACITY>;
var<workgroup> heap: array<Entry, MOST_K>;
var<workgroup> isDecided: bool;
var<private> isUndecided: bool;

@each_workgroup(params.queryRows)
fn main(number: u32, lane: u32) {
  let query = params.queryBegin + number;
  let count = heads[query].x;
  if (count == 0u || count > params.capacity) {
    if (lane == 0u) {
      places[query * params.k] = UNDECIDED;
    }
    return;
  }
  let first = query * params.capacity;
  for (var at = lane; at < count; at += THREADS) {
    entryKeys[at] = candidates[first + at];
    entryIndices[at] = at;
  }
  sortEntries(lane, count);
  // Rows are not needed any more, so that low ends take their place.
  for (var at = lane; at < count; at += THREADS) {
    let interval = intervals[first + entryIndices[at]];
    entryKeys[at] = bitcast<u32>(interval.x);
    highs[at] = interval.y;
  }
  workgroupBarrier();
  if (lane == 0u) {
    replay(count);
    isDecided = !isUndecided;
  }
  workgroupBarrier();
  for (var at = lane; at < min(count, params.k); at += THREADS) {
    places[query * params.k + at] = select(UNDECIDED, entryIndices[heap[at].place], isDecided);
  }
}

// Replays the heap, up to the first comparison that intervals do not decide.
fn replay(count: u32) {
  var size = 0u;
  for (var place = 0u; place < count && !isUndecided; place++) {
    let entry = Entry(place, bitcast<f32>(entryKeys[place]), highs[place]);
    if (size == params.k) {
      if (!isGreater(heap[0], entry)) {
        continue;
      }
      size--;
      sink(heap[size], size);
    }
    rise(entry, size);
    size++;
  }
}

// Inserts an entry, which never passes a parent that is equal.
fn rise(entry: Entry, last: u32) {
  var at = last;
  while (at > 0u) {
    let parent = (at - 1u) / 2u;
    if (!isGreater(entry, heap[parent])) {
      break;
    }
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = entry;
}

// Sinks an entry from the top; of equal children the left one rises.
fn sink(entry: Entry, size: u32) {
  var at = 0u;
  while (at < size / 2u) {
    var child = 2u * at + 1u;
    if (child + 1u < size && isGreater(heap[child + 1u], heap[child])) {
      child++;
    }
    if (!isGreater(heap[child], entry)) {
      break;
    }
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = entry;
}

fn isGreater(a: Entry, b: Entry) -> bool {
  if (a.low > b.high) {
    return true;
  }
  isUndecided = isUndecided || !(POINTS || b.low > a.high);
  return false;
}
