/**
 * Packs elements that were copied in to the left: those that flags say to keep, or the first of every run of
 * equal ones. Four lanes make a mask, and the mask picks the shuffle that moves its lanes to the front.
 */
import { isNaNBits } from "../../runtime/cpu/wasm/keys";

/**
 * These are the bytes of the lanes of every mask of four lanes, first to last. Bytes past them are never
 * used.
 */
// prettier-ignore
const PACKS: usize = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0,
  8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0,
  12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  4, 5, 6, 7, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 0, 0, 0, 0,
  8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0,
  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
], 16);

/** Writes the lanes of the mask; the next call overwrites what follows them. */
@inline
function pack(target: usize, lanes: v128, mask: i32): void {
  v128.store(target, i8x16.swizzle(lanes, v128.load(PACKS + (<usize>mask << 4))));
}

@inline
function bytesOf(mask: i32): usize {
  return <usize>popcnt(mask) << 2;
}

/** Counts the flags that are not 0. */
export function countFlags(flags: usize, wide: bool, count: i32): i32 {
  let kept = 0;
  const zero = i32x4.splat(0);
  const end = flags + (<usize>count << (wide ? 2 : 0));
  if (wide) {
    for (; flags + 16 <= end; flags += 16) kept += popcnt(i32x4.bitmask(i32x4.ne(v128.load(flags), zero)));
    for (; flags < end; flags += 4) kept += i32(load<u32>(flags) != 0);
    return kept;
  }
  while (flags + 16 <= end) {
    // A byte counts up to 255.
    const stop = min(end - 16, flags + 254 * 16);
    let bytes = i8x16.splat(0);
    for (; flags <= stop; flags += 16) bytes = i8x16.sub(bytes, i8x16.ne(v128.load(flags), zero));
    const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes));
    kept += i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1);
    kept += i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
  }
  for (; flags < end; flags++) kept += i32(load<u8>(flags) != 0);
  return kept;
}

/**
 * Packs the elements that are kept in place, so that the target is never ahead of the source, and returns
 * their number.
 */
export function keepFlagged(at: usize, flags: usize, wide: bool, count: i32): i32 {
  const begin = at;
  const end = at + (<usize>count << 2);
  let to = at;
  const zero = i32x4.splat(0);
  if (wide) {
    for (; at + 16 <= end; at += 16, flags += 16) {
      const mask = i32x4.bitmask(i32x4.ne(v128.load(flags), zero));
      pack(to, v128.load(at), mask);
      to += bytesOf(mask);
    }
  } else {
    for (; at + 64 <= end; at += 64, flags += 16) {
      const mask = i8x16.bitmask(i8x16.ne(v128.load(flags), zero));
      pack(to, v128.load(at), mask & 15);
      to += bytesOf(mask & 15);
      pack(to, v128.load(at, 16), (mask >> 4) & 15);
      to += bytesOf((mask >> 4) & 15);
      pack(to, v128.load(at, 32), (mask >> 8) & 15);
      to += bytesOf((mask >> 8) & 15);
      pack(to, v128.load(at, 48), mask >> 12);
      to += bytesOf(mask >> 12);
    }
  }
  for (; at < end; at += 4) {
    const kept = wide ? load<u32>(flags) != 0 : load<u8>(flags) != 0;
    store<i32>(to, load<i32>(at));
    to += kept ? 4 : 0;
    flags += wide ? 4 : 1;
  }
  return <i32>((to - begin) >> 2);
}

/** Returns a bit for each of 64 flags that is not 0. */
@inline
function mask64(flags: usize): u64 {
  const zero = i32x4.splat(0);
  const a = i8x16.bitmask(i8x16.ne(v128.load(flags), zero));
  const b = i8x16.bitmask(i8x16.ne(v128.load(flags, 16), zero));
  const c = i8x16.bitmask(i8x16.ne(v128.load(flags, 32), zero));
  const d = i8x16.bitmask(i8x16.ne(v128.load(flags, 48), zero));
  return <u64>(<u32>(a | (b << 16))) | (<u64>(<u32>(c | (d << 16))) << 32);
}

/**
 * Writes the numbers of the flags that are not 0, counted from `first` on, and returns how many there are.
 */
export function keepPlaces(flags: usize, wide: bool, count: i32, first: i32, target: usize): i32 {
  const begin = target;
  const zero = i32x4.splat(0);
  const lanes = i32x4(0, 1, 2, 3);
  let i = 0;
  if (wide) {
    for (; i + 4 <= count; i += 4) {
      const mask = i32x4.bitmask(i32x4.ne(v128.load(flags + (<usize>i << 2)), zero));
      pack(target, i32x4.add(i32x4.splat(first + i), lanes), mask);
      target += bytesOf(mask);
    }
  } else {
    for (; i + 64 <= count; i += 64) {
      let mask = mask64(flags + <usize>i);
      if (popcnt(mask) <= 2) {
        // Where few flags are set, both of two stores are made, and the next ones overwrite those too many:
        // there is no branch to mispredict.
        store<i32>(target, first + i + <i32>ctz(mask));
        target += mask != 0 ? 4 : 0;
        mask &= mask - 1;
        store<i32>(target, first + i + <i32>ctz(mask));
        target += mask != 0 ? 4 : 0;
        continue;
      }
      for (let at = first + i; mask != 0; mask >>= 4, at += 4) {
        const four = <i32>mask & 15;
        pack(target, i32x4.add(i32x4.splat(at), lanes), four);
        target += bytesOf(four);
      }
    }
  }
  for (; i < count; i++) {
    const kept = wide ? load<u32>(flags + (<usize>i << 2)) != 0 : load<u8>(flags + <usize>i) != 0;
    store<i32>(target, first + i);
    target += kept ? 4 : 0;
  }
  return <i32>((target - begin) >> 2);
}

/**
 * Packs the first elements of runs in place, and with `offsets` writes their numbers, counted from `first`
 * on.
 * @param before the bits of the element before the first one; with `begins` there is none, and the first
 *   begins a run
 */
export function keepHeads(
  at: usize,
  floats: bool,
  length: i32,
  begins: bool,
  before: i32,
  offsets: usize,
  first: i32,
): i32 {
  const begin = at;
  const end = at + (<usize>length << 2);
  let to = at;
  // These may be any bits but those of an element that equals the first.
  if (begins && length > 0) before = ~load<i32>(at) & (floats ? 0x7f7fffff : -1);
  let last = i32x4.splat(before);
  let numbers = i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
  const step = i32x4.splat(4);
  for (; at + 16 <= end; at += 16) {
    const here = v128.load(at);
    const previous = v128.shuffle<i32>(last, here, 3, 4, 5, 6);
    const mask = headMask(previous, here, floats);
    pack(to, here, mask);
    to += bytesOf(mask);
    if (offsets != 0) {
      pack(offsets, numbers, mask);
      offsets += bytesOf(mask);
      numbers = i32x4.add(numbers, step);
    }
    last = here;
  }
  before = i32x4.extract_lane(last, 3);
  for (; at < end; at += 4) {
    const bits = load<i32>(at);
    const differs = bits != before && !(floats && isNaNBits(bits) && isNaNBits(before));
    store<i32>(to, bits);
    if (offsets != 0) store<i32>(offsets, first + <i32>((at - begin) >> 2));
    if (differs) {
      to += 4;
      offsets += offsets != 0 ? 4 : 0;
    }
    before = bits;
  }
  return <i32>((to - begin) >> 2);
}

/** Returns the lanes that differ in a bit, unless both are NaN. */
@inline
function headMask(previous: v128, here: v128, floats: bool): i32 {
  let heads = i32x4.ne(previous, here);
  if (floats) {
    const numbers = v128.or(f32x4.eq(previous, previous), f32x4.eq(here, here));
    heads = v128.and(heads, numbers);
  }
  return i32x4.bitmask(heads);
}

/** Writes lengths[i] = offsets[i + 1] - offsets[i], the last one up to `end`. */
export function differences(offsets: usize, length: i32, end: i32, lengths: usize): void {
  if (length == 0) return;
  const last = offsets + (<usize>(length - 1) << 2);
  for (; offsets + 16 <= last; offsets += 16, lengths += 16) {
    v128.store(lengths, i32x4.sub(v128.load(offsets, 4), v128.load(offsets)));
  }
  for (; offsets < last; offsets += 4, lengths += 4) store<i32>(lengths, load<i32>(offsets, 4) - load<i32>(offsets));
  store<i32>(lengths, end - load<i32>(last));
}
