/**
 * Plans the sort of a row that is longer than a piece of a stream, on a device with a memory of its own. The
 * row, or a run of it where the budget does not hold all, lies there in blocks, each in buffers that can be
 * bound. Blocks are sorted one by one. Then neighbours are merged, the lower half of the keys into the first
 * of them, in turns that begin at even and at odd blocks: after as many turns as there are blocks, which is
 * odd-even transposition, all is sorted, and stably, since no key ever passes an equal one. The result is
 * downloaded in jobs, which overlap. The host merges runs (merge.ts of the room). It is pure.
 */
import { OutOfMemoryError } from "../../../core/errors.ts";
import { ceilDiv } from "../../../core/math.ts";
import type { BackendInfo, Segment, Step } from "../../../runtime/backend.ts";
import { run as step } from "../../../runtime/primitive.ts";
import type { Job, Program } from "../../../runtime/program.ts";
import { halved, oneMoreLoss } from "../../../runtime/recovery.ts";
import type { BufferSpec } from "../../../runtime/source.ts";
import { keyBytes, keyWords, MAX_SORTED, type SortBinding, type SortParams } from "../contract.ts";
import { scratchWords } from "../layout.ts";
import { workOf } from "../plan.ts";
import { leastTile } from "../policy.ts";
import { sortPrimitive } from "../primitive.ts";
import { cutBytes } from "./layout.ts";
import { mergePrimitive } from "./primitive.ts";

/** A download has this many keys: some milliseconds of reading back. */
const DOWNLOADED = 2 ** 21;

/** Merging a key counts for so many multiply-adds. */
const MERGE_WORK = 32;

/** Keys [begin, end) of the row in blocks of `size` keys, the last of which may have fewer. */
interface BlockRun {
  readonly begin: number;
  readonly end: number;
  readonly size: number;
}

export interface BlockPlan {
  readonly device: BackendInfo;
  /** A block has at most so many keys, and so has a run. */
  readonly block: number;
  readonly cap: number;
  /** They are the run in hand, and the keys of the row that came back. */
  readonly run: BlockRun;
  readonly done: number;
  /** The runs that are done begin at these places. */
  readonly runs: readonly number[];
  /** The set-up of this run was counted. */
  readonly counted: BlockRun | undefined;
  readonly jobs: number;
  readonly dispatches: number;
  readonly halved: number;
  readonly lost: number;
  readonly lostInARow: number;
}

/** A download of keys [begin, end) of the row, of the run that begins at `base`. */
export interface BlockJob extends Job {
  readonly segment: Segment;
  readonly begin: number;
  readonly end: number;
  readonly base: number;
}

/** @param block keys of a block at most, for tests */
export function planBlocks(device: BackendInfo, params: SortParams, block = Infinity): BlockPlan {
  const bound = Math.floor(device.bufferBytes / (4 * keyWords(params.type)) / 4) * 4;
  const most = Math.max(1, Math.min(block, bound, MAX_SORTED));
  const plan = { device, block: most, cap: Infinity, done: 0, runs: [] };
  return {
    ...{ ...plan, run: runFrom(0, plan, params), counted: undefined, jobs: 0, dispatches: 0 },
    ...{ halved: 0, lost: 0, lostInARow: 0 },
  };
}

/** Makes the program. Its units are keys of the row, the only one of `params`. */
export function blockProgram(params: SortParams): Program<BlockPlan, BlockJob> {
  return {
    phase: "sort",
    residentKey: ({ run: { begin, end, size } }) => `${begin}-${end} by ${size}`,
    residentBuffers: ({ run }) => buffersOf(run, params),
    setupSegment: ({ run }, { length }) =>
      length < blocksOf(run)
        ? sortSegment(run, length, params)
        : length === blocksOf(run) && length > 1
          ? mergeSegment(run, params)
          : undefined,
    afterSetup: (plan, ran) => {
      if (plan.counted === plan.run) return plan;
      const dispatches = ran.reduce((sum, segment) => sum + segment.dispatches, plan.dispatches);
      return { ...plan, counted: plan.run, jobs: plan.jobs + ran.length, dispatches };
    },
    unitsLeft: ({ done }) => params.count - done,
    nextJob: (plan) => nextJob(plan, params),
    begun: (plan, job) => advanced(plan, job, params),
    next: (plan, job, seen) => {
      switch (seen.kind) {
        case "done":
          return {
            ...advanced(plan, job, params),
            ...{ jobs: plan.jobs + 1, dispatches: plan.dispatches + seen.dispatches, lostInARow: 0 },
          };
        case "outOfMemory":
          return halved(seen.error, "runs", plan.halved, () => smaller(plan, params, seen.error));
        case "deviceLost":
          return { ...plan, lost: plan.lost + 1, lostInARow: oneMoreLoss(seen.error, plan.lostInARow) };
      }
    },
  };
}

type BlockRoom = Pick<BlockPlan, "device" | "block" | "cap">;

/**
 * Returns the longest run that the device holds.
 * @throws OutOfMemoryError where it holds none
 */
function runFrom(begin: number, { device, block, cap }: BlockRoom, params: SortParams): BlockRun {
  const { budgetBytes } = device;
  let count = Math.min(params.count - begin, cap);
  for (;;) {
    const size = ceilDiv(count, ceilDiv(count, block));
    const run = { begin, end: begin + count, size };
    const total = buffersOf(run, params).reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= budgetBytes) return run;
    if (count <= 1) {
      throw new OutOfMemoryError(
        `${Math.floor(budgetBytes)} bytes of gpu memory do not hold one piece, which takes ${total}; raise deviceMemory`,
        total,
      );
    }
    count = Math.max(1, Math.floor(count * Math.min(budgetBytes / total, (count - 1) / count)));
  }
}

/** Returns the plan with half a run; what came back of the run in hand does not count. */
function smaller(plan: BlockPlan, params: SortParams, error: OutOfMemoryError): BlockPlan {
  const { begin, end } = plan.run;
  const cap = Math.floor((end - begin) / 2);
  if (cap === 0) throw error;
  return {
    ...plan,
    cap,
    run: runFrom(begin, { ...plan, cap }, params),
    done: begin,
    halved: plan.halved + 1,
  };
}

/** Returns the plan when a download is done; behind the last one of a run the next run follows. */
function advanced(plan: BlockPlan, { end }: BlockJob, params: SortParams): BlockPlan {
  if (end < plan.run.end) return { ...plan, done: end };
  const runs = [...plan.runs, plan.run.begin];
  const run = end < params.count ? runFrom(end, plan, params) : plan.run;
  return { ...plan, done: end, runs, run };
}

function nextJob({ run, done }: BlockPlan, params: SortParams): BlockJob | undefined {
  if (done === params.count) return undefined;
  const { begin: base, size } = run;
  const block = Math.floor((done - base) / size);
  const end = Math.min(done + DOWNLOADED, base + (block + 1) * size, run.end);
  const [at, count] = [done - base - block * size, end - done];
  const side = sidesAfter(run, turnsOf(run))[block];
  const bytes = keyWords(params.type) * 4;
  const steps: Step[] = [
    { kind: "download", from: `keys ${block}${side}`, begin: at * bytes, bytes: count * bytes, as: "keys" },
  ];
  if (params.values !== "none") {
    const from = `values ${block}${side}`;
    steps.push({ kind: "download", from, begin: at * 4, bytes: count * 4, as: "values" });
  }
  return {
    segment: { label: `keys ${done}-${end - 1}`, buffers: [], steps },
    ...{ begin: done, end, base, units: count, cost: count },
  };
}

/** Returns how many blocks a run has, and how many keys one of them. */
function blocksOf({ begin, end, size }: BlockRun): number {
  return ceilDiv(end - begin, size);
}

function keysIn({ begin, end, size }: BlockRun, block: number): number {
  return Math.min(size, end - begin - block * size);
}

/** Returns the buffers: two sides of each block, "a" and "b", between which merges move it. */
function buffersOf(run: BlockRun, params: SortParams): BufferSpec[] {
  const words = keyWords(params.type);
  const carries = params.values !== "none";
  const ofBlock = (_: unknown, block: number): BufferSpec[] => {
    const [keys, values] = [keyBytes(keysIn(run, block), words), keyBytes(keysIn(run, block))];
    return ["a", "b"].flatMap((side) => [
      { name: `keys ${block}${side}`, bytes: keys },
      ...(carries ? [{ name: `values ${block}${side}`, bytes: values }] : []),
    ]);
  };
  return [
    ...Array.from({ length: blocksOf(run) }, ofBlock).flat(),
    { name: "scratchKeys", bytes: keyBytes(run.size, words) },
    ...(carries ? [{ name: "scratchValues", bytes: keyBytes(run.size) }] : []),
    { name: "scratch", bytes: scratchWords(run.size, leastTile(params.type)) * 4 },
    ...(blocksOf(run) > 1 ? [{ name: "cuts", bytes: cutBytes(run.size, words) }] : []),
  ];
}

/** Uploads a block to its side "a" and sorts it to "b". */
function sortSegment(run: BlockRun, block: number, params: SortParams): Segment {
  const words = keyWords(params.type);
  const count = keysIn(run, block);
  const begin = run.begin + block * run.size;
  const part: SortParams = { ...params, count, rows: 1, offsets: undefined };
  const upload = (to: string, source: string, words: number): Step => {
    const rows = { begin: begin * words, end: (begin + count) * words };
    return { kind: "upload", to, source, part: "words", rows };
  };
  const given = params.values === "given";
  const bindings: Partial<Record<SortBinding, string>> = {
    keys: `keys ${block}a`,
    sortedKeys: `keys ${block}b`,
    scratch: "scratch",
    scratchKeys: "scratchKeys",
    ...(given && { values: `values ${block}a` }),
    ...(params.values !== "none" && { sortedValues: `values ${block}b`, scratchValues: "scratchValues" }),
  };
  return {
    label: `keys ${begin}-${begin + count - 1}`,
    buffers: [],
    steps: [
      upload(`keys ${block}a`, "keys", words),
      ...(given ? [upload(`values ${block}a`, "values", 1)] : []),
      step(sortPrimitive, { params: part, bindings, cost: workOf(part) }),
    ],
  };
}

/** Returns the pairs of neighbours that each turn merges, by the first of them. */
function turnsOf(run: BlockRun): number[][] {
  const blocks = blocksOf(run);
  return Array.from({ length: blocks > 1 ? blocks : 0 }, (_, turn) => {
    const firsts: number[] = [];
    for (let block = turn % 2; block + 1 < blocks; block += 2) firsts.push(block);
    return firsts;
  });
}

/** Returns on which side each block lies after some turns; a merge moves both of its blocks to the other. */
function sidesAfter(run: BlockRun, turns: readonly number[][]): ("a" | "b")[] {
  const moves = new Array<number>(blocksOf(run)).fill(0);
  for (const first of turns.flat()) for (const block of [first, first + 1]) moves[block]++;
  return moves.map((times) => (times % 2 === 0 ? "b" : "a"));
}

/** Merges neighbours turn after turn. A block's first merge makes its places those of the run. */
function mergeSegment(run: BlockRun, params: SortParams): Segment {
  const turns = turnsOf(run);
  const isMerged = new Set<number>();
  const steps = turns.flatMap((firsts, turn) => {
    const sides = sidesAfter(run, turns.slice(0, turn));
    return firsts.flatMap((first) => {
      const adds = [first, first + 1].map((block) =>
        params.values === "indices" && !isMerged.has(block) ? block * run.size : 0,
      );
      isMerged.add(first).add(first + 1);
      return [0, 1].map((half) => mergeStep(run, params, first, half, sides, adds));
    });
  });
  return { label: `blocks of keys ${run.begin}-${run.end - 1}`, buffers: [], steps };
}

/** Merges two neighbours into the other side of one of them. */
function mergeStep(
  run: BlockRun,
  params: SortParams,
  first: number,
  half: number,
  sides: readonly string[],
  [leftAdd, rightAdd]: readonly number[],
): Step {
  const { type, descending, beginBit, endBit } = params;
  const [left, right] = [keysIn(run, first), keysIn(run, first + 1)];
  const carries = params.values !== "none";
  const target = first + half;
  const [from, to] = [sides, sides.map((side) => (side === "a" ? "b" : "a"))];
  const bound = (kind: string, block: number, at: readonly string[]) => `${kind} ${block}${at[block]}`;
  const count = half === 0 ? left : right;
  return step(mergePrimitive, {
    params: {
      ...{ type, descending, beginBit, endBit, left, right, carries, leftAdd, rightAdd },
      ...{ begin: half * left, count },
    },
    cost: MERGE_WORK * count,
    bindings: {
      leftKeys: bound("keys", first, from),
      rightKeys: bound("keys", first + 1, from),
      keys: bound("keys", target, to),
      cuts: "cuts",
      ...(carries && {
        leftValues: bound("values", first, from),
        rightValues: bound("values", first + 1, from),
        values: bound("values", target, to),
      }),
    },
  });
}
