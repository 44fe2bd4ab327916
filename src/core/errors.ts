/**
 * These are the errors Nearfield throws: few classes, each with a tag and fields. A message says what was
 * given, what is expected and what to do. Aborts are not here: they reject with the signal's own reason.
 */

/**
 * The kind of an error is the name of its class without "Error".
 * @example
 * const exitCodes: Partial<Record<ErrorTag, number>> = { InvalidInput: 1, Unavailable: 1 };
 * const error = await kneighbors([[1]], [[2]], { k: 3 }).catch((error: unknown) => error);
 * isNearfieldError(error) && (exitCodes[error.tag] ?? 70); // => 1
 */
export type ErrorTag = "InvalidInput" | "Unavailable" | "DeviceLost" | "OutOfMemory" | "Device" | "Internal";

/**
 * Every error of this library is one of these; `tag` narrows it, `cause` keeps what the runtime said.
 * @example
 * const error = await kneighbors([[1]], [[2]], { k: 3 }).catch((error: unknown) => error);
 * error instanceof NearfieldError; // => true
 */
export class NearfieldError extends Error {
  readonly tag: ErrorTag;

  constructor(tag: ErrorTag, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "NearfieldError";
    this.tag = tag;
  }
}

/**
 * It says where in a file a mistake is. Lines count from 1; rows of a file without lines count from 0.
 * @example
 * const source = textSource("x,y\n1,2\n3,high\n", "a.csv");
 * const error = await readCsv(source, { numeric: ["y"] }).catch((error: unknown) => error);
 * const place: Place = error instanceof InvalidInputError ? error.place : {};
 * place; // => { file: "a.csv", line: 3, column: "y" }
 */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly row?: number;
  readonly column?: string | number;
}

/**
 * The caller's arguments or files are wrong. Follow the message. The command line exits with 1.
 * @example
 * const error = await readCsv(textSource("x,y\n1,2\n3\n", "a.csv")).catch((error: unknown) => error);
 * if (error instanceof InvalidInputError) {
 *   error.message.startsWith("a.csv, line 3: has 1 cell, but the header has 2"); // => true
 *   error.place; // => { file: "a.csv", line: 3 }
 * }
 */
export class InvalidInputError extends NearfieldError {
  readonly place: Place;

  constructor(message: string, place: Place = {}, cause?: unknown) {
    super("InvalidInput", `${placePrefix(place)}${message}`, cause);
    this.name = "InvalidInputError";
    this.place = place;
  }
}

/**
 * Something that was asked for does not exist on this machine, such as a GPU. The command line exits with 1.
 * @example
 * const device = await Device.create({ backend: "gpu", gpu: 0 }).catch((error: unknown) => {
 *   if (error instanceof UnavailableError) return Device.create({ backend: "cpu" });
 *   throw error;
 * });
 * device.dispose();
 */
export class UnavailableError extends NearfieldError {
  constructor(message: string, cause?: unknown) {
    super("Unavailable", message, cause);
    this.name = "UnavailableError";
  }
}

/**
 * The GPU is gone, or a CPU worker died. The engine reopens it; callers see this only when reopening did not
 * help. The command line exits with 70.
 * @example
 * const found = await kneighbors([[0], [5]], [[4]], { k: 1 }).catch((error: unknown) => {
 *   if (error instanceof DeviceLostError) return kneighbors([[0], [5]], [[4]], { k: 1, backend: "cpu" });
 *   throw error;
 * });
 * found.indices; // => [1]
 */
export class DeviceLostError extends NearfieldError {
  constructor(message: string, cause?: unknown) {
    super("DeviceLost", message, cause);
    this.name = "DeviceLostError";
  }
}

/**
 * There was not enough memory. The engine halves its tiles; callers see this only when that did not help. The
 * command line exits with 70.
 * @example
 * const input = { data: new Float32Array(1000), rows: 10, cols: 100 };
 * const error = await kneighbors(input, input, { backend: "cpu", memory: 100 }).catch((error: unknown) => error);
 * error instanceof OutOfMemoryError; // => true
 */
export class OutOfMemoryError extends NearfieldError {
  readonly bytes: number;

  constructor(message: string, bytes: number, cause?: unknown) {
    super("OutOfMemory", message, cause);
    this.name = "OutOfMemoryError";
    this.bytes = bytes;
  }
}

/**
 * The device rejected our work (validation or shader compilation failed): a bug of ours or of the driver. The
 * command line exits with 70.
 * @example
 * const found = await kneighbors([[1]], [[2]], { k: 1 }).catch((error: unknown) => {
 *   if (error instanceof DeviceError) console.error("please report this:", error.message, error.cause);
 *   throw error;
 * });
 * found.distances; // => [1]
 */
export class DeviceError extends NearfieldError {
  constructor(message: string, cause?: unknown) {
    super("Device", message, cause);
    this.name = "DeviceError";
  }
}

/**
 * Returns true for errors of this library; with tags, only for errors that have one of them.
 * @example
 * const error = await kneighbors([[1]], [[2]], { k: 3 }).catch((error: unknown) => error);
 * isNearfieldError(error); // => true
 * isNearfieldError(error, "InvalidInput"); // => true
 * isNearfieldError(error, "DeviceLost", "OutOfMemory"); // => false
 */
export function isNearfieldError(error: unknown, ...tags: ErrorTag[]): error is NearfieldError {
  return error instanceof NearfieldError && (tags.length === 0 || tags.includes(error.tag));
}

/**
 * Throws unless the condition holds. It is for our own bugs only; a user's mistake gets an InvalidInputError.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new NearfieldError("Internal", `internal error, please report it: ${message}`);
}

/** Lists names as "a", "a or b", "a, b or c". */
export function oneOf(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} or ${names[names.length - 1]}`;
}

function placePrefix({ file, line, row, column }: Place): string {
  const parts = [
    file,
    line === undefined ? undefined : `line ${line}`,
    row === undefined ? undefined : `row ${row} (from 0)`,
    column === undefined
      ? undefined
      : `column ${typeof column === "number" ? column : JSON.stringify(column)}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}
