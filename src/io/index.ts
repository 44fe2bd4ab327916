export {
  tableFromArrow,
  type ArrowField,
  type ArrowTable,
  type ArrowType,
  type ArrowVector,
} from "./arrow/table.ts";
export { wordsHint } from "./csv/hints.ts";
export type { NumberSigns } from "./csv/syntax.ts";
export { readCsv } from "./csv/read.ts";
export { MISSING_TOKENS, type CsvOptions } from "./csv/options.ts";
export { cellsOf, writeCsv, type CsvCell, type CsvWriteOptions } from "./csv/write.ts";
export { decompressed } from "./bytes/gzip.ts";
export { peek } from "./bytes/peek.ts";
export { readGroundTruth, writeGroundTruth, type GroundTruth } from "./bins.ts";
export { openIdx, readIdx, readIdxLabels, readIdxMatrix, type IdxArray, type IdxStream } from "./idx.ts";
export { openNpy, readNpy, readNpyArray, type NpyOptions, type NpyStream } from "./npy/read.ts";
export type { NpyHeader } from "./npy/header.ts";
export { writeNpy, type NpyWriteOptions } from "./npy/write.ts";
export { printedCells, printedTime } from "./time.ts";
export { formatNumber, parseNumber, type Decimal } from "./number.ts";
export type { FileInput } from "./bytes/input.ts";
export { blobSource, bytesSource, errorAt, readBytes, textSource, type ByteSource } from "./bytes/source.ts";
export { openBvecs, openFvecs, openIvecs, readBvecs, readFvecs, readIvecs } from "./vecs.ts";
export {
  writeBvecs,
  writeFvecs,
  writeIvecs,
  type FvecsWriteOptions,
  type VecsWriteOptions,
} from "./vecsWrite.ts";
export { readWav, writeWav, type Wav, type WavForm } from "./wav.ts";
export { checkWidth, columnNames } from "./matrixTable.ts";
export {
  matrixStreamOf,
  openFound,
  openMatrix,
  openTable,
  readFound,
  readTable,
  type ReadOptions,
} from "./read.ts";
export { writeMatrix, writeTable, type Pieces, type WriteOptions } from "./write.ts";
export { formatNames, outputFormat, recognise, tableFormatOf, writableFormats } from "./formats.ts";
export type { Format, FormatName, Recognised } from "./formats.ts";
