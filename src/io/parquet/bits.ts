/** Parquet's run-length and bit-packed hybrid: small whole numbers, such as definition levels and dictionary indices. */

/** What is wrong with a page; the reader adds file and place. */
export class PageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PageError";
  }
}

/**
 * `count` numbers of `width` bits (0 to 32) from bytes begin to end.
 * @throws PageError when the bytes hold fewer.
 */
export function decodeHybrid(
  bytes: Uint8Array,
  begin: number,
  end: number,
  width: number,
  count: number,
): Uint32Array {
  if (width > 32) throw new PageError(`numbers of ${width} bits; expected at most 32`);
  // Before there is room for them: a page may claim more numbers than it has.
  if (width > 0) eachRun(bytes, begin, end, width, count, () => undefined);
  const values = new Uint32Array(count);
  if (width === 0) return values;
  eachRun(bytes, begin, end, width, count, (at, done, run, packed) => {
    const into = values.subarray(done, done + run);
    if (packed) return void unpackBits(bytes, at, width, into);
    let value = 0;
    for (let byte = 0; byte < (width + 7) >> 3; byte++) value += bytes[at + byte] * 2 ** (8 * byte);
    into.fill(value);
  });
  return values;
}

/**
 * Walks the runs of `count` numbers: where the bytes of a run begin, how many numbers come before it, how many it has, and whether they
 * are packed or one for all.
 */
function eachRun(
  bytes: Uint8Array,
  begin: number,
  end: number,
  width: number,
  count: number,
  onRun: (at: number, done: number, run: number, packed: boolean) => void,
): void {
  let at = begin;
  let done = 0;
  while (done < count) {
    let header = 0;
    for (let shift = 0, next = 0x80; next >= 0x80; shift += 7) {
      if (at >= end || shift > 28) throw new PageError("its runs end early");
      next = bytes[at++];
      header += (next & 0x7f) * 2 ** shift;
    }
    const length = Math.floor(header / 2);
    if (length === 0) throw new PageError("a run is empty");
    const packed = header % 2 === 1;
    const run = Math.min(packed ? 8 * length : length, count - done);
    const needed = packed ? Math.ceil((run * width) / 8) : (width + 7) >> 3;
    if (needed > end - at) throw new PageError("its runs end early");
    onRun(at, done, run, packed);
    done += run;
    at += packed ? length * width : needed;
  }
}

/** Fills `values` with numbers of `width` bits (0 to 32), the lowest bits of each byte first. */
export function unpackBits(
  bytes: Uint8Array,
  begin: number,
  width: number,
  values: Uint32Array,
): Uint32Array {
  const mask = 2 ** width;
  let at = begin;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < values.length; i++) {
    // Below 2^53: at most 31 bits are held when a byte is added.
    while (held < width) {
      bits += bytes[at++] * 2 ** held;
      held += 8;
    }
    values[i] = bits % mask;
    bits = Math.floor(bits / mask);
    held -= width;
  }
  return values;
}
