/**
 * This compares one pair of rows whole, as filter.ts compares tiles of them, where sketches or quantized rows
 * do not rule the pair out. It holds what both ways of comparing need to know of the rows.
 */
import { append, limitOf } from "./list";
import { dotOf } from "../../../../distance/wasm/tile";

/** This is the weight of ops/knn/contract/filter.ts. */
export let weight: f32 = 0;
export let slack: f32 = 0;
/** The metas of the queries lie here, f32 [query][4]. */
export let queryMeta: usize = 0;
/** The metas of the references lie here, f32 [3][ref], metaPitch bytes apart: base, product, margin. */
export let refMeta: usize = 0;
export let metaPitch: usize = 0;
let queryRows: usize = 0;
let refRows: usize = 0;
let rowBytes: usize = 0;

export function configurePairs(weight_: f32, slack_: f32): void {
  weight = weight_;
  slack = slack_;
}

export function placeMetas(queryMeta_: usize, refMeta_: usize, pitch: usize): void {
  queryMeta = queryMeta_;
  refMeta = refMeta_;
  metaPitch = pitch;
}

/**
 * Takes the addresses: queries and refs are f32 rows of `bytes` bytes, of all queries and of the tile
 * visited.
 */
export function placeRows(queries: usize, refs: usize, bytes: usize): void {
  queryRows = queries;
  refRows = refs;
  rowBytes = bytes;
}

export function offerPair(query: i32, ref: i32, refIndex: u32): void {
  const q = queryMeta + <usize>query * 16;
  const r = refMeta + <usize>ref * 4;
  const sum = dotOf(queryRows + <usize>query * rowBytes, refRows + <usize>ref * rowBytes, rowBytes);
  const value = load<f32>(q) + load<f32>(r) + weight * sum;
  const crossed = load<f32>(q, 4) * load<f32>(r + metaPitch);
  const half = slack * abs(value) + crossed + (load<f32>(q, 8) + load<f32>(r + 2 * metaPitch));
  if (!(value - half > limitOf(query))) append(query, refIndex + ref, value - half, value + half);
}
