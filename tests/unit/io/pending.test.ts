/**
 * These tests show that whoever reads hears an abort while the source is waited for, at every entry point;
 * whoever writes, while the rows are.
 */
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { collectMatrix, matrixStream, streamOf } from "../../../src/core/matrixStream.ts";
import type { Matrix, MatrixStream } from "../../../src/index.ts";
import { decompressed } from "../../../src/io/bytes/gzip.ts";
import type { ByteSource } from "../../../src/io/bytes/source.ts";
import { readCsv } from "../../../src/io/csv/read.ts";
import { openIdx, readIdx, readIdxLabels, readIdxMatrix } from "../../../src/io/idx.ts";
import { openNpy, readNpy } from "../../../src/io/npy/read.ts";
import { openMatrix, openTable, readTable } from "../../../src/io/read.ts";
import { readGroundTruth, writeGroundTruth } from "../../../src/io/bins.ts";
import { openBvecs, openFvecs, openIvecs, readBvecs, readFvecs, readIvecs } from "../../../src/io/vecs.ts";
import { writeMatrix, writeTable } from "../../../src/io/write.ts";
import { writeNpy } from "../../../src/io/npy/write.ts";
import { collectModel } from "../../../src/models/file/collect.ts";
import { collectTable } from "../../../src/table/collect.ts";
import { tableStream } from "../../../src/table/stream.ts";
import { Table } from "../../../src/table/table.ts";
import { Pending, expectAbortHeard, never, pendingSource, stoppingSource } from "./pendingHelpers.ts";

type Options = { readonly signal: AbortSignal };
type Read = (source: ByteSource, options: Options) => Promise<unknown>;

const rows = 300;
const matrix: Matrix = { data: Uint8Array.from({ length: rows * 4 }, (_, at) => at), rows, cols: 4 };
const table = Table.fromColumns({ x: Array.from({ length: rows }, (_, row) => row) });

async function bytesOf(pieces: AsyncIterable<string | Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  const all: (string | Uint8Array<ArrayBuffer>)[] = [];
  for await (const piece of pieces) all.push(piece);
  return new Uint8Array(await new Blob(all).arrayBuffer());
}

function idxFile(): Uint8Array {
  const header = new DataView(new ArrayBuffer(12));
  [0x0802, rows, 4].forEach((word, at) => header.setInt32(4 * at, word));
  return new Uint8Array([...new Uint8Array(header.buffer), ...matrix.data]);
}

const files = {
  "x.npy": await bytesOf(writeMatrix("npy", matrix)),
  "x.fvecs": await bytesOf(writeMatrix("fvecs", matrix)),
  "x.ivecs": await bytesOf(writeMatrix("ivecs", matrix)),
  "x.i8bin": await bytesOf(writeMatrix("i8bin", { ...matrix, data: matrix.data.map((each) => each % 128) })),
  "x.ibin": await bytesOf(
    writeGroundTruth({ indices: matrix.data, distances: matrix.data, queries: rows, k: 4 }),
  ),
  "x.bvecs": await bytesOf(writeMatrix("bvecs", matrix)),
  "x.idx": idxFile(),
  "x.csv": await bytesOf(writeTable("csv", table)),
  "x.jsonl": await bytesOf(writeTable("jsonl", table)),
  "x.parquet": new Uint8Array(
    parquetWriteBuffer({ columnData: [{ name: "x", data: Array.from({ length: rows }, (_, row) => row) }] }),
  ),
} as const;

type File = keyof typeof files;

async function all(
  stream: { chunks(options: { signal: AbortSignal }): AsyncIterable<unknown> },
  signal: AbortSignal,
) {
  for await (const chunk of stream.chunks({ signal })) void chunk;
}

/** Opens a source without a wait, then reads it to the end. */
const through =
  (open: (source: ByteSource, options: Partial<Options>) => Promise<Parameters<typeof all>[0]>): Read =>
  async (source, { signal }) =>
    all(await open(source, { signal }), signal);

const reads: readonly (readonly [string, File, Read])[] = [
  ["readNpy", "x.npy", readNpy],
  ["openNpy", "x.npy", through(openNpy)],
  ["readFvecs", "x.fvecs", readFvecs],
  ["openFvecs", "x.fvecs", through(openFvecs)],
  ["readIvecs", "x.ivecs", readIvecs],
  ["openIvecs", "x.ivecs", through(openIvecs)],
  ["readBvecs", "x.bvecs", readBvecs],
  ["openBvecs", "x.bvecs", through(openBvecs)],
  ["readGroundTruth", "x.ibin", readGroundTruth],
  ["readIdx", "x.idx", readIdx],
  ["readIdxMatrix", "x.idx", readIdxMatrix],
  ["readIdxLabels", "x.idx", readIdxLabels],
  ["openIdx", "x.idx", through(openIdx)],
  ["readCsv", "x.csv", readCsv],
  ...(["x.csv", "x.jsonl", "x.parquet", "x.npy"] as const).flatMap((file) => [
    [`readTable of ${file}`, file, readTable] as const,
    [`openTable of ${file}`, file, through(openTable)] as const,
  ]),
  ...(["x.npy", "x.fvecs", "x.ivecs", "x.bvecs", "x.i8bin", "x.ibin", "x.idx"] as const).map(
    (file) => [`openMatrix of ${file}`, file, through(openMatrix)] as const,
  ),
];

describe.each(reads)("%s", (_, file, read) => {
  const bytes = files[file];
  const half = bytes.length >> 1;
  it.each([
    ["its first piece", 0, false],
    ["its first piece, of a pipe", 0, true],
    ["a later piece", half, false],
    ["a later piece, of a pipe", half, true],
  ])("hears an abort while it waits for %s", async (_, given, once) => {
    const { pending, source } = pendingSource(bytes, file, given, once);
    await expectAbortHeard((signal) => read(source, { signal }), pending);
    expect(pending.returned).toBe(pending.waiting);
  });
});

// readCsv takes text as it is.
describe.each(reads.filter(([, , read]) => read !== readCsv))("%s", (_, file, read) => {
  const bytes = files[file];

  it("hears an abort while it waits for compressed bytes", async () => {
    const packed = gzipSync(bytes);
    const { pending, source } = pendingSource(packed, file, packed.length >> 1, true);
    await expectAbortHeard((signal) => read(source, { signal }), pending);
    expect(pending.returned).toBe(pending.waiting);
  });
});

describe("what is opened first and read later", () => {
  const files3 = ["x.npy", "x.fvecs", "x.idx", "x.csv", "x.jsonl"] as const;
  const opened = (file: File, source: ByteSource) =>
    (file === "x.csv" || file === "x.jsonl" ? openTable : openMatrix)(source) as Promise<
      Parameters<typeof all>[0]
    >;

  it.each(files3)("hears the abort of who reads, once a file of its own cannot go on: %s", async (file) => {
    const { state, source } = stoppingSource(files[file], file);
    const stream = await opened(file, source);
    state.stopped = true;
    await expectAbortHeard((signal) => all(stream, signal), state);
  });

  it("hears it of Parquet and of columns that lie apart, which are read here and there", async () => {
    const fortran = new Uint8Array(files["x.npy"]);
    fortran.set(new TextEncoder().encode("True, "), new TextDecoder().decode(fortran).indexOf("False,"));
    for (const open of [
      () => [files["x.parquet"], "x.parquet", openTable] as const,
      () => [fortran, "x.npy", (source: ByteSource) => openNpy(source, { memory: 0 })] as const,
    ]) {
      const [bytes, name, reader] = open();
      const { state, source } = stoppingSource(bytes, name);
      const stream = (await reader(source)) as Parameters<typeof all>[0];
      const chunks = { chunks: (options: Options) => stream.chunks({ ...options, maxRows: 7 } as never) };
      state.stopped = true;
      await expectAbortHeard((signal) => all(chunks, signal), state);
    }
  });

  it("hears it while a large piece is read into place", async () => {
    const large: Matrix = { data: new Float64Array(2 ** 18), rows: 2 ** 16, cols: 4 };
    const { state, source } = stoppingSource(await bytesOf(writeMatrix("npy", large)), "x.npy");
    const stream = await openNpy(source);
    const chunks = { chunks: (options: Options) => stream.chunks({ ...options, maxRows: Infinity }) };
    state.stopped = true;
    await expectAbortHeard((signal) => all(chunks, signal), state);
  });

  it.each(["x.npy", "x.csv", "x.csv.gz"])(
    "hears it of a pipe that was opened by another signal: %s",
    async (name) => {
      const bytes = name === "x.csv.gz" ? gzipSync(files["x.csv"]) : files[name as File];
      const pipe = new Pending([bytes]);
      const source = { name, once: true, stream: () => pipe };
      if (name === "x.npy") {
        const stream = await openMatrix({ ...source, stream: () => new Pending([bytes.slice(0, 140)]) });
        const { pending, source: shortened } = pendingSource(bytes, name, 140, true);
        const own = await openMatrix(shortened, { signal: new AbortController().signal });
        expect(stream.rows).toBe(rows);
        await expectAbortHeard((signal) => all(own, signal), pending);
        return expect(pending.returned).toBe(1);
      }
      await expectAbortHeard((signal) => openTable(source, { signal }), pipe);
      expect(pipe.returned).toBe(1);
    },
  );

  it("hears it while the first bytes tell the format, and while they tell whether it is gzip", async () => {
    for (const given of [1, 5]) {
      const { pending, source } = pendingSource(files["x.csv"], "standard input", given, true);
      await expectAbortHeard((signal) => openTable(source, { signal }), pending);
      expect(pending.returned).toBe(1);
    }
    const { pending, source } = pendingSource(files["x.csv"], "standard input", 1);
    await expectAbortHeard((signal) => decompressed(source, { signal }), pending);
  });
});

describe("rows whose next chunk never comes", () => {
  const pendingRows = () => new Pending([matrix]);
  const matrices = (pending: Pending<Matrix>): MatrixStream => ({
    name: "x",
    cols: 4,
    rows: undefined,
    once: true,
    chunks: () => pending,
  });
  const tables = (pending: Pending<Table>) => ({
    ...tableStream(table),
    rows: undefined,
    chunks: () => pending,
  });
  const drained = async (pieces: AsyncIterable<unknown>) => {
    for await (const piece of pieces) void piece;
  };
  const rewriteStart = () => Promise.resolve();

  it.each<[string, (stream: MatrixStream, signal: AbortSignal) => Promise<unknown>]>([
    ["npy", (stream, signal) => drained(writeNpy(stream, { signal, rewriteStart }))],
    ...(["fvecs", "ivecs", "bvecs", "csv", "jsonl", "parquet"] as const).map(
      (format) =>
        [
          format,
          (stream: MatrixStream, signal: AbortSignal) => drained(writeMatrix(format, stream, { signal })),
        ] as [string, (stream: MatrixStream, signal: AbortSignal) => Promise<unknown>],
    ),
  ])("do not hold up the abort of who writes them as %s", async (_, write) => {
    const pending = pendingRows();
    await expectAbortHeard((signal) => write(matrices(pending), signal), pending);
    expect(pending.returned).toBe(1);
  });

  it.each(["csv", "jsonl", "parquet", "fvecs"] as const)(
    "nor of who writes a table as %s",
    async (format) => {
      const pending = new Pending([table]);
      await expectAbortHeard((signal) => drained(writeTable(format, tables(pending), { signal })), pending);
      expect(pending.returned).toBe(1);
    },
  );

  it("do not hold up the abort of who collects or cuts them", async () => {
    const whole = new Pending<Matrix>([]);
    await expectAbortHeard((signal) => collectMatrix(matrices(whole), { signal }), whole);
    const cut = pendingRows();
    const stream = streamOf({ name: "x", cols: 4, chunks: cut });
    await expectAbortHeard((signal) => collectMatrix(stream, { signal }), cut);
    const chunks = new Pending([table]);
    await expectAbortHeard((signal) => collectTable(tables(chunks), { signal }), chunks);
    const model = new Pending([new TextEncoder().encode("nearf")]);
    const anyStart = new Pending<Uint8Array>([]);
    await expectAbortHeard((signal) => collectModel(anyStart, { name: "x", memory: 9, signal }), anyStart);
    expect([whole, cut, chunks, anyStart].map(({ returned }) => returned)).toEqual([1, 1, 1, 1]);
    expect(model.waiting).toBe(0);
  });

  it("do not hold up an abort while the start of a file is written anew", async () => {
    const waits = { waiting: 0 };
    const rewrite = () => (waits.waiting++, never<void>());
    const stream = { ...matrixStream(matrix, "x"), rows: undefined };
    await expectAbortHeard((signal) => drained(writeNpy(stream, { signal, rewriteStart: rewrite })), waits);
  });
});
