/** Numbers of things in messages. */
import { expect, it } from "vitest";
import { plural } from "../../../src/core/plural.ts";

it("one thing is singular", () => {
  expect(plural(1, "row")).toBe("1 row");
  expect([0, 2].map((amount) => plural(amount, "query", "queries"))).toEqual(["0 queries", "2 queries"]);
});
