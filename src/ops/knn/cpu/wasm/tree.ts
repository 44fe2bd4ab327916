/**
 * This is `knn.treeFilter` for one query after the other, by ops/knn/contract/tree.ts. It goes down the tree,
 * the nearer child first, past every node whose box is certain to hold nothing near enough. The lists are in
 * list.ts.
 *
 * A box is never nearer than computed: its gap in a column is at most every difference in that column, both
 * are rounded alike, and rounding keeps the order through the same sums. So a box's value is at most the
 * value of every reference in it.
 */
import { append, limitOf } from "./list";
import { L1, L2 } from "../../../../distance/wasm/terms";

let core: i32 = 0;
let slack: f32 = 0;
let cols: i32 = 0;
let places: i32 = 0;
let leaves: u32 = 0;
let points: usize = 0;
let order: usize = 0;
let margins: usize = 0;
let boxes: usize = 0;
let nodeMargins: usize = 0;
/** The nodes still to visit lie here with the low ends of their boxes, [..][2]. */
let stack: usize = 0;
/** The lows and highs of four lanes lie here, f32 [8]. */
let lanes: usize = 0;

/**
 * Takes the addresses, as in ops/knn/contract/tree.ts; stack has 8 bytes for each level and one more, lanes
 * 32 bytes.
 */
export function placeTree(
  core_: i32,
  slack_: f32,
  cols_: i32,
  places_: i32,
  leaves_: u32,
  points_: usize,
  order_: usize,
  margins_: usize,
  boxes_: usize,
  nodeMargins_: usize,
  stack_: usize,
  lanes_: usize,
): void {
  core = core_;
  slack = slack_;
  cols = cols_;
  places = places_;
  leaves = leaves_;
  points = points_;
  order = order_;
  margins = margins_;
  boxes = boxes_;
  nodeMargins = nodeMargins_;
  stack = stack_;
  lanes = lanes_;
}

/**
 * Adds the references that are near enough to the list of every query; rows lie `pitch` bytes apart, margins
 * are f32 [count].
 * @returns the number of pairs it compared
 */
export function searchTree(count: i32, rows: usize, pitch: usize, queryMargins: usize): f64 {
  let compared: f64 = 0;
  for (let query = 0; query < count; query++) {
    compared += <f64>search(query, rows + <usize>query * pitch, load<f32>(queryMargins + <usize>query * 4));
  }
  return compared;
}

function search(query: i32, row: usize, margin: f32): u32 {
  let compared: u32 = 0;
  let top = stack;
  push(top, 1, boxLow(1, row, margin));
  top += 8;
  while (top > stack) {
    top -= 8;
    if (load<f32>(top, 4) > limitOf(query)) continue;
    let node = load<u32>(top);
    while (node < leaves) {
      const left = boxLow(2 * node, row, margin);
      const right = boxLow(2 * node + 1, row, margin);
      const near = 2 * node + <u32>(right < left);
      push(top, near ^ 1, max(left, right));
      top += 8;
      node = near;
      if (min(left, right) > limitOf(query)) break;
    }
    if (node >= leaves && !(boxLow(node, row, margin) > limitOf(query))) {
      visitLeaf(query, node - leaves, row, margin);
      compared += places;
    }
  }
  return compared;
}

@inline
function push(top: usize, node: u32, low: f32): void {
  store<u32>(top, node);
  store<f32>(top, low, 4);
}

/** Returns a bound that is at most the low end of every reference in the box. */
function boxLow(node: u32, row: usize, margin: f32): f32 {
  let least = boxes + <usize>node * (cols * 8);
  const bytes = <usize>cols * 4;
  let sum: f32 = 0;
  for (const end = least + bytes; least < end; least += 4, row += 4) {
    const q = load<f32>(row);
    const gap = max(max(load<f32>(least) - q, q - load<f32>(least + bytes)), 0);
    if (core == L2) sum += gap * gap;
    else if (core == L1) sum += gap;
    else sum = max(sum, gap);
  }
  return sum - (slack * sum + (margin + load<f32>(nodeMargins + <usize>node * 4)));
}

function visitLeaf(query: i32, leaf: u32, row: usize, margin: f32): void {
  const column = <usize>places * 4;
  let at = points + <usize>leaf * (column * cols);
  const first = <usize>leaf * column;
  let limit = f32x4.splat(limitOf(query));
  for (let place: usize = 0; place < column; place += 16, at += 16) {
    let sum = f32x4.splat(0);
    let p = at;
    for (let j = 0; j < cols; j++, p += column) {
      const difference = f32x4.sub(v128.load32_splat(row + <usize>j * 4), v128.load(p));
      if (core == L2) sum = f32x4.add(sum, f32x4.mul(difference, difference));
      else if (core == L1) sum = f32x4.add(sum, f32x4.abs(difference));
      else sum = f32x4.max(sum, f32x4.abs(difference));
    }
    const both = f32x4.add(f32x4.splat(margin), v128.load(margins + first + place));
    const half = f32x4.add(f32x4.mul(f32x4.splat(slack), sum), both);
    const low = f32x4.sub(sum, half);
    if (i32x4.all_true(f32x4.gt(low, limit))) continue;
    v128.store(lanes, low);
    v128.store(lanes, f32x4.add(sum, half), 16);
    const rows = order + first + place;
    for (let lane = 0; lane < 16; lane += 4) {
      const index = load<u32>(rows + lane);
      if (index == EMPTY || load<f32>(lanes + lane) > limitOf(query)) continue;
      append(query, index, load<f32>(lanes + lane), load<f32>(lanes + lane, 16));
    }
    limit = f32x4.splat(limitOf(query));
  }
}

/** This stands in `order` where no reference lies. */
const EMPTY: u32 = 0xffffffff;
