/**
 * sort(), argsort() and sortPairs() of long rows on a CPU, in arrays that begin at even and odd words, in
 * shared memory and not, against the naive oracle: keys go through the module's memory in chunks and buckets,
 * which lie there as they do outside.
 */
import { expect, it } from "vitest";
import { argsort, Device, sort, sortPairs } from "../../../dist/node.js";
import { printedSeed, Random } from "../../oracle/random.ts";
import { naiveOrder } from "../../oracle/sort.ts";

const seed = printedSeed();
const count = 400_003;
const constructors = { u32: Uint32Array, f32: Float32Array, f64: Float64Array } as const;
const cases: readonly (readonly [keyof typeof constructors, number, number, "shared" | "plain"])[] = [
  ["u32", 1, 1, "shared"],
  ["u32", 0, 1, "plain"],
  ["f32", 1, 0, "shared"],
  ["f64", 0, 1, "shared"],
];

it.each(cases)("sorts %s keys from word %i on, values from %i on, in %s arrays", async (...given) => {
  const [type, place, beside, kind] = given;
  const random = new Random(seed);
  const device = await Device.create({ backend: "cpu", threads: 1 });
  const memory = (bytes: number) =>
    (kind === "shared" ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)) as ArrayBuffer;
  // All types have the calls that the keys of one have.
  const Keys = constructors[type] as typeof Float64Array;
  const keysAt = () => new Keys(memory((count + 2) * Keys.BYTES_PER_ELEMENT)).subarray(place);
  const valuesAt = () => new Uint32Array(memory((count + 2) * 4)).subarray(beside);
  try {
    // Some keys are equal, and few bits differ among most of them, so that buckets are uneven.
    const drawn = Keys.from({ length: count }, () =>
      type === "u32" ? random.int(0, 2 ** (random.int(0, 4) === 0 ? 32 : 24)) : random.int(-1e5, 1e5) / 16,
    );
    const [keys, values] = [keysAt().subarray(0, count), valuesAt().subarray(0, count)];
    keys.set(drawn);
    values.set(Uint32Array.from({ length: count }, (_, at) => at ^ 5));
    const places = Uint32Array.from(naiveOrder(drawn, {}));
    const sorted = Keys.from(places, (at) => drawn[at]);
    const [out, outValues] = [keysAt().fill(1), valuesAt().fill(1)];
    const check = (found: ArrayLike<number>, expected: ArrayLike<number>, what: string) => {
      const wrong = Array.prototype.findIndex.call(expected, (value, at) => !Object.is(value, found[at]));
      expect(wrong, what).toBe(-1);
    };
    await sort(keys, { out, device });
    check(out, sorted, "sort");
    check(
      out.subarray(count),
      Keys.from({ length: 2 - place }, () => 1),
      "past the keys",
    );
    await argsort(keys, { out: outValues, device });
    check(outValues, places, "argsort");
    await sortPairs(keys, values, { out: { keys: out.fill(0), values: outValues.fill(1) }, device });
    check(out, sorted, "keys of pairs");
    check(
      outValues,
      places.map((at) => at ^ 5),
      "values of pairs",
    );
    check(outValues.subarray(count), new Uint32Array(2 - beside).fill(1), "past the values");
  } finally {
    device.dispose();
  }
});
