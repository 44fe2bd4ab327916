/** NO_COLOR, FORCE_COLOR and the terminal decide about colours, in this order. */
import { describe, expect, it } from "vitest";
import { hasColor, painted } from "../../../src/cli/color.ts";

const terminal = { isTTY: true };
const pipe = {};

describe("colours", () => {
  it.each([
    ["of a terminal are shown", terminal, {}, true],
    ["of a pipe are not", pipe, {}, false],
    ["are taken away by NO_COLOR", terminal, { NO_COLOR: "1" }, false],
    ["are left alone by an empty NO_COLOR", terminal, { NO_COLOR: "" }, true],
    ["are added by FORCE_COLOR", pipe, { FORCE_COLOR: "1" }, true],
    ["are left alone by an empty FORCE_COLOR", pipe, { FORCE_COLOR: "" }, false],
    ["are taken away by FORCE_COLOR=0", terminal, { FORCE_COLOR: "0" }, false],
    ["are taken away by both variables", pipe, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
    ["of a dumb terminal are not shown", terminal, { TERM: "dumb" }, false],
  ])("%s", (_, stream, env, expected) => {
    expect(hasColor(stream, env)).toBe(expected);
  });

  it("surround a text, or leave it alone", () => {
    expect([painted("a", "red", true), painted("a", "red", false)]).toEqual(["\x1b[31ma\x1b[0m", "a"]);
  });
});
