/**
 * TypeScript sees the k-NN part of the WASM module through these types, with the constants that both sides
 * must agree on. The functions are described in wasm/, sums of pairs in distance/wasm/.
 */
import type { TileKernels } from "../../../distance/tileKernels.ts";

/** The module has these functions. Addresses, pitches and sizes are in bytes, depths and counts are not. */
export interface KnnKernels extends TileKernels {
  splitMeta(metas: number, count: number, based: boolean, split: number, pitch: number): void;
  configure(
    core: number,
    p: number,
    weight: number,
    slack: number,
    cut: boolean,
    keepAll: boolean,
    k: number,
    capacity: number,
    room: number,
  ): void;
  configureMixed(
    codes: number,
    unit: number,
    gaps: boolean,
    mark: number,
    counts: boolean,
    quotient: boolean,
    neither: number,
    columns: number,
  ): void;
  configurePower(shift: number, times: number): void;
  place(
    queryMeta: number,
    refMeta: number,
    metaPitch: number,
    values: number,
    lanes: number,
    heads: number,
    marks: number,
    candidates: number,
    intervals: number,
    scratch: number,
  ): void;
  placeSketched(queries: number, refs: number, bytes: number, queryFloors: number, refFloors: number): void;
  placeRows(queries: number, refs: number, bytes: number): void;
  placeQuantized(
    queryBases: number,
    step: number,
    queryScales: number,
    queryErrors: number,
    refBases: number,
    refScales: number,
    refErrors: number,
    values: number,
  ): void;
  quantizeRows(
    rows: number,
    count: number,
    depth: number,
    rounded: number,
    scales: number,
    errors: number,
  ): boolean;
  visitQuantized(
    queries: number,
    queryRows: number,
    refs: number,
    refRows: number,
    pairs: number,
    refIndex: number,
  ): number;
  begin(queryRows: number): void;
  visit(
    queries: number,
    queryRows: number,
    refs: number,
    refRows: number,
    depth: number,
    first: boolean,
    last: boolean,
    refIndex: number,
  ): void;
  finish(queryRows: number): void;
}

export interface SketchKernels {
  multiplyRows(
    rows: number,
    count: number,
    others: number,
    width: number,
    depth: number,
    found: number,
  ): void;
  sketchRows(
    rows: number,
    count: number,
    depth: number,
    axes: number,
    axisCount: number,
    productFactor: number,
    marginFactor: number,
    marginConstant: number,
    work: number,
    sketches: number,
    pitch: number,
    floors: number,
  ): void;
}

export interface TreeKernels {
  placeTree(
    core: number,
    slack: number,
    cols: number,
    places: number,
    leaves: number,
    points: number,
    order: number,
    margins: number,
    boxes: number,
    nodeMargins: number,
    stack: number,
    lanes: number,
  ): void;
  searchTree(count: number, rows: number, pitch: number, queryMargins: number): number;
}
