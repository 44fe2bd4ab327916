/**
 * This module says whether a fuzzed case is answered as the oracle says, and what to tell where it is not.
 */
import { inspect } from "node:util";
import { InvalidInputError, OutOfMemoryError } from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";
import type { BackendName } from "../helpers.ts";
import { answerOf } from "./calls.ts";
import { fuzzCase } from "./cases.ts";
import type { FuzzCase } from "./cases.ts";
import { expectedOf } from "./expected.ts";
import type { Lists } from "./expected.ts";
import { reduced } from "./reduce.ts";

/**
 * The most seconds of a case on a busy machine; most take milliseconds, and a GPU in software takes seconds
 * for a new shader.
 */
const MOST_SECONDS = 120;

/**
 * Runs a case.
 * @returns undefined where it is right, else a report with the commands and the data to see it again
 */
export async function reportOn(
  seed: number,
  backend: BackendName,
  number: number,
  device: Device,
  folder: string,
): Promise<string | undefined> {
  const each = fuzzCase(seed, backend, number);
  const failure = await failureOf(each, device, folder);
  if (failure === undefined) return undefined;
  const smallest = await reduced(
    each,
    async (smaller) => (await failureOf(smaller, device, folder)) !== undefined,
  );
  const shown = inspect(smallest, { depth: 9, maxArrayLength: 1e5, breakLength: 100, compact: 5 });
  return [
    `case ${number} on the ${backend}: ${failure}`,
    `run it again: NEARFIELD_SEED=${seed} NEARFIELD_CASE=${backend}:${number} node_modules/.bin/vitest run tests/backend/fuzz/`,
    `smaller, for failureOf of check.ts: ${await failureOf(smallest, device, folder)}`,
    shown,
  ].join("\n");
}

/**
 * Returns undefined where the case is answered, or refused, as it must be; else what is wrong.
 * @throws the signal's reason where the call rejects with it
 */
export async function failureOf(
  each: FuzzCase,
  device: Device,
  folder: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const expected = expectedOf(each);
  const answer = answerOf(each, device, folder, signal);
  const found = await inTime(answer).catch((error: unknown) => ({ error }));
  if ("error" in found) {
    const { error } = found;
    if (signal?.aborted && error === signal.reason) throw error;
    if ("refused" in expected && error instanceof InvalidInputError) return undefined;
    // A budget that is too small: the error says how much it takes, and with twice that it goes.
    const budget = each.tiles.budget;
    if (error instanceof OutOfMemoryError && budget !== undefined && error.bytes > budget) {
      const tiles = { ...each.tiles, budget: 2 * error.bytes };
      return failureOf({ ...each, tiles }, device, folder, signal);
    }
    const wanted = "refused" in expected ? `InvalidInputError, for ${expected.refused},` : "an answer";
    return `${wanted} was expected, but it failed: ${error instanceof Error ? error.stack : String(error)}`;
  }
  if ("refused" in expected) return `it must be refused for ${expected.refused}`;
  return differenceOf(found, expected.answer);
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => reject(new Error(`no answer within ${MOST_SECONDS} seconds`));
    timer = setTimeout(tooLate, MOST_SECONDS * 1000);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Returns the first difference of any list, to the bit. */
export function differenceOf(found: Lists, expected: Lists): string | undefined {
  for (const name of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const [own, other] = [found[name], expected[name]];
    if (own?.length !== other?.length)
      return `${name}: ${own?.length ?? "none"} instead of ${other?.length ?? "none"}`;
    for (let at = 0; at < own.length; at++) {
      if (!Object.is(own[at], other[at]))
        return `${name}[${at}] is ${String(own[at])} instead of ${String(other[at])}`;
    }
  }
  return undefined;
}
