/**
 * These are the tuned numbers of the sort on a GPU, and the choice of a way: how tiles hand on their counts,
 * how lanes rank keys, and how large tiles are. They may change speed, never results.
 */
import type { ScanPath } from "../../runtime/tileScan.ts";
import type { SortParams, SortShape } from "./contract.ts";

export const sortPolicy = {
  /** Groups of lanes in a workgroup, and keys of a lane, where lanes see each other's digits by votes. */
  subgroups: { groups: 8, items: 12 },
  /** The same where they meet in workgroup memory, by groups of `lanes`. */
  marks: { groups: 4, items: 16, lanes: 32 },
  /** Keys of a row at most that lanes sort, each one key. */
  few: 64,
  /** Workgroups that count digits at most, and their lanes where a device has so many. */
  countGroups: 528,
  countThreads: 1024,
  /**
   * Workgroups that move a digit's keys again when tiles gave up; few, since they nearly always do nothing.
   */
  recomputeGroups: 512,
  /** Looks at what another tile has not yet left, about a microsecond each, before giving up. */
  patience: 65_536,
} as const;

/** The part of KernelLimits that the choice depends on. */
export interface SortDevice {
  readonly traits?: { readonly forwardProgress: boolean; readonly subgroups: boolean } | undefined;
  readonly subgroupSize?: number | undefined;
}

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

export function wayOf({ path, shape }: SortParams, { traits, subgroupSize = 0 }: SortDevice): SortWay {
  const mayVote = path?.subgroups ?? (traits?.subgroups === true && votingSizes.includes(subgroupSize));
  const subgroups = mayVote && subgroupSize >= 4 && subgroupSize <= 32;
  const { groups, items } = subgroups ? sortPolicy.subgroups : sortPolicy.marks;
  const lanes = subgroups ? subgroupSize : sortPolicy.marks.lanes;
  return {
    method: path?.method ?? (traits?.forwardProgress ? "chained" : "blocks"),
    subgroups,
    lanes,
    threads: groups * lanes,
    items,
    patience: path?.patience ?? sortPolicy.patience,
    ...shape,
  };
}

/** Returns the keys of the smallest tile that a device may choose. */
export function leastTile({ path, shape }: SortParams): number {
  if (shape) return shape.threads * shape.items;
  const { groups, items } = sortPolicy.subgroups;
  return groups * items * (path?.subgroups ? 4 : votingSizes[0]);
}
