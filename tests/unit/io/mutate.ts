/**
 * Damaged and hostile files, made from valid ones by seeded mutation, and what every reader owes them: it
 * reads them or throws an InvalidInputError, soon and without taking memory that the bytes do not justify,
 * and the same whether the bytes are in memory, in pieces or in a pipe. Nothing here knows a format.
 *
 * To add a reader, add a case to mutationCases.ts: small valid files that between them use every branch of
 * the format, tokens that mean something in it, and a `read` that returns a text of all that was read. The
 * normal suite then tries some hundred mutations of it (mutations.test.ts), the long one 30,000
 * (mutations.long.test.ts). A failure prints the seed and the number of the file; `mutated(case, seed,
 * number)` makes it again.
 */
import { InvalidInputError } from "../../../src/core/errors.ts";
import { bytesSource, type ByteSource } from "../../../src/io/bytes/source.ts";
import { Random } from "../../oracle/random.ts";
import { inPieces, pipe } from "./csv/helpers.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

export interface MutationCase {
  readonly name: string;
  readonly valid: readonly Bytes[];
  /** Put in somewhere: numbers, keywords, magic, quotes. */
  readonly tokens: readonly (string | Bytes)[];
  /** Places of which every byte is tried with every value, since one of them once was read badly. */
  readonly sweeps?: readonly Sweep[];
  /**
   * Reads everything. The text is the same for the same contents, and its reading must not depend on the
   * source.
   */
  read(source: ByteSource): Promise<string>;
}

export interface Sweep {
  readonly bytes: Bytes;
  readonly begin: number;
  /** Exclusive. */
  readonly end: number;
}

export interface Limits {
  /** Of the processor, so that a busy machine does not matter. */
  readonly milliseconds: number;
  /** Of array buffers beyond those of the file itself. */
  readonly bytes: number;
}

export interface MutationReport {
  readonly read: number;
  readonly refused: number;
  /** One text per file that was treated badly, enough to make it again. */
  readonly failures: readonly string[];
}

/** Nothing settles so late; a promise that never does is told from one that is slow. */
const SETTLED_BY_MS = 20_000;
const FAILURES_SHOWN = 5;

export async function tryMutations(
  each: MutationCase,
  seed: number,
  count: number,
  limits: Limits,
): Promise<MutationReport> {
  const failures: string[] = [];
  let refused = 0;
  for (let number = 0; number < count && failures.length < FAILURES_SHOWN; number++) {
    const bytes = mutated(each, seed, number);
    const random = new Random(seed + number);
    const first = await attempt(each, bytesSource(bytes, "x.bin"), limits);
    const second = await attempt(each, anySource(bytes, random), limits);
    if (first.outcome === "refused") refused++;
    const fault = first.fault ?? second.fault ?? difference(first, second);
    if (fault === undefined) continue;
    const hex = Buffer.from(bytes.subarray(0, 400)).toString("hex");
    failures.push(`${each.name}, NEARFIELD_SEED=${seed}, file ${number}: ${fault}\n${hex}`);
  }
  return { read: count - refused, refused, failures };
}

/** File `number` of a seed: the same on every machine. */
export function mutated({ valid, tokens }: MutationCase, seed: number, number: number): Bytes {
  const random = new Random(seed * 31 + number);
  let bytes = random.pick(valid).slice();
  const changes = random.pick([1, 1, 1, 2, 3, 4]);
  for (let change = 0; change < changes; change++) {
    bytes = new Uint8Array(random.pick(MUTATIONS)(bytes, random, random.pick(valid), tokens));
  }
  return bytes;
}

/** Tries every value of every byte of a sweep, from memory. */
export async function trySweep(
  each: MutationCase,
  { bytes, begin, end }: Sweep,
  limits: Limits,
): Promise<MutationReport> {
  const failures: string[] = [];
  let [read, refused] = [0, 0];
  for (let at = begin; at < end; at++) {
    for (let value = 0; value < 256 && failures.length < FAILURES_SHOWN; value++) {
      const changed = bytes.slice();
      changed[at] = value;
      const { outcome, fault } = await attempt(each, bytesSource(changed, "x.bin"), limits);
      if (outcome === "refused") refused++;
      else read++;
      if (fault !== undefined) failures.push(`${each.name}, byte ${at} as ${value}: ${fault}`);
    }
  }
  return { read, refused, failures };
}

interface Attempt {
  readonly outcome: "read" | "refused" | "wrong";
  readonly text: string;
  readonly fault?: string;
}

async function attempt(each: MutationCase, source: ByteSource, limits: Limits): Promise<Attempt> {
  const memory = process.memoryUsage().arrayBuffers;
  const cpu = process.cpuUsage();
  const result = await settled(each.read(source));
  const { user, system } = process.cpuUsage(cpu);
  const taken = process.memoryUsage().arrayBuffers - memory;
  const milliseconds = (user + system) / 1000;
  if (result.outcome === "wrong") return { ...result, fault: result.text };
  if (milliseconds > limits.milliseconds) return { ...result, fault: `took ${milliseconds} ms` };
  if (taken > limits.bytes) return { ...result, fault: `took ${taken} bytes` };
  return result;
}

async function settled(reading: Promise<string>): Promise<Attempt> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("never settled")), SETTLED_BY_MS);
  });
  try {
    return { outcome: "read", text: await Promise.race([reading, late]) };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) {
      return { outcome: "wrong", text: error instanceof Error ? String(error.stack) : String(error) };
    }
    // A table without rows has no place to name, a column of another type no other than itself.
    const located =
      /byte \d+|line \d+|row \d+|is empty|no rows|no objects|neither numbers nor texts|nested values/.test(
        error.message,
      );
    return located
      ? { outcome: "refused", text: error.message }
      : { outcome: "wrong", text: `names no byte, line or row: ${error.message}` };
  } finally {
    clearTimeout(timer);
  }
}

function difference(a: Attempt, b: Attempt): string | undefined {
  if (a.outcome === b.outcome && (a.outcome === "refused" || a.text === b.text)) return undefined;
  return `${a.outcome} from memory, ${b.outcome} from elsewhere: ${a.text} / ${b.text}`;
}

function anySource(bytes: Bytes, random: Random): ByteSource {
  const size = random.pick([1, 7, 64, 1 + random.int(0, bytes.length + 1)]);
  return random.pick([inPieces, pipe])(bytes, size, "x.bin");
}

type Mutation = (
  bytes: Bytes,
  random: Random,
  other: Bytes,
  tokens: MutationCase["tokens"],
) => Uint8Array | number[];

/** Mostly in the first bytes, where headers are, or in the last, where they are not. */
function anywhere(bytes: Bytes, random: Random): number {
  const begin = random.pick([0, 0, 0, Math.max(0, bytes.length - 48)]);
  const length = bytes.length - begin;
  return begin + random.int(0, 1 + random.pick([length, Math.min(96, length)]));
}

const replaced = (bytes: Bytes, begin: number, end: number, by: Uint8Array): Uint8Array =>
  Buffer.concat([bytes.subarray(0, begin), by, bytes.subarray(Math.max(begin, end))]);

const INTERESTING = [
  0n,
  1n,
  -1n,
  127n,
  128n,
  255n,
  65_535n,
  2n ** 31n - 1n,
  -(2n ** 31n),
  2n ** 53n,
  2n ** 60n,
];

const flipBit: Mutation = (bytes, random) => {
  if (bytes.length > 0) bytes[Math.min(anywhere(bytes, random), bytes.length - 1)] ^= 1 << random.int(0, 8);
  return bytes;
};

const anyByte: Mutation = (bytes, random) => {
  const at = anywhere(bytes, random);
  return replaced(bytes, at, at + 1, Uint8Array.of(random.int(0, 256)));
};

const integer: Mutation = (bytes, random) => {
  const size = random.pick([1, 2, 4, 8]);
  const view = new DataView(new ArrayBuffer(8));
  const near = BigInt(bytes.length) + BigInt(random.int(-2, 3));
  view.setBigInt64(0, random.pick([...INTERESTING, near]), true);
  const little = new Uint8Array(view.buffer, 0, size);
  const at = anywhere(bytes, random);
  return replaced(bytes, at, at + size, random.bits() % 2 === 0 ? little : little.slice().reverse());
};

const token: Mutation = (bytes, random, _, tokens) => {
  const chosen = random.pick(tokens);
  const put = typeof chosen === "string" ? new TextEncoder().encode(chosen) : chosen;
  const at = anywhere(bytes, random);
  return replaced(bytes, at, at + random.pick([0, 0, 1, put.length]), put);
};

const digit: Mutation = (bytes, random) => {
  const digits = [...bytes.keys()].filter((at) => bytes[at] >= 0x30 && bytes[at] <= 0x39);
  if (digits.length > 0) bytes[random.pick(digits)] = 0x30 + random.int(0, 10);
  return bytes;
};

const truncate: Mutation = (bytes, random) => bytes.subarray(0, anywhere(bytes, random));

const extend: Mutation = (bytes, random) =>
  replaced(
    bytes,
    bytes.length,
    bytes.length,
    Uint8Array.from({ length: random.int(1, 40) }, random.pick([() => 0, () => random.bits()])),
  );

const remove: Mutation = (bytes, random) => {
  const at = anywhere(bytes, random);
  return replaced(bytes, at, at + random.int(1, 20), new Uint8Array(0));
};

const repeat: Mutation = (bytes, random) => {
  const at = anywhere(bytes, random);
  return replaced(bytes, at, at, bytes.slice(at, at + random.int(1, 40)));
};

const splice: Mutation = (bytes, random, other) =>
  replaced(bytes, anywhere(bytes, random), bytes.length, other.subarray(anywhere(other, random)));

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  anyByte,
  integer,
  integer,
  token,
  token,
  digit,
  truncate,
  extend,
  remove,
  repeat,
  splice,
];
