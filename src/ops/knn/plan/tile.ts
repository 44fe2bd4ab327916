/**
 * This cuts a k-NN problem into tiles that fit a device: how references are held, how many queries go
 * together, how many references one dispatch visits. This is pure arithmetic on sizes; the caps exist so that
 * tests can make every path run on fifty rows.
 */
import type { BackendInfo } from "../../../runtime/backend.ts";
import { clamp, roundDown } from "../../../core/math.ts";
import type { ReferenceLayout } from "../../../distance/layout.ts";
import { knnFilterBytes, knnFilterScratchBytes } from "../contract/filter.ts";
import { chooseKnnGroup } from "../gpu/policy.ts";

/**
 * These are upper limits on tiles, for tests. `tree`, `keepsTree`, `cells`, `bytes`, `few`, `orders`,
 * `ahead`, `axes`, `assumeFrom`, `assumeQueriesFrom` and `group` are choices instead.
 */
export interface TileCaps {
  readonly queries?: number | undefined;
  readonly references?: number | undefined;
  /** One reference buffer has at most this many rows. */
  readonly chunk?: number | undefined;
  /** This is true where a tree is searched if one can be; false where none is. */
  readonly tree?: boolean | undefined;
  /** This is true where a tree is kept for many searches, so that it is worth few queries. */
  readonly keepsTree?: boolean | undefined;
  /** A tree is searched whose references lie in the order of a grid of this many cells along each column. */
  readonly cells?: number | "auto" | undefined;
  /**
   * This is true where bytes come before float32 on a GPU if they can; "measured" where the search is short,
   * too.
   */
  readonly bytes?: boolean | "measured" | undefined;
  /**
   * This is true where the kernels for few queries are used if they can be, "bytes" where they read bytes if
   * they can; false where they are not used.
   */
  readonly few?: boolean | "bytes" | undefined;
  /** This is true where a GPU puts neighbours in order if it can; false where the host does. */
  readonly orders?: boolean | undefined;
  /**
   * This is true where kernels of later searches are compiled ahead (ops/knn/ahead); false where none are.
   */
  readonly ahead?: boolean | undefined;
  /** Sketches on the CPU have this many axes; 0 for none. */
  readonly axes?: number | undefined;
  /** The device's budget has at most this many bytes. */
  readonly budget?: number | undefined;
  /** From this many values of train on, a GPU checks what a sample says of them. */
  readonly assumeFrom?: number | undefined;
  /** From this many values of queries on, a GPU checks the same of them; default the host looks at them. */
  readonly assumeQueriesFrom?: number | undefined;
  /** A group on a GPU has this many references, where that fits: 0 (values are stored), 8, 16, 32 or 64. */
  readonly group?: number | undefined;
}

export interface Tile {
  readonly queries: number;
  /** A dispatch visits this many references. */
  readonly references: number;
  /** This is the group of KnnFilterParams; 0 on a CPU. */
  readonly group: number;
}

/** A query takes this many bytes more where lists know bounds. */
export const BOUND_BYTES = 4;

const MAX_QUERIES = 1024;
const MAX_CPU_QUERIES = 4096;
/** A job with fewer pairs is too short for what it takes to begin and end one. */
const MAX_PAIRS = 2 ** 30;
const MOST_TIMES = 16;
const MAX_SCRATCH_BYTES = 512 * 2 ** 20;
const MIN_REFERENCES = 64;
const MIN_QUERIES = 16;

/** A tile is cut for this work. */
export interface TileTask {
  readonly queries: number;
  readonly k: number;
  /** A list holds this many candidates. */
  readonly capacity: number;
  /** This many float32 lie from one row to the next. */
  readonly stride: number;
  /** True makes keep-all lists; default false. */
  readonly keepAll?: boolean | undefined;
  /** A query takes this many bytes beside its row and its list; default 0. */
  readonly extraBytes?: number;
  /** Says whether lists know bounds; default false. */
  readonly seeded?: boolean;
}

/** A tile must fit in this room. */
export interface TileRoom {
  readonly kind: BackendInfo["kind"];
  /** A tile has at most this many queries. */
  readonly queries: number;
  /**
   * Queries, lists and scratch together have this many bytes, scratch alone this many, and one binding this
   * many.
   */
  readonly free: number;
  readonly scratch: number;
  readonly bufferBytes: number;
  /** A dispatch does this many multiply-adds; a CPU heeds no limit. */
  readonly work: number;
  /** A tile has at least this many queries, whatever the room, where so many are left; default none. */
  readonly fewest?: number;
}

/**
 * Returns the tile of a task, for a plan and for `knn.search` alike: as many queries as fit beside a few
 * references, then as many references as fit beside those queries.
 * @returns undefined when not even one query fits
 */
export function chooseTile(
  task: TileTask,
  layout: ReferenceLayout,
  { kind, queries: most, free, scratch: mostScratch, bufferBytes, work, fewest = 0 }: TileRoom,
  caps: TileCaps = {},
): Tile | undefined {
  const isGpu = kind === "gpu";
  const widest = Math.min(layout.chunkRows, caps.references ?? layout.chunkRows);
  const least = Math.min(widest, MIN_REFERENCES);
  const { k, capacity, stride, keepAll = false } = task;
  const { fixed, scratch } = queryBytes(task, least, isGpu);
  const inTime = work / stride;
  const fitting = Math.min(
    caps.queries ?? most,
    most,
    Math.floor(bufferBytes / Math.max(capacity * 8, stride * 4, scratch)),
    Math.floor(free / (fixed + scratch)),
    isGpu ? Math.max(MIN_QUERIES, Math.floor(inTime / least)) : most,
  );
  const queries = Math.min(task.queries, Math.max(fewest, fitting));
  if (queries < 1) return undefined;
  if (!isGpu) return { queries, references: widest, group: 0 };

  const scratchBytes = Math.min(free - queries * fixed, bufferBytes, mostScratch);
  const perQuery = Math.floor(scratchBytes / queries);
  const timely = Math.max(least, Math.min(widest, Math.floor(inTime / queries)));
  if (keepAll) return { queries, references: widthOf(timely, widest, least), group: 0 };
  const group = caps.group ?? chooseKnnGroup(k, timely);
  if (group > 0) {
    const references = widthOf(Math.min(timely, groupedReferences(perQuery, k, group)), widest, least);
    const bytes = knnFilterScratchBytes({ queryRows: 1, refRows: references, k, group });
    const chosen = caps.group ?? chooseKnnGroup(k, references);
    if (bytes <= perQuery && chosen === group) return { queries, references, group };
  }
  const references = widthOf(Math.min(timely, Math.floor(perQuery / 16) * 4), widest, least);
  return { queries, references, group: 0 };
}

/**
 * Returns the room that a plan gives a tile. Many times more queries go together where the references are
 * few, or come by only once for all queries of a job.
 * @param longer jobs have so many times as many queries, but no more than where references come by
 */
export function roomOf(
  layout: ReferenceLayout,
  { kind, bufferBytes }: BackendInfo,
  free: number,
  work: number,
  longer = 1,
): TileRoom {
  const isGpu = kind === "gpu";
  const times = Math.min(longer * timesMore(layout, isGpu), MOST_TIMES);
  const queries = (isGpu ? MAX_QUERIES : MAX_CPU_QUERIES) * times;
  return { kind, queries, free, scratch: MAX_SCRATCH_BYTES, bufferBytes, work };
}

function timesMore({ resident, chunks, chunkRows }: ReferenceLayout, isGpu: boolean): number {
  if (!resident) return MOST_TIMES;
  if (!isGpu || chunks > 1) return 1;
  return clamp(Math.floor(MAX_PAIRS / MAX_QUERIES / chunkRows), 1, MOST_TIMES);
}

/** Returns how many references have groups' minima that fit that many bytes, beside the pairs that wait. */
function groupedReferences(bytes: number, k: number, group: number): number {
  const rest = bytes - knnFilterScratchBytes({ queryRows: 1, refRows: 0, k, group });
  return Math.floor(rest / 8) * group;
}

function widthOf(fitting: number, widest: number, least: number): number {
  return fitting >= widest ? widest : Math.max(least, roundDown(fitting, MIN_REFERENCES));
}

/**
 * Returns how many bytes a query takes on the device, and how many its scratch takes beside that many
 * references.
 */
function queryBytes(task: TileTask, refRows: number, isGpu: boolean): { fixed: number; scratch: number } {
  const { stride, capacity, extraBytes = 0, seeded = false } = task;
  const bytes = knnFilterBytes({ queryRows: 1, refBegin: 0, refRows: 0, stride, capacity });
  const fixed = Object.values(bytes).reduce((sum, each) => sum + each, extraBytes);
  const scratch = isGpu ? knnFilterScratchBytes({ ...task, queryRows: 1, refRows }) : 0;
  return { fixed: fixed + (seeded ? BOUND_BYTES : 0), scratch };
}

/** Returns how many bytes the least tile takes: one query and a few references. */
export function leastBytes(task: TileTask, { chunkRows }: ReferenceLayout, isGpu: boolean): number {
  const { fixed, scratch } = queryBytes(task, Math.min(chunkRows, MIN_REFERENCES), isGpu);
  return fixed + scratch;
}

/** Returns the tile that covers more pairs. */
export function larger(a: Tile | undefined, b: Tile | undefined): Tile | undefined {
  if (!a || !b) return a ?? b;
  return b.queries * b.references > a.queries * a.references ? b : a;
}
