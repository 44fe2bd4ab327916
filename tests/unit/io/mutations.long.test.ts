/** 30,000 damaged files per reader; mutations.test.ts says what is checked. */
import { expect, it } from "vitest";
import { printedSeed } from "../../oracle/random.ts";
import { tryMutations } from "./mutate.ts";
import { mutationCases } from "./mutationCases.ts";

const COUNT = 30_000;
const seed = printedSeed();

it.each(mutationCases.map((each) => [each.name, each] as const))(
  `reads or refuses each of ${COUNT} damaged files: %s`,
  async (name, each) => {
    const { failures, read, refused } = await tryMutations(each, seed, COUNT, {
      milliseconds: 500,
      bytes: 2 ** 23,
    });
    expect(failures).toEqual([]);
    console.log(`${name}: ${read} read, ${refused} refused`);
  },
);
