/** A few hundred damaged files per reader; mutations.long.test.ts tries 30,000. */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { bytesSource } from "../../../src/io/bytes/source.ts";
import { printedSeed } from "../../oracle/random.ts";
import { mutated, tryMutations, trySweep, type Limits, type MutationCase } from "./mutate.ts";
import { mutationCases } from "./mutationCases.ts";

const COUNT = 300;
/** The largest piece a reader may take at once is 4 MiB; the files have some hundred bytes. */
const limits: Limits = { milliseconds: 500, bytes: 2 ** 23 };
const seed = printedSeed();

describe("a damaged file is read or refused with its place, soon, in little memory, from every source alike", () => {
  it.each(mutationCases.map((each) => [each.name, each] as const))("%s", async (_, each) => {
    const { failures, read, refused } = await tryMutations(each, seed, COUNT, limits);
    expect(failures).toEqual([]);
    expect(refused).toBeGreaterThan(COUNT / 10);
    expect(read).toBeGreaterThan(0);
  });

  it.each(mutationCases.map((each) => [each.name, each] as const))(
    "%s: valid files are read",
    async (_, each) => {
      for (const bytes of each.valid) {
        await expect(each.read(bytesSource(bytes, "x.bin"))).resolves.not.toBe("");
      }
    },
  );
});

describe("a damaged file that once took long", () => {
  it("is refused at once: decimals of Arrow with more digits than any has", async () => {
    const arrow = mutationCases.find(({ name }) => name === "arrow")!;
    const source = bytesSource(mutated(arrow, 109897599705221, 291), "x.arrow");
    await expect(arrow.read(source)).rejects.toThrow(
      /has -?\d+ digits after the point; Arrow's have at most 76/,
    );
  });
});

describe("a file with one byte changed where it once mattered is read or refused, soon, in little memory", () => {
  const sweeps = mutationCases.flatMap((each) => (each.sweeps ?? []).map((sweep) => ({ each, sweep })));
  it.each(sweeps)("$each.name, bytes $sweep.begin to $sweep.end", async ({ each, sweep }) => {
    const { failures, read, refused } = await trySweep(each, sweep, limits);
    expect(failures).toEqual([]);
    expect(read).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(200 * (sweep.end - sweep.begin));
  });
});

describe("the harness", () => {
  const reader = (read: MutationCase["read"]): MutationCase => ({
    name: "test",
    valid: [Uint8Array.of(1, 2, 3)],
    tokens: ["x"],
    read,
  });
  const failuresOf = async (read: MutationCase["read"], some: Partial<Limits> = {}) =>
    (await tryMutations(reader(read), seed, 3, { ...limits, ...some })).failures;

  it("makes the same files from the same seed", () => {
    const [first] = mutationCases;
    expect(mutated(first, 5, 17)).toEqual(mutated(first, 5, 17));
    expect(mutated(first, 5, 17)).not.toEqual(mutated(first, 5, 18));
  });

  it("lets a reader pass that reads or refuses", async () => {
    expect(await failuresOf(() => Promise.resolve("read"))).toEqual([]);
    expect(await failuresOf(() => Promise.reject(new InvalidInputError("byte 3: bad")))).toEqual([]);
  });

  it("catches another error, a refusal without a place, and a source that matters", async () => {
    expect(await failuresOf(() => Promise.reject(new RangeError("invalid length")))).toHaveLength(3);
    expect(await failuresOf(() => Promise.reject(new InvalidInputError("bad")))).toHaveLength(3);
    let calls = 0;
    expect(await failuresOf(() => Promise.resolve(String(calls++)))).toHaveLength(3);
  });

  it("catches memory and time beyond the limits", async () => {
    const hold: Uint8Array[] = [];
    const greedy = () => Promise.resolve(String(hold.push(new Uint8Array(2 ** 24)) > 0));
    expect(await failuresOf(greedy)).toHaveLength(3);
    const slow = () => {
      const end = performance.now() + 30;
      while (performance.now() < end);
      return Promise.resolve("slow");
    };
    expect(await failuresOf(slow, { milliseconds: 5 })).toHaveLength(3);
  });
});
