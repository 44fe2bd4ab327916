/** Inputs with runs, for unique and runLength. Runs anywhere. */
import type { Random } from "../oracle/random.ts";
import type { Elements } from "./arrays/elementInputs.ts";
import { elementInputs } from "./arrays/elementInputs.ts";

export interface RunInput {
  /** Completes "of ...". */
  readonly name: string;
  make(random: Random, length: number): Elements;
}

/** The elements of another input, each repeated a few times, or `long` times now and then. */
function repeated(make: RunInput["make"], long: number): RunInput["make"] {
  return (random, length) => {
    const from = make(random, length);
    const [words, to] = [new Uint32Array(from.buffer), new Uint32Array(length)];
    for (let at = 0, next = 0; at < length; next++) {
      const run = random.int(0, 50) === 0 ? long : random.int(1, 4);
      to.fill(words[next], at, at + run);
      at += run;
    }
    words.set(to);
    return from;
  };
}

const nameOf = (name: string) => elementInputs.find((input) => input.name === name)!.make;

/** Bits that are neighbours of a NaN's, of a zero's and of infinity's. */
const hardBits = [0x7fc00000, 0xffc00001, 0x7f800001, 0xffffffff, 0x7f800000, 0xff800000, 0, 0x80000000, 1];

export const runInputs: readonly RunInput[] = [
  ...elementInputs,
  { name: "short and long runs of u32", make: repeated(nameOf("random u32"), 5000) },
  { name: "runs of small i32", make: repeated(nameOf("small i32"), 100) },
  {
    name: "NaN with different bits, zeros and infinities beside each other",
    make: (random, length) =>
      new Float32Array(Uint32Array.from({ length }, () => random.pick(hardBits)).buffer),
  },
  {
    name: "the same odd bits as u32",
    make: (random, length) => Uint32Array.from({ length }, () => random.pick(hardBits)),
  },
];
