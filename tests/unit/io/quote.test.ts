/** Messages stay short whatever a file holds. */
import { expect, it } from "vitest";
import { collectTable } from "../../../src/table/collect.ts";
import { openTable } from "../../../src/io/read.ts";
import { textSource } from "../../../src/io/bytes/source.ts";
import { pipe } from "./csv/helpers.ts";
import { openJsonl } from "../../../src/io/jsonl/stream.ts";

const long = "z".repeat(1_000_000);
const digits = `1${"2".repeat(250)}`;
const huge = `1${"2".repeat(1_000_000)}`;

it.for([
  ["text among numbers", "x.csv", `x\n1\n${long}\n`],
  ["a rounded integer", "x.csv", `x\n${digits}\n`],
  ["an overflow", "x.csv", `x\n${huge}\n`],
  ["text after numbers", "x.jsonl", `{"x":1}\n{"x":"${long}"}\n`],
  ["a rounded integer", "x.jsonl", `{"x":${digits}}\n`],
  ["an overflow", "x.jsonl", `{"x":${huge}}\n`],
] as const)("%s is quoted in 100 characters (%s)", async ([, name, text]) => {
  const opened = openTable(textSource(text, name), { numeric: ["x"] }).then((stream) => collectTable(stream));
  const error: unknown = await opened.catch((error: unknown) => error);
  expect(error).toBeInstanceOf(Error);
  const { message } = error as Error;
  expect(message).toMatch(/(z{98,99}|12{98})…/);
  expect(message.length).toBeLessThan(700);
});

it("text behind the look into a pipe is quoted in 100 characters", async () => {
  const bytes = new TextEncoder().encode(`{"x":1}\n{"x":1}\n{"x":"${long}"}\n`);
  const stream = await openJsonl(pipe(bytes, 16, "-"), {}, 10);
  await expect(collectTable(stream)).rejects.toThrow(/^-, line 3.{0,30}z{98,99}….{0,200}$/);
});
