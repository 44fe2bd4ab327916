/**
 * These are the tuned numbers of the sort on a GPU, and the choice of a variant: how tiles hand on their
 * counts, how lanes rank keys, and how large tiles are. They may change speed, never results.
 */
import { DEFAULT_WORKGROUP_BYTES, type KernelLimits } from "../../runtime/gpu/passes/pass.ts";
import { keyWords, type KeyType } from "./contract.ts";
import { RADIX } from "./layout.ts";

/** Tests and benches put other numbers in their places. */
export const sortPolicy = {
  /** Lanes of subgroups that vote: others do not fit a vote into a word, or make tiles too small. */
  votes: [16, 32],
  /**
   * Groups of lanes in a workgroup, and keys of a lane, of one and of two words, where lanes vote: the first
   * that a device has room for, which every device has for the last. From 128 to 1024 lanes of 8 to 28 keys
   * were tried on an H200.
   */
  subgroups: [
    { groups: 16, items: [20, 10] },
    { groups: 8, items: [12, 6] },
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
};

/** The part of KernelLimits that the choice depends on. */
export type SortDevice = Partial<
  Pick<KernelLimits, "traits" | "subgroupSize" | "workgroupThreads" | "workgroupBytes">
>;

/** The variant of the kernels of a sort. */
export interface SortVariant {
  /** Tiles wait for those before them; else more passes find their places, none of which waits. */
  readonly isChained: boolean;
  /** Lanes vote; else they meet in workgroup memory. */
  readonly subgroups: boolean;
  /** Lanes of a group, whose keys are ranked together. */
  readonly lanes: number;
  /** A workgroup has this many lanes, and a lane so many keys. */
  readonly threads: number;
  readonly items: number;
  readonly patience: number;
}

/** Returns the first variant that fits a device, which those of `marks` always do. */
export function variantOf(type: KeyType, device: SortDevice): SortVariant {
  const { traits, subgroupSize = 0 } = device;
  const mayVote = traits?.subgroups === true && sortPolicy.votes.includes(subgroupSize);
  const words = keyWords(type);
  const common = {
    isChained: traits?.forwardProgress ?? false,
    patience: traits?.patience ?? sortPolicy.patience,
  };
  const variants = (subgroups: boolean, lanes: number, tiles: readonly TileSize[]): SortVariant[] =>
    tiles.map(({ groups, items }) => {
      return { ...common, subgroups, lanes, threads: groups * lanes, items: items[words - 1] };
    });
  const { subgroups, marks } = sortPolicy;
  const voting = mayVote ? variants(true, subgroupSize, subgroups) : [];
  const [others] = variants(false, marks.lanes, [marks]);
  return voting.find((variant) => fits(variant, words, device)) ?? others;
}

/** Groups of lanes of a workgroup, and keys of a lane, of one and of two words. */
interface TileSize {
  readonly groups: number;
  readonly items: readonly number[];
}

/** Says whether a device has the lanes and the workgroup memory for a tile. */
export function fits(
  variant: SortVariant,
  words: 1 | 2,
  { workgroupThreads = 256, workgroupBytes = DEFAULT_WORKGROUP_BYTES }: SortDevice,
): boolean {
  return variant.threads <= workgroupThreads && tileBytes(variant, words) <= workgroupBytes;
}

/** Returns the keys of a tile. */
export function tileOf({ threads, items }: SortVariant): number {
  return threads * items;
}

/** Returns the bytes of workgroup memory of a tile. */
function tileBytes(variant: SortVariant, words: 1 | 2): number {
  const { threads, subgroups } = variant;
  const scanned = subgroups ? threads / 4 : threads + threads / 16;
  return (slabWords(variant, words) + 2 * RADIX + scanned + 8) * 4;
}

/** Returns the words of the counters of groups, and of marks beside them. */
export function counterWords({ threads, lanes, subgroups }: SortVariant): number {
  return (threads / lanes) * RADIX * (subgroups ? 1 : 3);
}

/** Returns the words for counters or the keys of a tile. */
export function slabWords(variant: SortVariant, words: 1 | 2): number {
  return Math.max(counterWords(variant), tileOf(variant) * words);
}

/** Returns the keys of the smallest tile that a device may choose. */
export function leastTile(type: KeyType): number {
  const { subgroups, marks, votes } = sortPolicy;
  const keysOf = ({ groups, items }: TileSize, lanes: number) => groups * lanes * items[keyWords(type) - 1];
  const voting = subgroups.map((tile) => keysOf(tile, Math.min(...votes)));
  return Math.min(keysOf(marks, marks.lanes), ...voting);
}
