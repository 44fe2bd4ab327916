/**
 * This keeps the running candidate list of one query, lazily, as `knn.filter` promises it. Entries are
 * appended while they pass the last threshold that was computed. Only when the list has grown by half, or is
 * full, which is when an overflow shows, is it cut down to what it must hold. Since a threshold only ever
 * falls, that leaves the same entries as cutting down after every reference.
 *
 * The limit is the k-th smallest high end when the list was last cut down. It is NaN while fewer than k were
 * seen, which every comparison lets pass, and -Infinity for a query that overflowed, which nothing passes.
 * The mark is the count at which to cut down.
 */
import { floatOfKey, keyOfValue } from "../../../../runtime/cpu/wasm/keys";
import { kthSmallest } from "./select";

/** A list that overflowed has this mark, and is left alone. */
const DEAD: u32 = 0;

let k: u32 = 0;
let capacity: u32 = 0;
let cut: bool = false;
/** True keeps everything in keep-all lists. */
let keepsAll: bool = false;
/** One list has room for this many entries; one more than `capacity`, or with `cut` more than k. */
let room: u32 = 0;
let heads: usize = 0;
let marks: usize = 0;
let candidates: usize = 0;
let intervals: usize = 0;
let scratch: usize = 0;

export function configureLists(cut_: bool, keepsAll_: bool, k_: u32, capacity_: u32, room_: u32): void {
  cut = cut_;
  keepsAll = keepsAll_;
  k = k_;
  capacity = capacity_;
  room = room_;
}

/**
 * Takes the addresses: heads u32 [query][2], candidates u32 [query][room], intervals f32 [query][room][2] as
 * in contract/filter.ts, but with room for capacity; marks u32 [query]; scratch u32 [room].
 */
export function placeLists(heads_: usize, marks_: usize, candidates_: usize, intervals_: usize, scratch_: usize): void {
  heads = heads_;
  marks = marks_;
  candidates = candidates_;
  intervals = intervals_;
  scratch = scratch_;
}

@inline
export function limitOf(query: i32): f32 {
  return load<f32>(heads + <usize>query * 8, 4);
}

/** Takes over the lists as an earlier call left them. */
export function openLists(count: i32): void {
  for (let query = 0; query < count; query++) {
    const size = sizeOf(query);
    if (size > capacity) {
      setLimit(query, -Infinity);
      setMark(query, DEAD);
    } else {
      if (size < k) setLimit(query, NaN);
      setMark(query, nextMark(max(size, k)));
    }
  }
}

export function append(query: i32, index: u32, low: f32, high: f32): void {
  const mark = load<u32>(marks + <usize>query * 4);
  if (mark == DEAD) return;
  const size = sizeOf(query);
  store<u32>(candidates + (<usize>query * room + size) * 4, index);
  const interval = intervals + (<usize>query * room + size) * 8;
  store<f32>(interval, low);
  store<f32>(interval, high, 4);
  setSize(query, size + 1);
  if (size + 1 >= mark) cutDown(query);
}

/** Leaves every list as `knn.filter` promises it. */
export function closeLists(count: i32): void {
  for (let query = 0; query < count; query++) {
    if (load<u32>(marks + <usize>query * 4) == DEAD) continue;
    if (sizeOf(query) >= k) cutDown(query);
    else setLimit(query, Infinity);
  }
}

/** Cuts a list down, which must have at least k entries. */
function cutDown(query: i32): void {
  const size = sizeOf(query);
  const list = intervals + <usize>query * room * 8;
  for (let i: u32 = 0; i < size; i++) {
    store<u32>(scratch + <usize>i * 4, keyOfValue(load<f32>(list + <usize>i * 8, 4)));
  }
  const kth = kthSmallest(scratch, size, k);
  const kept = keepsAll ? keepAll(query, size, kth) : cut ? keepNearest(query, size, kth) : keepPossible(query, size, kth);
  setSize(query, kept);
  if (kept > capacity) {
    setLimit(query, -Infinity);
    setMark(query, DEAD);
  } else {
    setMark(query, nextMark(kept));
  }
}

function keepAll(query: i32, size: u32, kth: u32): u32 {
  setLimit(query, floatOfKey(kth));
  return size;
}

/** Keeps what may still be among the k nearest; returns the new size. */
function keepPossible(query: i32, size: u32, kth: u32): u32 {
  const list = intervals + <usize>query * room * 8;
  const limit = floatOfKey(kth);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < size; i++) {
    if (load<f32>(list + <usize>i * 8) > limit) continue;
    move(query, i, kept++);
  }
  setLimit(query, limit);
  return kept;
}

/** Keeps the k smallest values, of equal ones those of lowest index; returns k. */
function keepNearest(query: i32, size: u32, kth: u32): u32 {
  const list = intervals + <usize>query * room * 8;
  let ties = k;
  for (let i: u32 = 0; i < size; i++) {
    if (keyOfValue(load<f32>(list + <usize>i * 8, 4)) < kth) ties--;
  }
  let kept: u32 = 0;
  for (let i: u32 = 0; i < size; i++) {
    const key = keyOfValue(load<f32>(list + <usize>i * 8, 4));
    if (key > kth) continue;
    if (key == kth) {
      if (ties == 0) continue;
      ties--;
    }
    move(query, i, kept++);
  }
  setLimit(query, floatOfKey(kth));
  return kept;
}

@inline
function move(query: i32, from: u32, to: u32): void {
  const first = <usize>query * room;
  store<u32>(candidates + (first + to) * 4, load<u32>(candidates + (first + from) * 4));
  store<u64>(intervals + (first + to) * 8, load<u64>(intervals + (first + from) * 8));
}

/**
 * Returns the count at which to cut down next: half as many entries again as there are, so that cutting down
 * costs a few steps per entry appended. Keep-all lists are cut down after each k entries, since what came in
 * under an old limit stays.
 */
@inline
function nextMark(size: u32): u32 {
  if (keepsAll) return min(size + max<u32>(k, 16), capacity + 1);
  const mark = size + max<u32>(size >>> 1, 1);
  return cut ? mark : min(mark, capacity + 1);
}

@inline
function sizeOf(query: i32): u32 {
  return load<u32>(heads + <usize>query * 8);
}

@inline
function setSize(query: i32, size: u32): void {
  store<u32>(heads + <usize>query * 8, size);
}

@inline
function setLimit(query: i32, limit: f32): void {
  store<f32>(heads + <usize>query * 8, limit, 4);
}

@inline
function setMark(query: i32, mark: u32): void {
  store<u32>(marks + <usize>query * 4, mark);
}
