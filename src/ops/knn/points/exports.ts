/**
 * TypeScript sees the functions of the WASM module for point trees through this type; wasm/ describes them.
 */
export interface PointKernels {
  placeSplits(
    rows: number,
    leaves: number,
    groups: number,
    places: number,
    records: number,
    points: number,
    boxes: number,
    rounded: boolean,
  ): void;
  takePoints(
    values: number,
    count: number,
    cols: number,
    wide: boolean,
    x: number,
    y: number,
    z: number,
    into: number,
    exact: number,
  ): void;
  splitPoints(group: number, first: number, count: number): void;
  buildPoints(group: number, first: number, count: number): void;
  placePoints(
    groups: number,
    places: number,
    points: number,
    boxes: number,
    exact: number,
    unit: number,
    root: boolean,
    k: number,
    stack: number,
    lows: number,
    keys: number,
    heap: number,
  ): void;
  bucketPoints(
    boxes: number,
    records: number,
    count: number,
    levels: number,
    buckets: number,
    starts: number,
    sorted: number,
  ): void;
  searchNearest(
    records: number,
    ends: number,
    levels: number,
    wide: number,
    scratch: number,
    rows: number,
    distances: number,
  ): number;
  searchPoints(records: number, count: number, wide: number, rows: number, distances: number): number;
  evaluatedPairs(): number;
}
