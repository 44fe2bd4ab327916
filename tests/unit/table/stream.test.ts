import { expect, it } from "vitest";
import { chunkRows } from "../../../src/table/stream.ts";

it.each([
  [{}, 1, 65_536],
  [{}, 64, 65_536],
  [{}, 65, 64_527],
  [{}, 2 ** 22, 1],
  [{}, 2 ** 22 + 1, 1],
  [{ maxRows: 10 }, 5, 10],
  [{ maxRows: 10 }, 2 ** 20, 4],
])(
  "chunks of %j with %i columns have %i rows at most, four million cells or one row",
  (options, cols, rows) => {
    expect(chunkRows(options, cols)).toBe(rows);
  },
);
