/**
 * Finds the k-th smallest of a list of keys. It does not sort: the list is only partly ordered afterwards.
 */

let seed: u32 = 1;

/**
 * Returns the k-th smallest (from 1) of `size` keys, which it reorders. Pivots are drawn at random, so that
 * no input is slow.
 */
export function kthSmallest(keys: usize, size: u32, k: u32): u32 {
  const at = keys + <usize>(k - 1) * 4;
  let left = keys;
  let right = keys + <usize>(size - 1) * 4;
  while (left < right) {
    seed = seed * 1664525 + 1013904223;
    const span = <u64>((right - left) >>> 2) + 1;
    const pivot = load<u32>(left + <usize>((<u64>seed * span) >>> 32) * 4);
    let i = left;
    let j = right;
    while (i <= j) {
      while (load<u32>(i) < pivot) i += 4;
      while (load<u32>(j) > pivot) j -= 4;
      if (i <= j) {
        const swapped = load<u32>(i);
        store<u32>(i, load<u32>(j));
        store<u32>(j, swapped);
        i += 4;
        j -= 4;
      }
    }
    if (at <= j) right = j;
    else if (at >= i) left = i;
    else break;
  }
  return load<u32>(at);
}
