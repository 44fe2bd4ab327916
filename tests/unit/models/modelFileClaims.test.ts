/**
 * What a model file says of its own size is held against a budget before memory is taken, and nothing beyond
 * is read (issue 19).
 */
import { describe, expect, it } from "vitest";
import { atOnce, runYielding } from "../../../src/core/async/yielding.ts";
import { collectModel } from "../../../src/models/file/collect.ts";
import { ContainerWriter } from "../../../src/models/file/container.ts";
import { fromJson, toJson } from "../../../src/models/file/json.ts";
import { ContainerReader } from "../../../src/models/file/reader.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

function fileOf(header: object, array = Float64Array.of(1, 2, 3)): Uint8Array {
  const writer = new ContainerWriter();
  writer.place(array);
  return new Uint8Array(Buffer.concat([...writer.pieces(header)]));
}

/** With another length of the whole file in its prelude. */
function claiming(bytes: Uint8Array, length: bigint): Uint8Array {
  const changed = bytes.slice();
  new DataView(changed.buffer).setBigUint64(16, length, true);
  return changed;
}

/** Counts what is read of it. */
class Source {
  read = 0;
  readonly #bytes: Uint8Array;
  readonly #endless: boolean;

  constructor(bytes: Uint8Array, endless = false) {
    this.#bytes = bytes;
    this.#endless = endless;
  }

  async *pieces(size: () => number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.#bytes.length; await Promise.resolve()) {
      const piece = this.#bytes.subarray(at, at + size());
      at += piece.length;
      this.read += piece.length;
      yield piece;
    }
    while (this.#endless) {
      this.read += size();
      yield new Uint8Array(size());
      if (this.read > 1e6) throw new Error("a million bytes were read");
    }
  }
}

const options = { name: "some.nfm", memory: 10_000 };

describe("the bytes of a model", () => {
  const bytes = fileOf({ some: "header" });

  it("are collected from pieces of any size", async () => {
    let turn = 0;
    const emptyFirst = () => (turn++ % 2) * 30;
    for (const size of [
      emptyFirst,
      () => 1,
      () => 23,
      () => 24,
      () => 25,
      () => 1e6,
      () => random.int(0, 40),
    ])
      expect(await collectModel(new Source(bytes).pieces(size), options)).toEqual(bytes);
  });

  it.each<[string, Uint8Array, string]>([
    ["zeros without end", new Uint8Array(), "some.nfm: is not a Nearfield model; name a file that was"],
    [
      "a model with zeros behind it",
      bytes,
      `is damaged: it says that it has ${bytes.length} bytes, and more follow`,
    ],
    ["a claim of no bytes", claiming(bytes, 0n), "is damaged: it says that it has 0 bytes; copy it again"],
    [
      "a claim of more than the budget",
      claiming(bytes, 10_001n),
      "needs 10001 bytes of main memory by what it says, and",
    ],
    [
      "a claim of 2^64 - 1 bytes",
      claiming(bytes, 2n ** 64n - 1n),
      "needs 18446744073709551615 bytes of main memory",
    ],
  ])("are no longer read than it takes to refuse %s", async (_, start, message) => {
    const source = new Source(start, true);
    const found = collectModel(
      source.pieces(() => 64),
      options,
    );
    await expect(found).rejects.toThrow(message);
    await expect(found).rejects.toMatchObject({ tag: "InvalidInput", place: { file: "some.nfm" } });
    expect(source.read).toBeLessThanOrEqual(bytes.length + 64);
  });

  it.each([0, 1, 7, 8, 23, 24, 25, -1])("are refused when they end at byte %d", async (end) => {
    const cut = bytes.subarray(0, end);
    const found = collectModel(
      new Source(cut).pieces(() => 5),
      options,
    );
    await expect(found).rejects.toThrow(
      cut.length === 0
        ? "is not a Nearfield model"
        : `is cut off after ${cut.length}${cut.length < 24 ? " bytes; copy" : ` of ${bytes.length} bytes, or damaged; copy`}`,
    );
  });

  it("are no longer collected once a signal aborts", async () => {
    const controller = new AbortController();
    const source = new Source(claiming(bytes, 9000n), true);
    const pieces = source.pieces(() => (source.read > 500 && controller.abort(new Error("enough")), 32));
    await expect(collectModel(pieces, { ...options, signal: controller.signal })).rejects.toThrow("enough");
    expect(source.read).toBeLessThan(700);
  });
});

describe("a container", () => {
  it("is held against the budget with the copies of its arrays", () => {
    const bytes = fileOf({}, new Float64Array(1000));
    expect(() => atOnce(ContainerReader.open(bytes, "some.nfm", 15_000))).toThrow(
      /^some.nfm: needs 1\d{4} bytes of main memory by what it says, and the budget is 15000; allow more/,
    );
    expect(atOnce(ContainerReader.open(bytes, "some.nfm", 17_000)).header).toEqual({});
  });

  it("is held against the budget with what its header becomes", () => {
    const notes = Array.from({ length: 10_000 }, () => []);
    const bytes = fileOf({ notes });
    expect(bytes.length).toBeLessThan(31_000);
    expect(() => atOnce(ContainerReader.open(bytes, "some.nfm", 1_000_000))).toThrow("some.nfm: needs 13");
    expect(atOnce(ContainerReader.open(bytes, "some.nfm", 2_000_000)).header).toEqual({ notes });
  });

  it("has a header nested as deeply as it likes", () => {
    let value = atOnce(fromJson(`${"[".repeat(200_000)}{"$number":"-0"}${"]".repeat(200_000)}`));
    while (Array.isArray(value)) [value] = value as unknown[];
    expect(value).toBe(-0);
  });

  it("keeps numbers that JSON lacks, and members that only look like them", () => {
    const value = {
      a: [-0, NaN, { b: -Infinity }],
      c: Infinity,
      d: { $number: 7 },
      e: { $number: "x" },
      f: null,
    };
    expect(atOnce(fromJson(toJson(value)))).toEqual(value);
  });

  it("is read in pieces between which a signal is heard", async () => {
    const bytes = fileOf({}, new Float64Array(4_000_000));
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(
      runYielding(ContainerReader.open(bytes, "some.nfm", 1e9), controller.signal),
    ).rejects.toThrow("enough");
  });

  it("is written in pieces of a mebibyte at most", () => {
    const writer = new ContainerWriter();
    writer.place(new Float64Array(500_000));
    for (const piece of writer.pieces({})) expect(piece.length).toBeLessThanOrEqual(2 ** 20);
  });
});
