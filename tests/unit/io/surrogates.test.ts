/** Half of a surrogate pair has no UTF-8: it is refused, never replaced. */
import { expect, it } from "vitest";
import { writeTable } from "../../../src/io/write.ts";
import { Table } from "../../../src/table/table.ts";

const half = "a\ud800";
const tables = {
  "as a cell": Table.fromColumns({ x: [half] }),
  "as a name": Table.fromColumns({ [half]: ["a"] }),
};

async function written(format: "csv" | "parquet" | "jsonl", table: Table): Promise<string> {
  let text = "";
  for await (const piece of writeTable(format, table)) text += String(piece);
  return text;
}

it.for(Object.entries(tables))("%s it is refused in every format of tables", async ([, table]) => {
  for (const format of ["csv", "parquet", "jsonl"] as const) {
    await expect(written(format, table)).rejects.toThrow(
      /^character 2 of "a\\ud800" is half of a surrogate pair/,
    );
  }
});

it("whole pairs are written", async () => {
  const table = Table.fromColumns({ x: ["😀"] });
  expect(await written("csv", table)).toBe("x\n😀\n");
  expect(await written("jsonl", table)).toBe('{"x":"😀"}\n');
});
