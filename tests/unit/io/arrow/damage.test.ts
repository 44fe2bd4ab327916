/**
 * Arrow files that are cut, that claim more than they hold, or whose dictionaries change from batch to batch,
 * made of the messages of valid streams. What is read of whole files is arrowFile.test.ts's.
 */
import { Dictionary, Int32, Table, Utf8, makeVector, tableToIPC, vectorFromArray } from "apache-arrow";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nextMessage } from "../../../../src/io/arrow/messages.ts";
import { openArrow } from "../../../../src/io/arrow/stream.ts";
import { ByteCursor } from "../../../../src/io/bytes/cursor.ts";
import { bytesSource, type ByteSource } from "../../../../src/io/bytes/source.ts";
import { readTable } from "../../../../src/io/read.ts";
import { pipe, plain } from "../csv/helpers.ts";
import { codedStream } from "../mutationCases.ts";
import { Pending } from "../pendingHelpers.ts";

afterEach(() => void vi.restoreAllMocks());

const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const magic = new TextEncoder().encode("ARROW1\0\0");
const endMark = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** The messages of a column "s" of codes, whose dictionary comes in parts: the first, and what adds to it. */
async function messagesOf(codes: readonly number[], parts: readonly (readonly string[])[]) {
  const [first, ...more] = parts.map((texts) => vectorFromArray(texts, new Utf8()));
  const type = new Dictionary(new Utf8(), new Int32(), 7);
  const dictionary = first.concat(...more);
  const s = makeVector({ type, data: Int32Array.from(codes), dictionary });
  const cursor = new ByteCursor(bytesSource(tableToIPC(new Table({ s }), "stream"), "x.arrow"));
  const messages: Uint8Array[] = [];
  for (let next; (next = await nextMessage(cursor, false)) !== undefined;) messages.push(next.bytes);
  expect(messages).toHaveLength(parts.length + 2);
  return { schema: messages[0], dictionaries: messages.slice(1, -1), rows: messages.at(-1)! };
}

const readAll = (bytes: Uint8Array, options = {}) => readTable(bytesSource(bytes, "x.arrow"), options);

describe("a dictionary", () => {
  it("that claims more values than it has bytes for is refused at its byte", async () => {
    const bytes = codedStream();
    bytes[394] = 255;
    await expect(readAll(bytes)).rejects.toThrow(
      "byte 224: the message that begins here is damaged (a dictionary claims 16711682 rows and has bytes for 3)",
    );
  });

  it("that lacks a code is refused at the byte of the batch", async () => {
    const bytes = codedStream();
    bytes[392] = 1;
    await expect(readAll(bytes)).rejects.toThrow(
      "byte 432: the message that begins here is damaged (a cell has the code 1, but its dictionary 1 values)",
    );
    const { schema, rows } = await messagesOf([0], [["a"]]);
    await expect(readAll(joined(schema, rows))).rejects.toThrow("its dictionary 0 values");
  });

  it("replaces the one before it, or adds to it", async () => {
    const one = await messagesOf([0, 1], [["a", "b"], ["c"], ["d"]]);
    const other = await messagesOf([3, 2, 0], [["x", "y"]]);
    const [whole, ...more] = one.dictionaries;
    const bytes = joined(
      ...[one.schema, whole, one.rows, ...more, other.rows, other.dictionaries[0], one.rows, more[0]],
      ...[whole, one.rows],
    );
    expect(plain(await readAll(bytes)).s).toEqual(["a", "b", "d", "c", "a", "x", "y", "a", "b"]);
    await expect(readAll(joined(one.schema, more[0], one.rows))).rejects.toThrow(
      `byte ${one.schema.length}: the message that begins here is damaged (dictionary 7 is added to before it is there)`,
    );
  });

  it("is decoded once, however many batches follow", async () => {
    const texts = Array.from({ length: 500 }, (_, at) => `text ${at}`);
    const { schema, dictionaries, rows } = await messagesOf([0, 499], [texts]);
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const table = await readAll(joined(schema, ...dictionaries, ...Array<Uint8Array>(50).fill(rows)));
    expect(table.rows).toBe(100);
    expect(decode.mock.calls.length).toBeLessThan(2 * texts.length);
  });

  it("is let go when it is replaced, and refused where those that stay are more than may be held", async () => {
    const texts = Array.from({ length: 100 }, (_, at) => `text ${at}`);
    const { schema, dictionaries, rows } = await messagesOf([0, 1], [texts, texts]);
    const [whole, more] = dictionaries;
    const memory = 2 ** 16;
    const replaced = joined(schema, ...Array<Uint8Array[]>(100).fill([whole, rows]).flat());
    expect(replaced.length).toBeGreaterThan(2 * memory);
    expect((await readTable(pipe(replaced, 1000, "x.arrow"), { memory })).rows).toBe(200);
    const added = joined(schema, whole, ...Array<Uint8Array>(100).fill(more), rows);
    await expect(readTable(pipe(added, 1000, "x.arrow"), { memory })).rejects.toThrow(
      /^x.arrow: byte \d+: the dictionaries up to here take 6[5-9]\d{3} bytes in memory; at most 65536 may; put the input/,
    );
  });
});

describe("a file that ends between two messages", () => {
  it("is truncated, where a stream is not", async () => {
    const { schema, dictionaries, rows } = await messagesOf([0, 1], [["a", "b"]]);
    const parts = [schema, ...dictionaries, rows, rows];
    for (let count = 0; count <= parts.length; count++) {
      const cut = joined(magic, ...parts.slice(0, count));
      for (const source of [bytesSource(cut, "x.arrow"), pipe(cut, 100, "x.arrow")])
        await expect(readTable(source)).rejects.toThrow(
          `x.arrow: byte ${cut.length}: the file ends here without the mark of its end; it is truncated`,
        );
    }
    for (const whole of [joined(...parts), joined(magic, ...parts, endMark)])
      expect(plain(await readAll(whole)).s).toEqual(["a", "b", "a", "b"]);
  });
});

describe("a source", () => {
  /** Never ends by itself, so that only a reader who closes it ends its pass. */
  function unending(bytes: Uint8Array, once: boolean) {
    const pieces = new Pending([bytes]);
    let closed = 0;
    async function* stream() {
      try {
        yield bytes;
        yield* pieces;
      } finally {
        closed++;
      }
    }
    const source: ByteSource = { name: "x.arrow", ...(once ? { once } : {}), stream };
    return { source, pieces, closed: () => closed };
  }

  it.each([
    ["read again", false],
    ["read once", true],
  ])("that can be %s is closed when its head is refused", async (_, once) => {
    for (const bytes of [new Uint8Array(100).fill(127), joined(magic, new Uint8Array(100).fill(127))]) {
      const { source, closed } = unending(bytes, once);
      await expect(openArrow(source)).rejects.toThrow("expected a message of Arrow");
      expect(closed()).toBe(1);
    }
    const wrong = unending(codedStream(), once);
    await expect(openArrow(wrong.source, { columns: ["no"] })).rejects.toThrow("no");
    expect(wrong.closed()).toBe(1);
  });

  it("is told to end when the reading of its head is aborted", async () => {
    const left: unknown[] = [];
    const source: ByteSource = {
      name: "x.arrow",
      stream(signal) {
        signal?.addEventListener("abort", () => left.push(signal.reason));
        return new Pending([codedStream().subarray(0, 100)]);
      },
    };
    const controller = new AbortController();
    const opening = openArrow(source, { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 10);
    await expect(opening).rejects.toBe("enough");
    expect(left).toEqual(["enough"]);
  });
});
