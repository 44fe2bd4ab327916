/**
 * Searches whose neighbours a GPU puts in order, against brute force in float64 and against the same searches
 * in which the host sorts.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { Session } from "../../../src/runtime/backend.ts";
import type { BufferSpec } from "../../../src/runtime/source.ts";
import type { TileCaps } from "../../../src/ops/knn/plan/tile.ts";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend } from "../helpers.ts";
import { matrix, type Flat } from "../inputs.ts";

const random = new Random(printedSeed());
const [ROWS, COLS, QUERIES] = [700, 7, 40];
const normal = () => random.normal();
const train = float32(ROWS, COLS, normal);
const queries = float32(QUERIES, COLS, normal);
/** From the middle all corners are equally far, and from a corner many others are. */
const corners = float32(ROWS, 10, (row, column) => ((row >> column) & 1 ? 1 : -1));
const middles = float32(QUERIES, 10, (row) => (row % 2 ? 0 : 1));

describe("neighbours that a device puts in order", () => {
  onEachBackend((device, backend) => {
    const options = (tiles: TileCaps) => ({
      device: device(),
      tiles: { tree: false, orders: true, ...tiles },
    });

    /** Does a search. @returns how many of its jobs bring back neighbours in order */
    async function counted(search: () => Promise<unknown>) {
      const used = device().backend;
      const open = used.open.bind(used);
      onTestFinished(() => void Reflect.deleteProperty(used, "open"));
      const downloads: string[] = [];
      Object.assign(used, {
        async open(resident: readonly BufferSpec[]) {
          const session = await open(resident);
          const run: Session["run"] = (segment, ...more) => {
            for (const step of segment.steps) if (step.kind === "download") downloads.push(step.from);
            return session.run(segment, ...more);
          };
          return { run, dispose: () => session.dispose() };
        },
      });
      await search();
      return downloads.filter((from) => from === "nearRows").length;
    }

    /** Searches both ways. @param sorts says whether the device does of the first jobs */
    async function both(train: Flat, queries: Flat, asked: Asked, tiles: TileCaps, sorts = true) {
      const search = (orders: boolean) =>
        kneighbors(train, queries, { ...asked, ...options({ ...tiles, orders }) });
      const byHost = await search(false);
      let found = byHost;
      const ordered = await counted(async () => (found = await search(true)));
      const none = await counted(() => search(false));
      expect([ordered > 0, none]).toEqual([sorts && backend === "gpu", 0]);
      expectSame(found, byHost, asked.k);
      expect(found.explanation.refinedPairs).toBe(byHost.explanation.refinedPairs);
      return found;
    }

    it.each([1, 2, 31, 257, ROWS])("are the %d nearest", async (k) => {
      for (const metric of ["euclidean", "sqeuclidean"] as const) {
        const found = await both(train, queries, { k, metric }, {});
        expectSame(found, bruteForce(train, queries, { k, metric }), k);
      }
    });

    it("come by row where rows tie by the hundred, of lists that overflow too", async () => {
      const found = await both(corners, middles, { k: 5 }, { queries: 15 });
      expectSame(found, bruteForce(corners, middles, { k: 5 }), 5);
      if (backend === "gpu") expect(found.explanation.repeatedQueries).toBeGreaterThan(0);
    });

    it("come of references in chunks that leave the device", async () => {
      const large = float32(3000, 16, normal);
      const some = float32(QUERIES, 16, normal);
      const tiles = { queries: 15, references: 500, chunk: 500, budget: 2 ** 17 };
      const found = await both(large, some, { k: 8 }, tiles);
      expectSame(found, bruteForce(large, some, { k: 8 }), 8);
      if (backend === "gpu") expect(found.explanation.references).toContain("streamed");
    });

    it("leave a row itself out", async () => {
      const some = { ...train, data: train.data.slice(0, 200 * COLS), rows: 200 };
      const found = await both(some, some, { k: 4, excludeSelf: true }, { queries: 90 });
      const all = bruteForce(some, some, { k: 5 });
      const rest = { indices: [] as number[], distances: [] as number[] };
      for (let at = 0; at < some.rows * 5; at++) {
        if (all.indices[at] === Math.floor(at / 5)) continue;
        rest.indices.push(all.indices[at]);
        rest.distances.push(all.distances[at]);
      }
      const others = {
        indices: Uint32Array.from(rest.indices),
        distances: Float64Array.from(rest.distances),
      };
      expectSame(found, others, 4);
    });

    it("come of float32 values, those that rounding left below zero, too", async () => {
      const wide = 40;
      const about = float32(QUERIES, wide, () => 1000 + random.normal());
      const near = float32(ROWS, wide, (row, column) => {
        const x = about.data[(row % QUERIES) * wide + column] as number;
        return x + Math.round(2 * random.normal()) / 2 ** 14;
      });
      for (const metric of ["euclidean", "sqeuclidean"] as const) {
        await both(train, queries, { k: 31, metric, precision: "float32" }, {});
        const asked = { metric, precision: "float32" } as const;
        const many = await both(near, about, { k: 40, ...asked }, {});
        const few = await both(near, about, { k: 4, ...asked }, {});
        if (backend === "gpu") expect(many.distances.filter((x) => x === 0).length).toBeGreaterThan(QUERIES);
        const first = many.indices.filter((_, at) => at % 40 < 4);
        expect([...few.indices]).toEqual([...first]);
      }
    });

    it("are sorted by the host where lists are long", async () => {
      const [long, few] = [float32(2500, COLS, normal), float32(3, COLS, normal)];
      const found = await both(long, few, { k: 1500 }, {}, false);
      expectSame(found, bruteForce(long, few, { k: 1500 }), 1500);
    });
  });
});

interface Asked {
  readonly k: number;
  readonly metric?: "euclidean" | "sqeuclidean";
  readonly excludeSelf?: boolean;
  readonly precision?: "float32";
}

/** A device evaluates candidates of rows in float32. */
function float32(rows: number, cols: number, value: (row: number, column: number) => number): Flat {
  const { data } = matrix(rows, cols, value);
  return { data: Float32Array.from(data as Float64Array), rows, cols };
}
