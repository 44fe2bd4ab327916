/** 64-bit integers of .npy files: read and written as they are, in both byte orders, axes in both orders. */
import { expect, it } from "vitest";
import { bytesSource } from "../../../src/io/bytes/source.ts";
import { readNpy, readNpyArray } from "../../../src/io/npy/read.ts";
import { writeNpy, type NpyWriteOptions } from "../../../src/io/npy/write.ts";

function fileOf(descr: string, fortran: boolean, shape: string, data: Uint8Array) {
  const dict = `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, 'shape': ${shape}, }\n`;
  const head = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, dict.length, 0);
  return bytesSource(Uint8Array.from([...head, ...new TextEncoder().encode(dict), ...data]), "x.npy");
}

/** Six numbers of which float64 holds none but the last. */
const values = BigInt64Array.of(
  2n ** 53n + 1n,
  -(2n ** 63n) + 1n,
  2n ** 62n + 3n,
  -(2n ** 60n) - 7n,
  2n ** 55n + 1n,
  0n,
);
const bytes = (big: boolean) => {
  const view = new DataView(new ArrayBuffer(48));
  values.forEach((value, at) => view.setBigInt64(at * 8, value, !big));
  return new Uint8Array(view.buffer);
};

async function written(data: Parameters<typeof writeNpy>[0], options?: NpyWriteOptions) {
  const pieces = [];
  for await (const piece of writeNpy(data, options)) pieces.push(...piece);
  return bytesSource(Uint8Array.from(pieces), "x.npy");
}

it.each(["<i8", ">i8"])("reads %s in C order", async (descr) => {
  const read = await readNpyArray(fileOf(descr, false, "(2, 3)", bytes(descr === ">i8")));
  expect(read).toEqual({ data: values, shape: [2, 3] });
  await expect(readNpy(fileOf(descr, false, "(2, 3)", bytes(descr === ">i8")))).rejects.toThrow(
    "beyond 2^53",
  );
});

it("reads Fortran order as C order, and numbers without a sign", async () => {
  const { data } = await readNpyArray(fileOf("<i8", true, "(3, 2)", bytes(false)));
  expect(data).toEqual(BigInt64Array.from([0, 3, 1, 4, 2, 5], (at) => values[at]));
  const unsigned = await readNpyArray(fileOf("<u8", false, "(6,)", bytes(false)));
  expect(unsigned.data).toEqual(new BigUint64Array(values.buffer));
  expect((await readNpyArray(fileOf("<i8", false, "(0,)", new Uint8Array(0)))).data).toEqual(
    new BigInt64Array(0),
  );
});

it("writes what it reads, of any shape", async () => {
  expect(await readNpyArray(await written(values))).toEqual({ data: values, shape: [6] });
  const shape = [1, 3, 2];
  expect(await readNpyArray(await written(values, { shape }))).toEqual({ data: values, shape });
  const floats = Float32Array.of(1, 2, 3, 4);
  expect(await readNpyArray(await written(floats, { shape: [2, 2] }))).toEqual({
    data: floats,
    shape: [2, 2],
  });
  await expect(written(floats, { shape: [3] })).rejects.toThrow("shape is [3], but there are 4 elements");
});
