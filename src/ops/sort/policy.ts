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
   * that a device has room for, which every device has for the last. Tried were 128 to 1024 lanes of 8 to 28
   * keys on an H200.
   */
  subgroups: [
    { groups: 16, items: [20, 10] },
    { groups: 8, items: [12, 6] },
  ],
  /** Lanes meet in workgroup memory by groups of `lanes`, with these numbers of groups and keys. */
  marks: { groups: 4, items: [16, 8], lanes: 32 },
  /**
   * At most so many workgroups move keys, each tile after tile. They are more than a device runs at a time.
   */
  resident: 1056,
  /** A lane looks back at so many tiles at a time. */
  look: 4,
  /** Lanes sort rows of at most so many keys, each lane one key. */
  few: 64,
  /** At most so many workgroups count digits, of so many lanes where a device has them. */
  countGroups: 528,
  countThreads: 1024,
  /** A lane loads so many keys at once to count them. */
  countAhead: 8,
  /**
   * So many workgroups move a digit's keys again when tiles gave up. They are few, since they nearly always
   * do nothing.
   */
  recomputeGroups: 32,
  /** Looks at what another tile has not yet left, about a microsecond each, before giving up. */
  patience: 65_536,
};

/** The choice depends on this part of KernelLimits. */
export type SortDevice = Partial<
  Pick<KernelLimits, "traits" | "subgroupSize" | "workgroupThreads" | "workgroupBytes">
>;

/** A sort takes one of these variants of its kernels. */
export interface SortVariant {
  /** True has tiles wait for those before them; else more passes find their places, none of which waits. */
  readonly isChained: boolean;
  /** True has lanes vote; else they meet in workgroup memory. */
  readonly subgroups: boolean;
  /** A group has so many lanes, whose keys are ranked together. */
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

/** A workgroup has so many groups of lanes, and a lane so many keys, of one and of two words. */
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
