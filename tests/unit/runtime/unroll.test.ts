/** Loops of WGSL written out: which ones, how they nest, and what is left as it was. */
import { expect, it } from "vitest";
import { unroll } from "../../../src/runtime/gpu/passes/unroll.ts";

const loop = (name: string, end: string, body: string) =>
  `for (var ${name} = 0u; ${name} < ${end}; ${name}++) {${body}}`;
const flat = (text: string) => text.replace(/\s/g, "");

it("writes a loop out once for each number, and leaves what is around it", () => {
  const text = `a; ${loop("i", "ITEMS", "b[i]; { c; }")} d;`;
  expect(flat(unroll(text, { ITEMS: 2 }))).toBe("a;{consti=0u;b[i];{c;}}{consti=1u;b[i];{c;}}d;");
});

it("writes loops within loops out, also within those that stay", () => {
  const inner = loop("i", "ITEMS", "x;");
  expect(flat(unroll(loop("at", "count", inner), { ITEMS: 2 }))).toBe(
    "for(varat=0u;at<count;at++){{consti=0u;x;}{consti=1u;x;}}",
  );
  expect(flat(unroll(loop("g", "GROUPS", inner), { ITEMS: 1, GROUPS: 2 }))).toBe(
    "{constg=0u;{consti=0u;x;}}{constg=1u;{consti=0u;x;}}",
  );
});

it("knows loops whose blanks the build took out", () => {
  expect(flat(unroll("for (var i=0u; i<N; i++){f(i);}", { N: 1 }))).toBe("{consti=0u;f(i);}");
});
