/** Whose fault an error is: its exit code, and a remedy for what the system says. */
import { describe, expect, it } from "vitest";
import { failureOf, inFlags, setsMemory } from "../../../src/cli/failure.ts";
import { fileError } from "../../../src/node/fileErrors.ts";
import { InvalidInputError, OutOfMemoryError } from "../../../src/core/errors.ts";

const { signal } = new AbortController();

describe("an error of the file system", () => {
  it.each(["ENXIO", "EFBIG", "EMFILE", "ENFILE", "EIO", "EBUSY", "ETXTBSY"])("%s has a remedy", (code) => {
    const error = fileError(Object.assign(new Error(code), { code }), "x.csv", "written");
    expect(error).toBeInstanceOf(InvalidInputError);
    const { message, exitCode } = failureOf(error, signal, false, false);
    expect(exitCode).toBe(1);
    expect(message).toMatch(/^x\.csv: cannot be written: [^;]+[;:] .*(name|raise|close|end) /);
  });
});

describe("options of the library", () => {
  it.each([
    [
      "read it as text (option nominal: x), or (option skip or comment)",
      "read it as text (--nominal x), or (--skip or --comment)",
    ],
    ["name it (option format: csv, jsonl)", "name it (--input-format csv, jsonl)"],
    ["do not hold one tile; raise deviceMemory", "do not hold one tile; raise --device-memory"],
    ["the column (optional) raises memory", "the column (optional) raises memory"],
  ])("are named as the command line names them: %s", (given, shown) => {
    expect(inFlags(given)).toBe(shown);
    expect(failureOf(new InvalidInputError(given), signal, false, false).message).toBe(shown);
    expect(failureOf(new OutOfMemoryError(given, 1), signal, false, false).message).toBe(shown);
  });
});

describe("a lack of memory", () => {
  const exitCode = (args: readonly string[]) =>
    failureOf(new OutOfMemoryError("raise memory", 128), signal, false, setsMemory(args)).exitCode;

  it("is the user's mistake only under a budget of the user's", () => {
    expect(exitCode(["search", "--memory", "5"])).toBe(1);
    expect(exitCode(["search", "--memory=5"])).toBe(1);
    expect(exitCode(["search", "--device-memory", "5"])).toBe(1);
    expect(exitCode(["search", "--out", "memory"])).toBe(70);
  });
});
