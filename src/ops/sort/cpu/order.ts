/**
 * These are the order of keys as the WASM module takes it, the module's functions, and the parts of its
 * memory that sorting uses. What is done with them is runs.ts and cpu.ts.
 */
import type { Address } from "../../../runtime/cpu/buffers.ts";
import { REST_BYTES, type ArrayWasm } from "../../../runtime/cpu/arrayWasm.ts";
import { flips, isFloat, keyWords, type SortParams } from "../contract.ts";

/** These arguments say what the ordinals of keys are. */
export type OrderArguments = readonly [wide: boolean, floats: boolean, low: number, high: number];

/** These are the functions in wasm.ts. Places are bytes of the module's memory. */
export interface SortKernels {
  sortSpread(at: number, count: number, ...rest: [...OrderArguments, result: number, begin: boolean]): void;
  sortCount(at: number, count: number, ...rest: [...OrderArguments, ...DigitArguments]): void;
  sortCountTwo(
    at: number,
    count: number,
    ...rest: [...OrderArguments, ...DigitArguments, ...DigitArguments]
  ): void;
  sortPlaces(count: number, bits: number, counters: number): number;
  sortMove(
    at: number,
    to: number,
    values: number,
    toValues: number,
    count: number,
    ...rest: [...OrderArguments, ...DigitArguments]
  ): void;
  sortFew(
    at: number,
    values: number,
    count: number,
    ...rest: [...OrderArguments, maskLow: number, maskHigh: number]
  ): void;
}

type DigitArguments = [shift: number, bits: number, to: number];
/** Keys have addresses, and so have the words that they carry. */
export interface Addresses {
  readonly keys: Address;
  /** It is undefined where keys carry nothing, or their own places. */
  readonly values: Address | undefined;
}

/** Keys compare by bits [begin, end) of their ordinals. */
export interface KeyOrder {
  readonly words: 1 | 2;
  readonly arguments: OrderArguments;
  readonly begin: number;
  readonly end: number;
}

export function orderOf(params: SortParams): KeyOrder {
  const words = keyWords(params.type);
  const { low, high } = flips(params);
  const { beginBit: begin, endBit: end, type } = params;
  return { words, arguments: [words === 2, isFloat(type), low, high], begin, end };
}

/** A digit has at most this many bits. */
export const MOST_BITS = 11;
/** Counters take so many bytes: there is one for each value of a digit, of two digits. */
export const COUNTER_BYTES = 2 * (4 << MOST_BITS);

/**
 * There are two rooms for keys and two for values in the rest of the module's memory, behind the counters.
 */
export interface Rooms {
  readonly counters: number;
  /** Each room holds so many keys. */
  readonly size: number;
  readonly keys: readonly [number, number];
  /** They are zeros where keys carry nothing. */
  readonly values: readonly [number, number];
}

/** Returns how many keys are sorted in the module's memory at a time; a room holds a few more. */
export function roomSize(words: 1 | 2, carries: boolean): number {
  const bytes = REST_BYTES - COUNTER_BYTES;
  return Math.floor(bytes / (2 * 4 * (words + (carries ? 1 : 0))) / 4) * 4 - 4;
}

export function roomsIn({ rest }: ArrayWasm<SortKernels>, words: 1 | 2, carries: boolean): Rooms {
  const size = roomSize(words, carries);
  const whole = size + 4;
  const first = rest.at + COUNTER_BYTES;
  const keys = [first, first + whole * words * 4] as const;
  const behind = first + 2 * whole * words * 4;
  return { counters: rest.at, size, keys, values: carries ? [behind, behind + whole * 4] : [0, 0] };
}

/**
 * Returns rooms in which keys and values lie as those from key `at` on do outside: V8 copies from and to
 * shared memory in words of 64 bits where both sides lie alike in them, else byte by byte.
 */
export function skewed(rooms: Rooms, { keys, values }: Addresses, at: number, words: 1 | 2): Rooms {
  const moved = (room: readonly [number, number], skew: number) => [room[0] + skew, room[1] + skew] as const;
  return {
    ...rooms,
    keys: moved(rooms.keys, skewOf(keys, at * words)),
    values: values ? moved(rooms.values, skewOf(values, at)) : rooms.values,
  };
}

/** Returns the bytes by which a word of an array lies behind a multiple of eight. */
export function skewOf({ byteOffset }: Address, at: number): 0 | 4 {
  return ((byteOffset / 4 + at) & 1) === 1 ? 4 : 0;
}

/** Views words from an address of the module's memory on. */
export function areaOf({ rest }: ArrayWasm<SortKernels>, at: number, words: number): Uint32Array {
  const first = (at - rest.at) / 4;
  return rest.words.subarray(first, first + words);
}
