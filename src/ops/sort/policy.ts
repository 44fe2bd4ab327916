/**
 * These are the tuned numbers of the sort on a GPU, and the choice of a way: how tiles hand on their counts,
 * how lanes rank keys, and how large tiles are. They may change speed, never results.
 */
import type { ScanPath } from "../../runtime/tileScan.ts";
import { DEFAULT_WORKGROUP_BYTES, type KernelLimits } from "../../runtime/gpu/passes/pass.ts";
import { keyWords, type SortParams, type SortShape } from "./contract.ts";
import { RADIX } from "./layout.ts";

export const sortPolicy = {
  /**
   * Groups of lanes in a workgroup, and keys of a lane, of one and of two words, where lanes vote: the first
   * that a device has room for. From 128 to 1024 lanes of 8 to 28 keys were tried on an H200.
   */
  subgroups: [
    { groups: 16, items: [20, 10] },
    { groups: 8, items: [12, 6] },
    { groups: 4, items: [16, 8] },
  ],
  /** The same where they meet in workgroup memory, by groups of `lanes`. */
  marks: { groups: 4, items: [16, 8], lanes: 32 },
  /** Workgroups that move keys at most, each tile after tile: more than a device runs at a time. */
  resident: 1056,
  /** Tiles that a lane looks back at at a time. */
  look: 4,
  /** Keys of a row at most that lanes sort, each one key. */
  few: 64,
  /** Workgroups that count digits at most, and their lanes where a device has so many. */
  countGroups: 528,
  countThreads: 1024,
  /** Keys that a lane loads at once to count them. */
  countAhead: 8,
  /**
   * Workgroups that move a digit's keys again when tiles gave up; few, since they nearly always do nothing.
   */
  recomputeGroups: 32,
  /** Looks at what another tile has not yet left, about a microsecond each, before giving up. */
  patience: 65_536,
} as const;

/** The part of KernelLimits that the choice depends on. */
export type SortDevice = Partial<
  Pick<KernelLimits, "traits" | "subgroupSize" | "workgroupThreads" | "workgroupBytes">
>;

/** The way of a sort on one device. */
export interface SortWay extends SortShape {
  readonly method: ScanPath["method"];
  /** Lanes vote; else they meet in workgroup memory. */
  readonly subgroups: boolean;
  /** Lanes of a group, whose keys are ranked together. */
  readonly lanes: number;
  readonly patience: number;
}

/** Subgroups of other sizes do not fit a vote into a word, or make tiles too small. */
const votingSizes = [16, 32];

export function wayOf({ path, shape, type }: SortParams, device: SortDevice): SortWay {
  const { traits, subgroupSize = 0 } = device;
  const mayVote = path?.subgroups ?? (traits?.subgroups === true && votingSizes.includes(subgroupSize));
  const subgroups = mayVote && subgroupSize >= 4 && subgroupSize <= 32;
  const { marks } = sortPolicy;
  const lanes = subgroups ? subgroupSize : marks.lanes;
  const words = keyWords(type);
  const common = {
    method: path?.method ?? (traits?.forwardProgress ? ("chained" as const) : ("blocks" as const)),
    subgroups,
    lanes,
    patience: path?.patience ?? sortPolicy.patience,
  };
  const ways = (subgroups ? sortPolicy.subgroups : [marks]).map(({ groups, items }) => ({
    ...common,
    threads: groups * lanes,
    items: items[words - 1],
  }));
  const fitting = ways.find((way) => fits(way, words, device)) ?? ways[ways.length - 1];
  return { ...fitting, ...shape };
}

/** Says whether a device has the lanes and the workgroup memory for a tile. */
export function fits(
  way: SortWay,
  words: 1 | 2,
  { workgroupThreads = 256, workgroupBytes = DEFAULT_WORKGROUP_BYTES }: SortDevice,
): boolean {
  const { threads, lanes, items } = way;
  const isTile = threads > 0 && threads % lanes === 0 && Number.isInteger(items) && items > 0;
  return isTile && threads <= workgroupThreads && tileBytes(way, words) <= workgroupBytes;
}

/** Returns the bytes of workgroup memory of a tile. */
export function tileBytes(way: SortWay, words: 1 | 2): number {
  const { threads, subgroups } = way;
  const scanned = subgroups ? threads / 4 : threads + threads / 16;
  return (slabWords(way, words) + 2 * RADIX + scanned + 8) * 4;
}

/** Returns the words of the counters of groups, and of marks beside them. */
export function counterWords({ threads, lanes, subgroups }: SortWay): number {
  return (threads / lanes) * RADIX * (subgroups ? 1 : 3);
}

/** Returns the words for counters or the keys of a tile. */
export function slabWords(way: SortWay, words: 1 | 2): number {
  return Math.max(counterWords(way), way.threads * way.items * words);
}

/** Returns the keys of the smallest tile that a device may choose. */
export function leastTile({ path, shape, type }: SortParams): number {
  if (shape) return shape.threads * shape.items;
  const lanes = path?.subgroups ? 4 : votingSizes[0];
  const tiles = sortPolicy.subgroups.map(({ groups, items }) => groups * items[keyWords(type) - 1] * lanes);
  return Math.min(...tiles);
}
