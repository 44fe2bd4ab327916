/**
 * This module finds rows that are alike in every bit, by hashing, so that a search need not compare each of
 * them. It does not compare values: -0 and +0 differ here, which only leaves more rows.
 */
import { takeRows, type Matrix } from "../../core/matrix.ts";
import { PIECE, atOnce, type Yielding } from "../../core/async/yielding.ts";

/** It has row numbers by group: groups are in the order of their first rows, members ascend. */
export interface RowGroups {
  /**
   * Groups begin at these places. Members of group g are members[begins[g]] up to members[begins[g + 1]]; the
   * first of them stands for the group.
   */
  readonly begins: Uint32Array;
  readonly members: Uint32Array;
}

const SAMPLED_ROWS = 512;

/**
 * Returns the share of an even sample of the rows that repeats another row of the sample; 0 where none does.
 */
export function repeatedShare(matrix: Matrix): number {
  const { rows } = matrix;
  const count = Math.min(rows, SAMPLED_ROWS);
  const sample = Uint32Array.from({ length: count }, (_, i) => Math.floor((i * rows) / count));
  const { begins } = atOnce(groupRows(takeRows(matrix, sample)));
  return 1 - (begins.length - 1) / count;
}

export function* groupRows(matrix: Matrix): Yielding<RowGroups> {
  const { rows } = matrix;
  const groupOf = new Uint32Array(rows);
  const words = wordsOf(matrix);
  const width = words.length / rows;
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * rows + 1)));
  const firsts: number[] = [];
  const step = Math.max(1, Math.floor(PIECE / width));
  for (let row = 0; row < rows; row++) {
    if (row % step === 0) yield;
    const at = row * width;
    for (let slot = hashOf(words, at, width) & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const group = slots[slot] - 1;
      if (group >= 0 && !sameWords(words, at, firsts[group] * width, width)) continue;
      groupOf[row] = group >= 0 ? group : firsts.push(row) - 1;
      slots[slot] = groupOf[row] + 1;
      break;
    }
  }
  return collected(groupOf, firsts.length);
}

function collected(groupOf: Uint32Array, groups: number): RowGroups {
  const begins = new Uint32Array(groups + 1);
  for (const group of groupOf) begins[group + 1]++;
  for (let group = 0; group < groups; group++) begins[group + 1] += begins[group];
  const next = begins.slice(0, groups);
  const members = new Uint32Array(groupOf.length);
  groupOf.forEach((group, row) => (members[next[group]++] = row));
  return { begins, members };
}

/** Returns the first row of every group as a matrix of its own. */
export function firstRows(matrix: Matrix, { begins, members }: RowGroups): Matrix {
  const firsts = Uint32Array.from({ length: begins.length - 1 }, (_, group) => members[begins[group]]);
  return takeRows(matrix, firsts);
}

/** It has the distinct rows in the order of their first rows, and says which rows each stands for. */
export interface DistinctRows {
  readonly rows: Matrix;
  readonly groups: RowGroups;
}

/**
 * It is worth to look at all rows where this share of a sample repeats itself, and to search the distinct
 * ones where they are no larger a share of all rows.
 */
const REPEATED_SHARE = 0.5;

/** Tells whether a sample of some rows repeats itself so that all are worth a look. */
export function mayRepeatThemselves(rows: Matrix): boolean {
  return repeatedShare(rows) >= REPEATED_SHARE;
}

/** Groups the rows that are alike; undefined where too few repeat. */
export function* distinctOf(train: Matrix): Yielding<DistinctRows | undefined> {
  if (!mayRepeatThemselves(train)) return undefined;
  const groups = yield* groupRows(train);
  if (groups.begins.length - 1 > train.rows * (1 - REPEATED_SHARE)) return undefined;
  return { rows: firstRows(train, groups), groups };
}

/** Views the bits as whole words where rows end on words, else byte by byte. */
function wordsOf({ data, rows, cols }: Matrix): Uint32Array | Uint8Array {
  const rowBytes = cols * data.BYTES_PER_ELEMENT;
  const { buffer, byteOffset } = data;
  return rowBytes % 4 === 0 && byteOffset % 4 === 0
    ? new Uint32Array(buffer, byteOffset, (rows * rowBytes) / 4)
    : new Uint8Array(buffer, byteOffset, rows * rowBytes);
}

/** Hashes a row by the mixing of words of Appleby's Murmur3, which is in the public domain. */
function hashOf(words: Uint32Array | Uint8Array, at: number, width: number): number {
  let hash = width;
  for (let i = at; i < at + width; i++) {
    let word = Math.imul(words[i], 0xcc9e2d51);
    word = Math.imul((word << 15) | (word >>> 17), 0x1b873593);
    hash ^= word;
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function sameWords(words: Uint32Array | Uint8Array, a: number, b: number, width: number): boolean {
  for (let i = 0; i < width; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
}
