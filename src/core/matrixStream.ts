/**
 * A matrix stream has rows of numbers that arrive in chunks, for files larger than memory, pipes and repeated
 * passes: readers give it, operators take it and writers write it. How bytes become rows is in io/, how
 * chunks reach a device in runtime/.
 */
import { untilAborted } from "./async/aborted.ts";
import { checkOptions, signalOnly, type OptionNames } from "./options.ts";
import { InvalidInputError, assert } from "./errors.ts";
import { checkShape, zerosLike } from "./matrix.ts";
import type { Matrix } from "./matrix.ts";
import { plural } from "./plural.ts";

/**
 * A pass over a stream takes these options.
 * @example
 * const options: ChunkOptions = { maxRows: 2 };
 * const sizes: number[] = [];
 * const stream = matrixStream({ data: new Float32Array(5), rows: 5, cols: 1 }, "train");
 * for await (const { rows } of stream.chunks(options)) sizes.push(rows);
 * sizes; // => [2, 2, 1]
 */
export interface ChunkOptions {
  /**
   * Every chunk has this many rows; the last may have fewer. Infinity gives all rows at once; by default a
   * chunk takes about 4 MiB.
   */
  readonly maxRows?: number | undefined;
  /**
   * Aborting this signal rejects with its reason at once, even during the wait for a chunk that may never
   * come.
   */
  readonly signal?: AbortSignal | undefined;
}

const chunkNames: OptionNames<ChunkOptions> = { maxRows: 1, signal: 1 };

/**
 * A stream gives the rows of a matrix [rows, cols] in order, in chunks of the same element type, which is the
 * file's own if they come from a file.
 * @example
 * const stream: MatrixStream = matrixStream({ data: Int8Array.of(4, 9, 3, 4), rows: 2, cols: 2 }, "sizes");
 * let largest = -Infinity;
 * for await (const { data } of stream.chunks({ maxRows: 1 })) largest = Math.max(largest, ...data);
 * `${stream.name}: ${stream.rows} rows, at most ${largest}`; // => "sizes: 2 rows, at most 9"
 */
export interface MatrixStream {
  /** Errors name the rows by it: a path, "standard input", "train". */
  readonly name: string;
  readonly cols: number;
  /** Tables call the columns so, each by one name: x, y and z of points. Default "0", "1" and so on. */
  readonly columns?: readonly string[] | undefined;
  /**
   * There are this many rows, if that is known before reading. Like `cols` it comes from the file's header,
   * which for a pipe or a gzip file is not verified yet: reading fails if it turns out wrong, so allocate
   * nothing by it before the first chunk.
   */
  readonly rows: number | undefined;
  /** A row takes roughly this many bytes in a chunk, if known before reading; default 8 bytes per column. */
  readonly rowBytes?: number | undefined;
  /** `chunks` may be called only once, since a pipe cannot be rewound. */
  readonly once: boolean;
  /**
   * Makes one pass over all rows, from the first. A chunk has at least one row and stays as it is: keep it
   * for as long as you like, but do not write to it or transfer it, since it may be a view of memory that
   * others use. Leaving the loop early closes the file.
   * @throws InvalidInputError for a second pass over a stream that is `once`, and for a bad `maxRows`.
   */
  chunks(options?: ChunkOptions): AsyncIterable<Matrix>;
}

/** One pass whose consumer says when it is done with a chunk. */
export interface ChunkPass {
  readonly chunks: AsyncIterable<Matrix>;
  /** Lets the chunk's memory be filled anew: nobody looks at it any more. */
  giveBack(chunk: Matrix): void;
}

/** @param spare of a consumer that gives chunks back, and has no use for them once the pass is over */
type PassOver = (options: ChunkOptions, spare?: ArrayBuffer[]) => AsyncIterable<Matrix>;

/**
 * Passes are kept by the `chunks` of a stream, so that a stream around it, which may hold on to chunks that
 * it hands on, is not taken for one that fills memory anew.
 */
const reusing = new WeakMap<MatrixStream["chunks"], PassOver>();

/** Makes the `chunks` of a stream that takes the memory of chunks from `spare` where it finds it there. */
export function reusingChunks(passOver: PassOver): MatrixStream["chunks"] {
  const chunks = (options: ChunkOptions = {}) => {
    checkOptions(options, "chunks", chunkNames);
    return passOver(options);
  };
  reusing.set(chunks, passOver);
  return chunks;
}

/**
 * Begins a pass over gigabytes, for which the system need not hand out and clear memory again and again where
 * the stream can do without.
 */
export function passOver(stream: MatrixStream, options: ChunkOptions): ChunkPass {
  const own = reusing.get(stream.chunks);
  if (!own) return { chunks: stream.chunks(options), giveBack: () => undefined };
  const spare: ArrayBuffer[] = [];
  return {
    chunks: own(options, spare),
    giveBack({ data: { buffer } }) {
      if (buffer instanceof ArrayBuffer) spare.push(buffer);
    },
  };
}

/** Bytes of a chunk when the caller does not say how many rows. */
const CHUNK_BYTES = 1 << 22;

/**
 * Makes a stream of a matrix in memory; the chunks are views on it.
 * @throws InvalidInputError when the length of the data is not rows x cols.
 * @example
 * import { matrixStream } from "nearfield";
 *
 * const stream = matrixStream({ data: Float64Array.of(1, 2, 3, 4, 5, 6), rows: 3, cols: 2 }, "train");
 * const chunks = [];
 * for await (const { data } of stream.chunks({ maxRows: 2 })) chunks.push([...data]);
 * chunks; // => [[1, 2, 3, 4], [5, 6]]
 */
export function matrixStream(matrix: Matrix, name: string): MatrixStream {
  checkShape(matrix, name);
  const { rows, cols, data } = matrix;
  return {
    name,
    cols,
    rows,
    rowBytes: cols * data.BYTES_PER_ELEMENT,
    once: false,
    async *chunks(options: ChunkOptions = {}) {
      checkOptions(options, "chunks", chunkNames);
      const { maxRows, signal } = options;
      const step = rowsPerChunk(cols * data.BYTES_PER_ELEMENT, maxRows);
      for (let begin = 0; begin < rows; begin += step) {
        signal?.throwIfAborted();
        yield rowsOf(matrix, begin, Math.min(rows, begin + step));
      }
    },
  };
}

/**
 * It gives matrices of any number of rows, one after the other. If `chunks` is a function, it is called for
 * each pass; an iterable allows only one pass.
 * @example
 * async function* squares() {
 *   for (let row = 0; row < 3; row++) yield { data: Float32Array.of(row * row), rows: 1, cols: 1 };
 * }
 * const source: ChunkSource = { name: "squares", cols: 1, chunks: squares }; // called for each pass
 * streamOf(source).once; // => false
 * (await collectMatrix(streamOf(source))).data; // => [0, 1, 4]
 */
export interface ChunkSource {
  readonly name: string;
  readonly cols: number;
  readonly rows?: number;
  /** Gives the rows, in order. */
  readonly chunks: AsyncIterable<Matrix> | ((signal: AbortSignal | undefined) => AsyncIterable<Matrix>);
}

/**
 * Makes a stream from matrices of any size, which are cut and joined into chunks of the size that the
 * consumer asks for. A chunk may be a view of a matrix: do not change a matrix before the next one is
 * requested, nor while a chunk of it is in use.
 * @throws InvalidInputError, while reading, if the columns, the rows or the element type are not those
 *   announced.
 * @example
 * import { collectMatrix, streamOf } from "nearfield";
 *
 * async function* generated() {
 *   for (let row = 0; row < 3; row++) yield { data: Float32Array.of(row, row * row), rows: 1, cols: 2 };
 * }
 * const { data } = await collectMatrix(streamOf({ name: "squares", cols: 2, chunks: generated() }));
 * data; // => Float32Array [0, 0, 1, 1, 2, 4]
 */
export function streamOf({ name, cols, rows, chunks }: ChunkSource): MatrixStream {
  const once = typeof chunks !== "function";
  const pass = once ? singlePass(name, () => chunks) : chunks;
  return {
    name,
    cols,
    rows,
    once,
    chunks(options = {}) {
      checkOptions(options, "chunks", chunkNames);
      const { maxRows, signal } = options;
      return rebatched(pass(signal), { name, cols, rows }, maxRows, signal);
    },
  };
}

/** Returns a stream as it is, and a matrix as a stream of that name. */
export function asStream(rows: Matrix | MatrixStream, name: string): MatrixStream {
  const given: unknown = rows;
  if (typeof given === "object" && given !== null) {
    if ("chunks" in rows) return rows;
    if ("data" in rows) return matrixStream(rows, name);
  }
  const isArray = Array.isArray(given) || ArrayBuffer.isView(given);
  const what = isArray ? "an array" : typeof given;
  throw new InvalidInputError(`${name} must be { data, rows, cols } or a stream of rows, not ${what}`);
}

/**
 * Collects all rows into one matrix. If there are no rows, `data` is an empty Float64Array.
 * @example
 * import { collectMatrix, matrixStream } from "nearfield";
 *
 * const stream = matrixStream({ data: new Float64Array(6), rows: 3, cols: 2 }, "train");
 * await collectMatrix(stream); // => { data: [0, 0, 0, 0, 0, 0], rows: 3, cols: 2 }
 */
export async function collectMatrix(
  stream: MatrixStream,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Matrix> {
  checkOptions(options, "collectMatrix", signalOnly);
  let all: Matrix | undefined;
  // It reads to the end, where a reader sees whether the file ends there.
  const chunks = stream.chunks({ ...options, maxRows: Infinity });
  for await (const chunk of untilAborted(chunks, options.signal)) {
    assert(all === undefined, `${stream.name} gives several chunks where one was asked for`);
    all = chunk;
  }
  return all ?? { data: new Float64Array(0), rows: 0, cols: stream.cols };
}

/**
 * Returns how many rows a chunk has; a row of any length fits.
 * @throws InvalidInputError unless `maxRows` is at least 1.
 */
export function rowsPerChunk(rowBytes: number, maxRows: number | undefined): number {
  if (maxRows === undefined) return Math.max(1, Math.floor(CHUNK_BYTES / rowBytes));
  if (maxRows >= 1 && (Number.isInteger(maxRows) || maxRows === Infinity)) return maxRows;
  throw new InvalidInputError(`maxRows is ${maxRows}; expected a whole number of at least 1, or Infinity`);
}

/** Makes a function that may be called once. @throws InvalidInputError at the second call. */
export function singlePass<A extends unknown[], R>(
  name: string,
  start: (...args: A) => R,
): (...args: A) => R {
  let started = false;
  return (...args) => {
    if (started) {
      throw new InvalidInputError("can be read only once; save it to a file to read it again", {
        file: name,
      });
    }
    started = true;
    return start(...args);
  };
}

/** Views rows `begin` to `end` (without it) of a matrix. */
function rowsOf({ data, cols, rows, kinds, gaps }: Matrix, begin: number, end: number): Matrix {
  const part = begin === 0 && end === rows ? data : data.subarray(begin * cols, end * cols);
  return { data: part, rows: end - begin, cols, ...meaningOf(kinds, gaps) };
}

/** Returns the meaning of cells, where they are no mere numbers. */
function meaningOf(kinds: Matrix["kinds"], gaps: Matrix["gaps"]): Pick<Matrix, "kinds" | "gaps"> {
  return { ...(kinds && { kinds }), ...(gaps && { gaps }) };
}

async function* rebatched(
  matrices: AsyncIterable<Matrix>,
  { name, cols, rows }: Pick<MatrixStream, "name" | "cols" | "rows">,
  maxRows: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Matrix> {
  let parts: Matrix[] = [];
  let held = 0;
  let total = 0;
  let first: Matrix | undefined;
  for await (const matrix of untilAborted(matrices, signal)) {
    checkChunk(matrix, { name, cols, first, before: total });
    first ??= matrix;
    total += matrix.rows;
    const size = rowsPerChunk(cols * matrix.data.BYTES_PER_ELEMENT, maxRows);
    for (let begin = 0; begin < matrix.rows;) {
      const end = Math.min(matrix.rows, begin + size - held);
      parts.push(rowsOf(matrix, begin, end));
      held += end - begin;
      begin = end;
      if (held < size) continue;
      yield joined(parts, held);
      [parts, held] = [[], 0];
    }
  }
  if (held > 0) yield joined(parts, held);
  if (rows !== undefined && total !== rows) {
    throw new InvalidInputError(`holds ${plural(total, "row")}, but ${rows} were announced`, { file: name });
  }
}

/**
 * @param stream what its chunks have to be: of `cols` columns, and like its `first` chunk, of which there is
 *   none at the beginning; `before` counts the rows that came before
 * @throws InvalidInputError for a chunk that is no matrix, or another one
 */
function checkChunk(
  chunk: Matrix,
  {
    name,
    cols,
    first = chunk,
    before,
  }: { name: string; cols: number; first: Matrix | undefined; before: number },
): void {
  const refuse = (message: string) => new InvalidInputError(message, { file: name });
  const [type, expected] = [chunk.data.constructor, first.data.constructor];
  checkShape(chunk, `a chunk of ${name}`);
  if ((chunk.data as unknown) instanceof BigInt64Array || (chunk.data as unknown) instanceof BigUint64Array) {
    throw refuse(
      `gives chunks of ${type.name}; expected float64, float32 or integers of up to 32 bits, ` +
        "such as Float64Array.from(data, Number)",
    );
  }
  if (type !== expected) {
    throw refuse(`gives chunks of ${expected.name} and of ${type.name}; expected one type`);
  }
  if (chunk.cols !== cols) {
    throw refuse(`row ${before} has ${plural(chunk.cols, "column")}; expected ${cols}`);
  }
  if (kindsOf(chunk) !== kindsOf(first)) {
    throw refuse(`gives chunks of the kinds ${kindsOf(first)} and of ${kindsOf(chunk)}; expected the same`);
  }
}

function kindsOf({ kinds, cols }: Matrix): string {
  return (kinds ?? Array<string>(cols).fill("numeric")).join(", ");
}

function joined(parts: readonly Matrix[], rows: number): Matrix {
  const [first] = parts;
  if (parts.length === 1) return first;
  const data = zerosLike(first.data, rows * first.cols);
  let at = 0;
  for (const part of parts) {
    data.set(part.data, at);
    at += part.data.length;
  }
  const gaps = parts.some((part) => part.gaps === true);
  return { data, rows, cols: first.cols, ...meaningOf(first.kinds, gaps) };
}
