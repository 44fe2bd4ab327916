export { readCsv } from "./csv.ts";
export { MISSING_TOKENS, type CsvOptions } from "./csvOptions.ts";
export { cellsOf, writeCsv, type CsvCell, type CsvWriteOptions } from "./csvWrite.ts";
export { readIdx, readIdxLabels, readIdxMatrix, type IdxArray } from "./idx.ts";
export { formatNumber, parseNumber, type Decimal } from "./number.ts";
export { blobSource, bytesSource, readBytes, textSource, type ByteSource } from "./source.ts";
