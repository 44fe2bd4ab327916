/**
 * Files on disk as byte sources: every way of reading gives the same bytes, of one version of the file or
 * none.
 */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import type { ByteSource } from "../../../src/io/bytes/source.ts";
import { readBytes } from "../../../src/io/bytes/source.ts";
import { fileSource } from "../../../src/node/fileSource.ts";

const bytes = Uint8Array.from({ length: 5_000_003 }, (_, at) => (at * 31) ^ (at >> 8));

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nearfield-files-"));
  path = join(folder, "x.bin");
  writeFileSync(path, bytes);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const opened = (signal?: AbortSignal) => fileSource(path, { signal });
const same = (found: Uint8Array, begin: number, end: number) =>
  Buffer.compare(found, bytes.subarray(begin, end)) === 0;

async function into(source: ByteSource, begin: number, length: number): Promise<Uint8Array> {
  const target = new Uint8Array(length);
  return target.subarray(0, await source.readInto?.(target, begin));
}

describe("a file as a byte source", () => {
  it("gives the same bytes from its start and from anywhere, fewer past its end", async () => {
    const source = await opened();
    expect([source.name, source.byteLength]).toEqual([path, bytes.length]);
    expect(same(await readBytes(source), 0, bytes.length)).toBe(true);
    for (const [begin, length] of [
      [0, bytes.length],
      [3, 4_500_000],
      [4_999_999, 100],
      [6_000_000, 10],
    ]) {
      expect(same((await source.slice?.(begin, begin + length))!, begin, begin + length)).toBe(true);
      expect(same(await into(source, begin, length), begin, begin + length)).toBe(true);
    }
  });

  it.runIf(existsSync("/proc/self/fd"))(
    "is opened once for reads side by side, and closed after them",
    async () => {
      const open = () =>
        readdirSync("/proc/self/fd").filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`) === path;
          } catch {
            return false; // The descriptor of this very list.
          }
        }).length;
      const source = await opened();
      let most = 0;
      const timer = setInterval(() => (most = Math.max(most, open())), 0);
      for (let time = 0; time < 3; time++) {
        const reads = Array.from({ length: 8 }, (_, at) => into(source, at * 500_000, 400_000 + at));
        for (const [at, found] of (await Promise.all(reads)).entries())
          expect(same(found, at * 500_000, at * 500_000 + 400_000 + at)).toBe(true);
        expect(open()).toBe(0);
      }
      clearInterval(timer);
      expect(most).toBe(1);
      rmSync(path);
      await expect(into(source, 0, 10)).rejects.toThrow("there is no such file");
      writeFileSync(path, bytes);
      await expect(into(source, 0, 10)).rejects.toThrow("was changed or replaced");
    },
  );

  it("that is empty gives nothing", async () => {
    writeFileSync(path, "");
    expect(await readBytes(await opened())).toHaveLength(0);
  });

  it("of no name, of none that exists, or that is a folder is refused", async () => {
    await expect(fileSource("")).rejects.toThrow("cannot be read: there is no such file; check the path");
    await expect(fileSource(join(folder, "y"))).rejects.toThrow("there is no such file; check the path");
    await expect(fileSource(folder)).rejects.toThrow("is a folder; name a file");
  });

  it("stops with the signal's reason", async () => {
    const controller = new AbortController();
    const source = await opened(controller.signal);
    controller.abort(new Error("enough"));
    await expect(readBytes(source)).rejects.toThrow("enough");
    await expect(source.slice?.(0, 10)).rejects.toThrow("enough");
    await expect(into(source, 0, 10)).rejects.toThrow("enough");
  });
});

const changes: Readonly<Record<string, () => void>> = {
  "is written over with as many bytes": () => {
    const { atime, mtimeMs } = statSync(path);
    writeFileSync(path, new Uint8Array(bytes.length));
    utimesSync(path, atime, new Date(mtimeMs + 1000));
  },
  "grows, its time unchanged": () => {
    const { atime, mtime } = statSync(path);
    appendFileSync(path, "more");
    utimesSync(path, atime, mtime);
  },
  "is cut short": () => truncateSync(path, 100_000),
  "is replaced by another of the same size and time": () => {
    const { atime, mtime } = statSync(path);
    writeFileSync(`${path}.new`, new Uint8Array(bytes.length));
    utimesSync(`${path}.new`, atime, mtime);
    renameSync(`${path}.new`, path);
  },
};

describe.each(Object.entries(changes))("a file that %s while it is read", (_, change) => {
  const changed = () =>
    `InvalidInputError: ${path}: was changed or replaced while it was read; run it again when nothing writes to it`;
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "read",
      (error: unknown) =>
        error instanceof InvalidInputError ? `InvalidInputError: ${error.message}` : String(error),
    );

  it("is refused by every later read from anywhere", async () => {
    const source = await opened();
    expect(same((await source.slice?.(0, 10))!, 0, 10)).toBe(true);
    change();
    const reads = [source.slice!(0, 10), into(source, 0, 10), readBytes(source)];
    expect(await Promise.all(reads.map(outcome))).toEqual(reads.map(changed));
  });

  it("gives no piece of another version, and no end, to a stream", async () => {
    const source = await opened();
    let seen = 0;
    const reading = (async () => {
      for await (const piece of source.stream()) {
        expect(same(piece, seen, seen + piece.length)).toBe(true);
        seen += piece.length;
        if (seen === piece.length) change();
      }
    })();
    const expected =
      // What is open stays the old version when another takes its name.
      change === changes["is replaced by another of the same size and time"] ? "read" : changed();
    expect(await outcome(reading)).toBe(expected);
    if (expected === "read") expect(seen).toBe(bytes.length);
  });
});
