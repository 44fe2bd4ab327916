/** This module checks the arguments of sort, argsort and sortPairs, and makes parameters of them. */
import { InvalidInputError } from "../../core/errors.ts";
import { checkApart, MAX_COUNT, typeNameOf } from "../../runtime/arrayArguments.ts";
import { keyTypes, keyWords, type KeyArray, type KeyType, type SortParams } from "./contract.ts";
import { plural } from "../../core/plural.ts";

/** Arrays of these types hold the keys, in the order of `keyTypes`. */
const arrays = [Uint32Array, Int32Array, Float32Array, BigUint64Array, BigInt64Array, Float64Array] as const;

/** @throws InvalidInputError for what holds no keys */
export function keyTypeOf(keys: unknown): KeyType {
  const type = keyTypes[arrays.findIndex((array) => keys instanceof array)];
  if (type) return type;
  throw new InvalidInputError(
    `keys is of type ${typeNameOf(keys)}; expected a Uint32Array, Int32Array, Float32Array, BigUint64Array, ` +
      "BigInt64Array or Float64Array",
  );
}

export function newKeys(type: KeyType, count: number, shared = false): KeyArray {
  const Keys = arrays[keyTypes.indexOf(type)];
  if (!shared) return new Keys(count);
  const memory = new SharedArrayBuffer(count * Keys.BYTES_PER_ELEMENT);
  return new (Keys as new (memory: SharedArrayBuffer) => KeyArray)(memory);
}

/** Results are written to typed arrays. */
type ResultArray = ArrayBufferView & {
  readonly length: number;
  subarray(begin: number, end: number): ResultArray;
};

/**
 * Returns the part of `out` that a result fills, or a new array.
 * @throws InvalidInputError when it is of another type than `like`, too short, or not apart from the inputs
 */
export function resultLike<A extends ResultArray>(
  out: A | undefined,
  like: A,
  count: number,
  inputs: Readonly<Record<string, ArrayBufferView>>,
  name = "out",
): A {
  const Type = like.constructor as unknown as { new (count: number): A; readonly name: string };
  if (out === undefined) return new Type(count);
  if (out?.constructor !== Type || out.length < count) {
    const given = ArrayBuffer.isView(out)
      ? `a ${typeNameOf(out)} of ${plural(out.length, "element")}`
      : String(out);
    throw new InvalidInputError(`${name} is ${given}; expected a ${Type.name} of at least ${count}`);
  }
  const room = out.subarray(0, count) as A;
  for (const [other, input] of Object.entries(inputs)) checkApart(room, input, other, name);
  return room;
}

/** These options become parameters. */
interface GivenOptions {
  readonly descending?: boolean | undefined;
  readonly rows?: number | undefined;
  readonly offsets?: Uint32Array | undefined;
  readonly beginBit?: number | undefined;
  readonly endBit?: number | undefined;
}

/** @throws InvalidInputError for rows or bits that there cannot be */
export function paramsOf(keys: KeyArray, given: GivenOptions): Omit<SortParams, "values"> {
  const type = keyTypeOf(keys);
  const count = keys.length;
  if (count > MAX_COUNT) {
    throw new InvalidInputError(
      `keys has ${count} elements; expected at most ${MAX_COUNT}. Sort subarrays of it, one after the other`,
    );
  }
  const { descending = false, offsets, beginBit = 0, endBit = 32 * keyWords(type) } = given;
  checkBits(type, beginBit, endBit);
  const rows = offsets ? offsetRows(offsets, count, given.rows) : checkRows(given.rows ?? 1, count);
  return { type, count, rows, offsets, descending, beginBit, endBit };
}

function checkBits(type: KeyType, begin: number, end: number): void {
  const all = 32 * keyWords(type);
  const isIn = (bit: number) => Number.isInteger(bit) && bit >= 0 && bit <= all;
  if (isIn(begin) && isIn(end) && begin <= end) return;
  throw new InvalidInputError(
    `beginBit is ${begin} and endBit is ${end}; expected whole numbers with 0 <= beginBit <= endBit <= ${all} for keys ` +
      `of type ${type}`,
  );
}

function checkRows(rows: number, count: number): number {
  const divides = rows === 0 ? count === 0 : count % rows === 0;
  if (Number.isInteger(rows) && rows >= 0 && rows <= MAX_COUNT && divides) return rows;
  throw new InvalidInputError(
    `rows is ${rows}, but keys has ${plural(count, "element")}; expected a number of at most ${MAX_COUNT} that divides it`,
  );
}

/**
 * Returns how many rows there are by offsets.
 * @throws InvalidInputError unless they ascend from 0 to the count
 */
export function offsetRows(offsets: Uint32Array, count: number, rows: number | undefined): number {
  if (!(offsets instanceof Uint32Array)) {
    throw new InvalidInputError(`offsets is of type ${typeNameOf(offsets)}; expected a Uint32Array`);
  }
  if (rows !== undefined) {
    throw new InvalidInputError("rows and offsets are both given; expected one of them");
  }
  const wrong = (what: string): never => {
    throw new InvalidInputError(
      `offsets ${what}; expected places that ascend from 0 to the ${plural(count, "element")} of keys`,
    );
  };
  const last = offsets.length - 1;
  if (last < 0) wrong("is empty");
  if (offsets[0] !== 0) wrong(`begins with ${offsets[0]}`);
  if (offsets[last] !== count) wrong(`ends with ${offsets[last]}`);
  for (let at = 1; at <= last; at++) {
    if (offsets[at] < offsets[at - 1]) wrong(`has ${offsets[at]} behind ${offsets[at - 1]}, at ${at}`);
  }
  return last;
}
