/**
 * A stable order of keys by comparing two at a time, and one by the bits of whole numbers that stand for
 * them. Shares no code with src/.
 */

export type Keys =
  | Uint32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | BigUint64Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

export interface Order {
  readonly descending?: boolean;
  /** Bits of the ordinals that count; default all. */
  readonly bits?: readonly [begin: number, end: number];
  /** Where segments begin, and where the last one ends; default all keys are one. */
  readonly offsets?: ArrayLike<number>;
}

/** The places that the keys come from, in sorted order: of the whole array, whatever the segments. */
export function naiveOrder(keys: Keys, { descending = false, bits, offsets }: Order): number[] {
  const bounds = offsets ? Array.from(offsets) : [0, keys.length];
  const compare = bits ? byBits(keys, descending, bits) : byValue(keys, descending);
  return bounds.slice(1).flatMap((end, at) => {
    const places = Array.from({ length: end - bounds[at] }, (_, i) => bounds[at] + i);
    return places.sort((a, b) => compare(a, b) || a - b);
  });
}

type Compare = (a: number, b: number) => number;

function byValue(keys: Keys, descending: boolean): Compare {
  return (a, b) => {
    const [x, y] = [keys[a], keys[b]];
    const [xIsNaN, yIsNaN] = [x !== x, y !== y];
    if (xIsNaN || yIsNaN) return Number(xIsNaN) - Number(yIsNaN);
    const order = x < y ? -1 : x > y ? 1 : zeroSign(x) - zeroSign(y);
    return descending ? -order : order;
  };
}

function zeroSign(value: number | bigint): number {
  return Object.is(value, -0) ? -1 : 0;
}

/** Ordinals as the contract says them, in arithmetic without a limit. */
function byBits(keys: Keys, descending: boolean, [begin, end]: readonly [number, number]): Compare {
  const width = keys.BYTES_PER_ELEMENT * 8;
  const all = (1n << BigInt(width)) - 1n;
  const half = 1n << BigInt(width - 1);
  const raw = width === 64 ? new BigUint64Array(keys.buffer) : new Uint32Array(keys.buffer);
  const ordinals = Array.from<number | bigint, bigint>(keys as Iterable<number | bigint>, (key, at) => {
    if (key !== key) return all;
    const word = BigInt(raw[at]);
    let ordinal = word;
    if (keys instanceof Int32Array || keys instanceof BigInt64Array) ordinal = BigInt(key) + half;
    else if (keys instanceof Float32Array || keys instanceof Float64Array)
      ordinal = word >= half ? all - word : word + half;
    return descending ? all - ordinal : ordinal;
  });
  const part = (at: number) => (ordinals[at] >> BigInt(begin)) % (1n << BigInt(end - begin));
  return (a, b) => (part(a) < part(b) ? -1 : part(a) > part(b) ? 1 : 0);
}
