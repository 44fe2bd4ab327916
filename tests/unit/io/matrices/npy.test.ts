/**
 * Fixtures are numpy's own files (tests/fixtures/make.py); headers that numpy would not write are built here.
 */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { collectMatrix } from "../../../../src/core/matrixStream.ts";
import { openNpy, readNpy } from "../../../../src/io/npy/read.ts";
import { bytesSource, type ByteSource } from "../../../../src/io/bytes/source.ts";
import { pipe } from "../csv/helpers.ts";
import { chunksOf, everySource, expected, failure, fixture, plain, plainFixture } from "./matrixHelpers.ts";

const names = Object.keys(expected).filter((name) => name.includes(".npy"));

/** A file with the given header and elements; the version says how the header's length is written. */
function npy(header: string | Uint8Array, elements: ArrayBufferView = new Uint8Array(0), version = 1) {
  const text = typeof header === "string" ? new TextEncoder().encode(header) : header;
  const length = version === 1 ? [text.length, 0] : [text.length, 0, 0, 0];
  const data = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  const magic = [0x93, ...new TextEncoder().encode("NUMPY")];
  const start = Uint8Array.of(...magic, version, 0, ...length, ...text);
  const bytes = new Uint8Array(start.length + data.length);
  bytes.set(start);
  bytes.set(data, start.length);
  return bytes;
}

const dict = (descr: string, shape: string, fortran = "False") =>
  `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;

describe("an .npy file", () => {
  it.each(names)("of numpy reads equal, however it comes: %s", async (name) => {
    const { memory, ...others } = everySource(fixture(name));
    for (const source of name.endsWith(".gz") ? [memory] : [memory, ...Object.values(others)]) {
      expect(plain(await readNpy(source))).toEqual(plainFixture(name));
    }
  });

  it.each(names)("of numpy reads equal in chunks: %s", async (name) => {
    const { rows, cols, values } = plainFixture(name);
    for (const maxRows of [1, 2, 3, undefined]) {
      const stream = await openNpy(bytesSource(fixture(name), name));
      expect(stream).toMatchObject({ rows, cols, once: false });
      for (const pass of ["first", "second"]) {
        const chunks = await chunksOf(stream, maxRows);
        expect([pass, chunks.flatMap(({ data }) => [...data])]).toEqual([pass, values]);
        const sizes = chunks.map((chunk) => chunk.rows);
        expect(sizes.slice(0, -1).every((size) => size === maxRows)).toBe(true);
        expect(sizes.every((size) => size > 0 && size <= (maxRows ?? rows))).toBe(true);
      }
    }
  });

  it.each([
    ["f2_little.npy", Float32Array],
    ["f4_big.npy", Float32Array],
    ["f8_little.npy", Float64Array],
    ["i1_little.npy", Int8Array],
    ["i2_big.npy", Int16Array],
    ["i4_little.npy", Int32Array],
    ["i8_little.npy", Float64Array],
    ["u1_little.npy", Uint8Array],
    ["u2_little.npy", Uint16Array],
    ["u4_big.npy", Uint32Array],
    ["u8_big.npy", Float64Array],
    ["b1_little.npy", Uint8Array],
    ["no_rows.npy", Float32Array],
  ])("keeps its element type or the nearest one that holds it exactly: %s", async (name, Type) => {
    expect((await readNpy(bytesSource(fixture(name), name))).data).toBeInstanceOf(Type);
  });

  it("of every half float reads as float32", async () => {
    const halves = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const { data } = await readNpy(bytesSource(npy(dict("<f2", "(65536,)"), halves), "x.npy"));
    const wrong = [...data].findIndex((value, bits) => !Object.is(value, halfByDefinition(bits)));
    expect(wrong).toBe(-1);
  });

  it("says what its header says", async () => {
    const stream = await openNpy(bytesSource(fixture("fortran_three_axes.npy"), "x.npy"));
    expect(stream.header).toEqual({ descr: "<i2", fortranOrder: true, shape: [4, 3, 2] });
  });

  it.each([
    `{"descr": "<f4", "fortran_order": False, "shape": (2,)}`,
    `  {'shape':(2,),'descr':"<f4",'fortran_order':False}   `,
    `{'descr': 'f4', 'fortran_order': True, 'shape': (2L, 1L), }\n`,
    `{ 'descr' : '=f4' , 'fortran_order' : False , 'shape' : ( 2 , ) , }`,
  ])("may write its header as Python does: %s", async (header) => {
    const { data } = await readNpy(bytesSource(npy(header, Float32Array.of(1, 2)), "x.npy"));
    expect(data).toEqual(Float32Array.of(1, 2));
  });

  it("through a pipe is read once", async () => {
    const stream = await openNpy(pipe(fixture("f4_little.npy"), 50));
    expect(stream.once).toBe(true);
    await collectMatrix(stream);
    await expect(collectMatrix(stream)).rejects.toThrow("can be read only once");
  });
});

describe("an .npy file in Fortran order", () => {
  /** Counts what is asked of the source. */
  function counted(bytes: Uint8Array, name = "x.npy") {
    const inner = bytesSource(bytes, name);
    const slices: [number, number][] = [];
    const source: ByteSource = {
      name,
      byteLength: bytes.length,
      stream: () => inner.stream(),
      slice: (begin, end) => {
        slices.push([begin, end]);
        return Promise.resolve(bytes.subarray(begin, end));
      },
    };
    return { source, slices };
  }

  it.each(["fortran.npy", "fortran_big.npy", "fortran_three_axes.npy", "fortran_one_row.npy"])(
    "beyond its memory is read in blocks of rows: %s",
    async (name) => {
      const { rows, cols, values } = plainFixture(name);
      for (const [memory, maxRows] of [
        [1, 1],
        [1, 2],
        [24, 1],
        [40, 2],
        [40, 3],
      ]) {
        const { source, slices } = counted(fixture(name));
        const chunks = await chunksOf(await openNpy(source, { memory }), maxRows);
        expect(chunks.flatMap(({ data }) => [...data])).toEqual(values);
        expect(slices.length).toBeLessThanOrEqual(cols * rows);
        if (rows > maxRows) expect(slices.length).toBeGreaterThan(0);
      }
    },
  );

  it("of more rows than are turned round at a time is in order", async () => {
    const [rows, cols] = [400, 1500];
    const values = Uint16Array.from({ length: rows * cols }, (_, at) => (at * 40_503) >>> 3);
    const byColumns = values.map((_, at) => values[(at % rows) * cols + Math.floor(at / rows)]);
    const bytes = npy(dict("<u2", `(${rows}, ${cols})`, "True"), byColumns);
    const sources = [bytesSource(bytes, "x.npy"), pipe(bytes, 65_536)];
    const wholes = await Promise.all(sources.map((source) => readNpy(source)));
    const chunks = await chunksOf(await openNpy(sources[0], { memory: 500_000 }), 150);
    // toEqual takes seconds for so many.
    for (const matrices of [...wholes.map((whole) => [whole]), chunks]) {
      const parts = matrices.map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      expect(Buffer.concat(parts).equals(Buffer.from(values.buffer))).toBe(true);
    }
  });

  it("that fits its memory is read once from start to end", async () => {
    const { source, slices } = counted(fixture("fortran.npy"));
    await chunksOf(await openNpy(source, { memory: 48 }), 1);
    expect(slices).toEqual([]);
  });

  it.each([NaN, -1])("refuses a memory of %s bytes", async (memory) => {
    await expect(openNpy(counted(fixture("fortran.npy")).source, { memory })).rejects.toThrow(
      `memory is ${memory}`,
    );
  });

  it("beyond its memory is refused where it cannot be read from anywhere, unless all rows are wanted", async () => {
    const source = () => pipe(fixture("fortran.npy"), 9);
    await expect(chunksOf(await openNpy(source(), { memory: 47 }), 1)).rejects.toThrow("48 bytes");
    await expect(chunksOf(await openNpy(source(), { memory: 47 }), 1)).rejects.toThrow(InvalidInputError);
    expect(await chunksOf(await openNpy(source(), { memory: 48 }), 1)).toHaveLength(4);
    expect(plain(await readNpy(source()))).toEqual(plainFixture("fortran.npy"));
  });

  it("that shrinks while it is read fails where it ends", async () => {
    const bytes = fixture("fortran.npy");
    const slice = (begin: number, end: number) =>
      Promise.resolve(bytes.subarray(begin, Math.min(end, bytes.length - 2)));
    const stream = await openNpy({ ...bytesSource(bytes, "x.npy"), slice }, { memory: 1 });
    await expect(chunksOf(stream, 4)).resolves.toHaveLength(1);
    await expect(chunksOf(stream, 3)).rejects.toThrow(`byte ${bytes.length - 2}: the file ends here`);
  });
});

describe("a damaged .npy file", () => {
  const header = dict("<f4", "(2, 3)");
  const begin = 10 + header.length;
  const good = npy(header, Float32Array.of(1, 2, 3, 4, 5, 6));

  it("that is truncated is refused at its last byte, wherever it ends", async () => {
    for (let length = 0; length < good.length; length += length < 12 ? 1 : 5) {
      expect(await failure(good.slice(0, length), readNpy)).toMatch(
        new RegExp(`^byte ${length}: the file ends here`),
      );
    }
    expect(await failure(good.slice(0, -1), readNpy)).toContain(
      `but 2 rows x 3 columns need ${good.length} bytes; it is truncated`,
    );
  });

  it("that goes on after its last element is refused there", async () => {
    const longer = Uint8Array.of(...good, 0);
    expect(await failure(longer, readNpy)).toBe(
      `byte ${good.length}: 2 rows x 3 columns end here, but 1 more bytes follow`,
    );
    const fortran = npy(dict("<f4", "(2, 3)", "True"), Float32Array.of(1, 2, 3, 4, 5, 6, 7));
    expect(await failure(fortran, readNpy)).toContain("more bytes follow");
  });

  it.each([
    ["(1152921504606846976, 3)", 'byte 61: found "115292150460", but no array is so long'],
    ["(9007199254740991, 3)", "byte 10: an array of the shape (9007199254740991, 3) is larger than any"],
    ["(4294967296, 4096)", `byte ${begin + 12 + 24}: the file ends here, but 4294967296 rows x 4096 columns`],
    ["(-2, 3)", 'byte 61: found "-2, 3), }\\n", but a shape holds whole numbers'],
    ["(nan, 3)", 'byte 61: found "nan, 3), }\\n", but a shape holds whole numbers'],
    ["(2.0, 3)", 'byte 62: found ".0, 3), }\\n", but a shape of one size'],
    ["(3)", "but a shape of one size is written as (3,)"],
    ["()", "byte 10: the array is a single number"],
    ["(2, 0)", "byte 10: the shape (2, 0) has no columns"],
    ["[2, 3]", "byte 60: found"],
    ["nan", "byte 60: found"],
    ["'2, 3'", 'the header has no "shape" that is a tuple'],
    ["__import__('os')", "byte 60: found"],
  ])("with the shape %s is refused", async (shape, message) => {
    const bytes = npy(dict("<f4", shape), Float32Array.of(1, 2, 3, 4, 5, 6));
    expect(await failure(bytes, (source) => readNpy(source))).toContain(message);
  });

  it("that claims a huge array through a pipe takes no memory for it", async () => {
    const bytes = npy(dict("<f4", "(4294967296, 4096)"), Float32Array.of(1));
    const before = process.memoryUsage().arrayBuffers;
    await expect(readNpy(pipe(bytes, 5))).rejects.toThrow("within row 0; it is truncated");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e7);
  });

  it.each([
    ["<c8", '"<c8"'],
    ["<f16", '"<f16"'],
    ["|S5", '"|S5"'],
    ["<U3", '"<U3"'],
    ["|O", '"|O"'],
    ["<M8[ns]", '"<M8[ns]"'],
    ["", '""'],
    ["f4f4", '"f4f4"'],
  ])("of elements that are no numbers is refused: %s", async (descr, named) => {
    expect(await failure(npy(dict(descr, "(1,)")), readNpy)).toContain(`numpy's type ${named}; expected f2,`);
  });

  it.each([
    [`{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}`, "the array is structured"],
    [`{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}`, "a value is a text in quotes"],
    [`{'descr': '<f4', 'fortran_order': 'no', 'shape': (1,)}`, 'no "fortran_order" that is True or False'],
    [`{'descr': '<f4', 'shape': (1,)}`, 'no "fortran_order" that is True or False'],
    [`{'descr': '<f4', 'fortran_order': Falsey, 'shape': (1,)}`, 'found "Falsey'],
    [`{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}`, "stands there twice"],
    [`{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': True}`, 'has a key "x"'],
    [`{'descr': '<f4\\'', 'fortran_order': False, 'shape': (1,)}`, "without backslashes"],
    [`{'descr': '<f4", 'fortran_order': False, 'shape': (1,)}`, 'found "fortran_orde'],
    [`{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}`, "a comma or the closing brace"],
    [`{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x`, "nothing follows the closing brace"],
    [`{'descr': '<f4', 'fortran_order': False, 'shape': (1,)`, "found the header's end"],
    [`descr`, "the header is a dict in braces"],
    [``, "the header is a dict in braces"],
    [`{__proto__: 1}`, "a text in quotes"],
    [`{'__proto__': True}`, 'the header has no "descr"'],
  ])("with the header %s is refused", async (text, message) => {
    expect(await failure(npy(text, Float32Array.of(1)), readNpy)).toContain(message);
  });

  it("with a wrong start or version is refused", async () => {
    expect(await failure(Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x5a, 1, 0), readNpy)).toContain(
      "byte 5",
    );
    expect(await failure(Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 0, 0), readNpy)).toContain(".npz");
    expect(await failure(npy(header, undefined, 4), readNpy)).toContain("byte 6: this is version 4.0");
  });

  it("names the byte where its header says what cannot be", async () => {
    for (const version of [2, 3]) {
      const message = "byte 12: the array is a single number";
      expect(await failure(npy(dict("<f4", "()"), new Uint8Array(0), version), readNpy)).toContain(message);
    }
  });

  it("with a header beyond any reason is refused unread", async () => {
    const bytes = npy("{", undefined, 2);
    bytes.set([255, 255, 255, 255], 8);
    expect(await failure(bytes, readNpy)).toContain("byte 8: the header has 4294967295 bytes");
  });

  it("of version 3 with a header that is not UTF-8 is refused at that byte", async () => {
    const text = new TextEncoder().encode(header);
    text[5] = 0xff;
    expect(await failure(npy(text, undefined, 3), readNpy)).toContain(
      "byte 17: the header is not valid UTF-8",
    );
    const cut = Uint8Array.of(...new TextEncoder().encode(header), 0xc3);
    expect(await failure(npy(cut, undefined, 3), readNpy)).toContain("is not valid UTF-8");
  });

  it.each(["<i8", "<u8"])("of %s beyond 2^53 is refused with row and column", async (descr) => {
    const limit = 2n ** 53n;
    for (const order of ["False", "True"]) {
      const values = BigInt64Array.of(0n, 1n, 2n, limit, limit + 1n, 3n);
      const column = order === "True" ? "row 0, column 2" : "row 1, column 1";
      const text = dict(descr, "(2, 3)", order);
      const message = await failure(npy(text, values), readNpy);
      expect(message).toContain(`byte ${10 + text.length + 32}: ${column} is 9007199254740993, beyond 2^53`);
    }
  });

  it("of 64-bit integers at the edges is exact or refused", async () => {
    const read = async (descr: string, value: bigint) => {
      const bytes = npy(dict(descr, "(1,)"), BigInt64Array.of(BigInt.asIntN(64, value)));
      return (await readNpy(bytesSource(bytes, "x.npy"))).data[0];
    };
    for (const value of [-(2n ** 53n), -(2n ** 32n), -1n, 0n, 2n ** 32n - 1n, 2n ** 53n - 1n, 2n ** 53n]) {
      expect(await read("<i8", value)).toBe(Number(value));
    }
    for (const value of [-(2n ** 63n), -(2n ** 53n) - 1n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
      await expect(read("<i8", value)).rejects.toThrow(`is ${value}, beyond 2^53`);
    }
    await expect(read("<u8", 2n ** 64n - 1n)).rejects.toThrow(`is ${2n ** 64n - 1n}, beyond 2^53`);
  });

  it("of booleans that are neither 0 nor 1 is refused", async () => {
    const text = dict("|b1", "(2, 2)");
    expect(await failure(npy(text, Uint8Array.of(0, 1, 1, 2)), readNpy)).toBe(
      `byte ${13 + text.length}: row 1, column 1 is the byte 2; a boolean is 0 or 1`,
    );
  });
});

/** IEEE 754's own words. */
function halfByDefinition(bits: number): number {
  const sign = bits >= 0x8000 ? -1 : 1;
  const exponent = Math.floor(bits / 1024) % 32;
  const fraction = bits % 1024;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
