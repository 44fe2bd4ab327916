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
  const values = new Uint32Array(count);
  if (width === 0) return values;
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
    if (header % 2 === 1) {
      const run = Math.min(8 * length, count - done);
      if (Math.ceil((run * width) / 8) > end - at) throw new PageError("its runs end early");
      unpackBits(bytes, at, width, values.subarray(done, done + run));
      done += run;
      at += length * width;
    } else {
      const bytesPerValue = (width + 7) >> 3;
      if (bytesPerValue > end - at) throw new PageError("its runs end early");
      let value = 0;
      for (let byte = 0; byte < bytesPerValue; byte++) value += bytes[at++] * 2 ** (8 * byte);
      const run = Math.min(length, count - done);
      values.fill(value, done, done + run);
      done += run;
    }
  }
  return values;
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
