/** The command line reads what is no file, too: files are tests/unit/node/fileSource.test.ts. */
import { expect, it } from "vitest";
import { inputSource } from "../../../src/cli/files.ts";

it("says what an input without a name may be", async () => {
  await expect(inputSource("", new AbortController().signal)).rejects.toThrow(
    "the path of an input is empty; name a file, or - for stdin",
  );
});
