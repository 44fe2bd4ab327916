/**
 * Rows of a file that another thread reads into staging memory: as the file has them, once more than the
 * chunk they are in.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kneighborsStream, openNpy } from "../../../../dist/node.js";
import type { ByteSource, Device } from "../../../../dist/node.js";
import { bruteForce } from "../../../oracle/knn.ts";
import { Random, printedSeed } from "../../../oracle/random.ts";
import { expectSame, isAbsent, openDevice } from "../../helpers.ts";
import { npyFile } from "./npyFile.ts";

const random = new Random(printedSeed());
const cols = 16;
const trainRows = 20_000;
const rows = 2 * trainRows + 17_000;
const data = Float32Array.from({ length: rows * cols }, () => random.uniform());
const queries = { data: data.slice(0, 5 * cols), rows: 5, cols };
const k = 3;
/** So little that a chunk takes several staging buffers. */
const deviceMemory = 2 ** 26;

/** A read of bytes that were read before goes into staging memory like this. */
type Again = (target: Uint8Array, read: () => number) => Promise<number>;

function fileOf(again: Again): Promise<ByteSource> {
  let end = 0;
  return npyFile({ data, rows, cols }, (target, begin, read) => {
    if (begin < end) return again(target, read);
    end = begin + target.length;
    return Promise.resolve(read());
  });
}

async function search(device: Device, again: Again, signal?: AbortSignal) {
  const train = await openNpy(await fileOf(again));
  for await (const chunk of kneighborsStream(train, queries, { k, trainRows, device, signal })) return chunk;
  throw new Error("no chunk came");
}

describe.skipIf(isAbsent("gpu"))("rows that another thread fetches", () => {
  let device: Device;
  const expected = bruteForce({ data, rows, cols }, queries, { k });
  beforeAll(async () => {
    device = await openDevice("gpu", { deviceMemory });
  });
  afterAll(() => device.dispose());

  it("are those of the file, each fetched once", async () => {
    let fetched = 0;
    const found = await search(device, async (target, read) => {
      fetched += target.length;
      // The others of this search, and what they do to the ring, come before.
      await new Promise((resolve) => setTimeout(resolve, random.int(0, 20)));
      return read();
    });
    expectSame(found, expected, k);
    expect(fetched).toBe(data.byteLength);
  });

  it("end the search when they cannot be read, and leave the device as it was", async () => {
    for (let time = 0; time < 16; time++) {
      let reading = 0;
      const failed = search(device, async () => {
        reading++;
        await new Promise((resolve) => setTimeout(resolve, reading === 1 ? 0 : 20));
        reading--;
        throw new Error("the disk is gone");
      });
      await expect(failed).rejects.toThrow("the disk is gone");
      expect(reading, "reads of memory that was given back").toBe(0);
    }
    await expect(search(device, (_, read) => Promise.resolve(read() - 4))).rejects.toThrow(
      /^large\.npy: byte \d+: the file ends here; it was truncated/,
    );
    expectSame(await search(device, (_, read) => Promise.resolve(read())), expected, k);
  });

  it("are not waited for by a search that is aborted, and keep their memory until they are there", async () => {
    const stop = new AbortController();
    const lengths: number[] = [];
    const reads: Promise<void>[] = [];
    let arrive = () => {};
    const arrival = new Promise<void>((resolve) => (arrive = resolve));
    const again: Again = (target, read) => {
      setTimeout(() => stop.abort(new Error("enough")), 20);
      const reading = arrival.then(() => {
        lengths.push(target.length);
        return read();
      });
      reads.push(reading.then(() => undefined));
      return reading;
    };
    await expect(search(device, again, stop.signal)).rejects.toThrow("enough");
    expect(lengths).toEqual([]);
    for (let time = 0; time < 2; time++)
      expectSame(await search(device, (_, read) => Promise.resolve(read())), expected, k);
    arrive();
    await Promise.all(reads);
    expect(Math.min(...lengths)).toBeGreaterThan(2 ** 17);
    expectSame(await search(device, (_, read) => Promise.resolve(read())), expected, k);
  });

  it("leave the device usable though none of them ever arrives, time after time", async () => {
    for (let time = 0; time < 8; time++) {
      const signal = AbortSignal.timeout(50);
      await expect(search(device, () => new Promise(() => undefined), signal)).rejects.toThrow("timeout");
    }
    expectSame(await search(device, (_, read) => Promise.resolve(read())), expected, k);
  });

  it("are copied to a caller's device, which the caller may destroy", async () => {
    const { device: gpuDevice } = device.backend as unknown as { device: GPUDevice };
    const theirs = await openDevice("gpu", { gpuDevice, deviceMemory });
    let fetched = 0;
    expectSame(await search(theirs, (_, read) => Promise.resolve((fetched += read()))), expected, k);
    expect(fetched).toBe(0);
    theirs.dispose();
  });

  it("keep their memory until they are there, though the device is disposed of", async () => {
    const other = await openDevice("gpu", { deviceMemory });
    let [begun, arrive] = [() => {}, () => {}];
    const asked = new Promise<void>((resolve) => (begun = resolve));
    const arrival = new Promise<void>((resolve) => (arrive = resolve));
    const lengths: number[] = [];
    const failed = search(other, async (target, read) => {
      begun();
      await arrival;
      lengths.push(target.length);
      return read();
    });
    failed.catch(() => undefined);
    await asked;
    other.dispose();
    await new Promise((resolve) => setTimeout(resolve, 50));
    arrive();
    await expect(failed).rejects.toThrow("disposed");
    expect(lengths.length).toBeGreaterThan(0);
    expect(Math.min(...lengths)).toBeGreaterThan(2 ** 17);
  });
});
