/** The readers that mutate.ts tries, each with its valid files. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Dictionary, Int32, Table, Utf8, makeVector, tableToIPC, vectorFromArray } from "apache-arrow";
import type { NumericArray } from "../../../src/core/matrix.ts";
import type { MatrixStream } from "../../../src/core/matrixStream.ts";
import { openBin, readGroundTruth } from "../../../src/io/bins.ts";
import { openArrow } from "../../../src/io/arrow/stream.ts";
import { openCsv } from "../../../src/io/csv/stream.ts";
import { openIdx } from "../../../src/io/idx.ts";
import { openJson, openJsonl } from "../../../src/io/jsonl/stream.ts";
import { openNpy } from "../../../src/io/npy/read.ts";
import { openParquet } from "../../../src/io/parquet/stream.ts";
import type { ByteSource } from "../../../src/io/bytes/source.ts";
import { openPly } from "../../../src/io/points/ply.ts";
import { openXyz } from "../../../src/io/points/xyz.ts";
import { openBvecs, openFvecs, openIvecs } from "../../../src/io/vecs.ts";
import { cellOf } from "../../../src/table/column.ts";
import type { TableStream } from "../../../src/table/stream.ts";
import { expected, fixture } from "./matrices/matrixHelpers.ts";
import type { Bytes, MutationCase } from "./mutate.ts";

const fixtures = (ending: string) =>
  Object.keys(expected)
    .filter((name) => name.endsWith(ending))
    .map(fixture);

const npyFiles = fixtures(".npy");
const [fvecs, ivecs, bvecs] = [fixtures(".fvecs"), fixtures(".ivecs"), fixtures(".bvecs")];
const idxFiles = [
  Uint8Array.of(0, 0, 0x08, 1, 0, 0, 0, 3, 7, 0, 255),
  Uint8Array.of(0, 0, 0x0b, 2, 0, 0, 0, 2, 0, 0, 0, 1, 1, 2, 3, 4),
  Uint8Array.of(0, 0, 0x0d, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0x3f, 0x80, 0, 0, 0x7f, 0xc0, 0, 0),
  Uint8Array.of(0, 0, 0x0e, 1, 0, 0, 0, 1, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0),
];

const joined = (...parts: Uint8Array[]): Bytes => new Uint8Array(Buffer.concat(parts));
const bin = (values: NumericArray, rows: number): Bytes =>
  joined(
    new Uint8Array(Uint32Array.of(rows, values.length / rows).buffer),
    new Uint8Array(values.buffer as ArrayBuffer),
  );
const binFiles = [bin(Uint8Array.of(1, 2, 3, 4, 5, 255), 2), bin(Uint8Array.of(7, 0, 8), 3)];
const truthFiles = [joined(bin(Int32Array.of(4, 0), 1), new Uint8Array(Float32Array.of(0.5, 2).buffer))];
const truth = async (source: ByteSource) => JSON.stringify(await readGroundTruth(source));

const npyTokens = [
  ..."{}()[]:,'\"\\\n L-".split(""),
  ...[
    "nan",
    "-1",
    "0",
    "1152921504606846976",
    "1e9",
    "True",
    "False",
    "None",
    "(3)",
    "(2, 3)",
    "(0, 3)",
    "()",
  ],
  ...["'descr'", "'shape'", "'fortran_order': True", "'<f4'", "'>i8'", "'|b1'", "'<f2'", "'|O'", "\x93NUMPY"],
  Uint8Array.of(0xff, 0xfe),
  Uint8Array.of(0x1f, 0x8b, 8, 0),
];
const integerTokens = [0, 1, 3, 2 ** 20, 2 ** 31 - 1, -1, -(2 ** 31)].map(
  (value) => new Uint8Array(Int32Array.of(value).buffer),
);
const idxTokens = [...integerTokens.map((bytes) => bytes.slice().reverse()), Uint8Array.of(0, 0, 0x0d, 200)];
const gzipTokens = [Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3), ...integerTokens];

const plyHead = (form: string, element = "element vertex 3\nproperty float y\nproperty short x\n") =>
  new TextEncoder().encode(`ply\nformat ${form} 1.0\ncomment x\n${element}end_header\n`);
const plyFiles = [
  ...["ascii", "binary_little_endian", "binary_big_endian"]
    .map((form) => joined(plyHead(form), new TextEncoder().encode("1 2\n3 4\n05\t 6\n0000")))
    .map((bytes, at) => (at === 0 ? bytes.slice(0, -4) : bytes)),
  joined(
    plyHead("ascii", "element edge 1\nproperty list uchar int a\nelement vertex 1\nproperty double x\n"),
    new TextEncoder().encode("2 1 2\n0.1\n"),
  ),
];
const xyzFiles = ["0 1 2 9\n# x\n-1.5\t2e3 4 red\n", "1\n2\n3\n"].map((text) =>
  joined(new TextEncoder().encode(text)),
);
const plyTokens = [
  ..."ply|element face 2\n|element vertex 999999999\n|property list uchar int x\n|property double z\n".split(
    "|",
  ),
  ..."end_header\n|format ascii 1.0\n|binary_big_endian|comment \n|900719925474099| |\t|\n|nan|1e999".split(
    "|",
  ),
];

const gzipped = (files: readonly Bytes[]): Bytes[] => files.map((bytes) => new Uint8Array(gzipSync(bytes)));

/** Reads in chunks of three rows, as a consumer of a large file would; what is read does not depend on it. */
const matrix = (open: (source: ByteSource) => Promise<MatrixStream>) => async (source: ByteSource) => {
  const stream = await open(source);
  let text = `${stream.cols} columns`;
  for await (const { data, rows, cols } of stream.chunks({ maxRows: 3 })) {
    if (data.length !== rows * cols || cols !== stream.cols) {
      throw new Error(`${rows} x ${cols} with ${data.length} values`);
    }
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    text += `, ${data.constructor.name} ${bytes.toString("base64")}`;
  }
  return text;
};

const plain: readonly MutationCase[] = [
  { name: "npy", valid: npyFiles, tokens: npyTokens, read: matrix(openNpy) },
  { name: "fvecs", valid: fvecs, tokens: integerTokens, read: matrix(openFvecs) },
  { name: "ivecs", valid: ivecs, tokens: integerTokens, read: matrix(openIvecs) },
  { name: "bvecs", valid: bvecs, tokens: integerTokens, read: matrix(openBvecs) },
  {
    name: "u8bin",
    valid: binFiles,
    tokens: integerTokens,
    read: matrix((source) => openBin(source, "u8bin")),
  },
  {
    name: "ibin",
    valid: truthFiles,
    tokens: integerTokens,
    read: matrix((source) => openBin(source, "ibin")),
  },
  { name: "ground truth", valid: truthFiles, tokens: integerTokens, read: truth },
  { name: "idx", valid: idxFiles, tokens: idxTokens, read: matrix(openIdx) },
  { name: "ply", valid: plyFiles, tokens: plyTokens, read: matrix(openPly) },
  { name: "xyz", valid: xyzFiles, tokens: plyTokens.slice(-8), read: matrix(openXyz) },
];

const texts = (...files: string[]): Bytes[] => files.map((text) => new TextEncoder().encode(text));
const csvFiles = texts(
  'a,b,c\n1,x,"q ""uo"" te"\n-2.5,y,\n3e4,NA,"two\nlines"\n',
  "n;t\r\n0,5;é😀\r\n;?\r\n",
  "only\n9007199254740992\n",
);
const jsonlFiles = texts(
  '{"a": 1, "b": "x", "c": true}\n{"b":null,"a":-2.5e3}\n\n{"d":"\\u00e9\\n","a":0}\n',
  '{"key":"😀"}\r\n{"key":""}',
);
const tableFixture = (name: string): Bytes =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/tables/${name}`, import.meta.url)));
const parquetFiles = ["snappy", "gzip", "zstd_v2", "lz4_plain", "uncompressed_v2"].map((name) =>
  tableFixture(`${name}.parquet`),
);
/** A stream of numbers and of texts in a dictionary, the same however many were made before. */
export const codedStream = (): Bytes => {
  const type = new Dictionary(new Utf8(), new Int32(), 0);
  const dictionary = vectorFromArray(["a", "b"], new Utf8());
  const s = makeVector({ type, data: Int32Array.of(0, 1, 0), dictionary });
  return new Uint8Array(tableToIPC(new Table({ x: makeVector(Float64Array.of(1, 2, 3)), s }), "stream"));
};
const csvTokens = [
  '"',
  '""',
  ",",
  ";",
  "\n",
  "\r",
  "\r\n",
  "\0",
  "\uFEFF",
  "1e999",
  "9007199254740993",
  "nan",
  "-0",
  "x",
];
const jsonlTokens = [
  "{",
  "}",
  "[",
  '"',
  "\\",
  ":",
  ",",
  "\n",
  "null",
  "NaN",
  "1e999",
  "9007199254740993",
  "\\ud800",
  "\0",
];
const varints = [0, 1, 127, 2 ** 20].map((value) =>
  Uint8Array.of((value & 0x7f) | 0x80, ((value >> 7) & 0x7f) | 0x80, value >> 14),
);
const parquetTokens = [
  "PAR1",
  ...integerTokens,
  ...varints,
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f),
  Uint8Array.of(0),
];

const table = (open: (source: ByteSource) => Promise<TableStream>) => async (source: ByteSource) => {
  const stream = await open(source);
  let text = JSON.stringify(stream.schema);
  for await (const chunk of stream.chunks({ maxRows: 40 })) {
    for (const column of chunk.columns)
      text += JSON.stringify(Array.from({ length: chunk.rows }, (_, row) => cellOf(column, row)));
  }
  return text;
};

const tables: readonly MutationCase[] = [
  { name: "csv", valid: csvFiles, tokens: csvTokens, read: table((source) => openCsv(source)) },
  {
    name: "csv without a header",
    valid: csvFiles,
    tokens: csvTokens,
    read: table((source) => openCsv(source, { header: false })),
  },
  {
    name: "arrow",
    valid: ["plain.arrow", "lz4.feather", "zstd.arrow", "chunks.arrows"].map((name) =>
      tableFixture(`arrow/${name}`),
    ),
    tokens: [...integerTokens, "ARROW1"],
    // The length that a dictionary of two texts claims begins at byte 392.
    sweeps: [{ bytes: codedStream(), begin: 392, end: 396 }],
    read: table((source) => openArrow(source)),
  },
  {
    name: "json",
    valid: texts('[{"a": 1, "b": "]}"},\n {"a":null,"b":"\\\\"}]', '{"a":1}\n{\n"a":2}'),
    tokens: jsonlTokens,
    read: table((source) => openJson(source)),
  },
  { name: "jsonl", valid: jsonlFiles, tokens: jsonlTokens, read: table((source) => openJsonl(source)) },
  {
    name: "parquet",
    valid: parquetFiles,
    tokens: parquetTokens,
    read: table((source) => openParquet(source)),
  },
];

/** Of gzip the compressed bytes are mutated. */
export const mutationCases: readonly MutationCase[] = [
  ...plain,
  ...tables,
  ...plain.map(({ name, valid, read }) => ({
    name: `${name}.gz`,
    valid: gzipped(valid),
    tokens: gzipTokens,
    read,
  })),
];
