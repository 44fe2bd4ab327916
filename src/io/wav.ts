/**
 * WAV is sound as samples: a RIFF file whose chunk "fmt " says what they are and whose chunk "data" holds
 * them, the channels of a moment one after the other. Read and written are PCM of 8, 16, 24 and 32 bits and
 * float32.
 *
 * PCM of n bits is scaled: a sample s is the number s / 2^(n-1), and of 8 bits, which have no sign, (s - 128)
 * / 128. So numbers lie in [-1, 1). A number x is written as the whole number next to x * 2^(n-1), of two as
 * near the even one, and where that is too large or too small as the largest or smallest. Float32 is neither
 * scaled nor clipped.
 */
import { InvalidInputError, oneOf } from "../core/errors.ts";
import { clamp } from "../core/math.ts";
import { checkOneOf, checkOptions } from "../core/options.ts";
import { decompressed } from "./bytes/gzip.ts";
import { errorAt, readBytes, type ByteSource } from "./bytes/source.ts";
import { plural } from "../core/plural.ts";

/**
 * A WAV file has samples of one of these forms.
 * @example
 * const sampleForm: WavForm = "pcm16";
 * const sound = { data: Float32Array.of(0.5, 2), rows: 2, cols: 1, rate: 8000, form: sampleForm };
 * [...(await readWav(bytesSource(writeWav(sound).bytes, "sound.wav"))).data]; // => [0.5, 1 - 2 ** -15]
 */
export type WavForm = "pcm8" | "pcm16" | "pcm24" | "pcm32" | "float32";
const forms: readonly WavForm[] = ["pcm8", "pcm16", "pcm24", "pcm32", "float32"];

/**
 * A sound is a matrix [moments, channels], channels innermost. Samples of 32-bit PCM are float64, others
 * float32, in which they are exact.
 * @example
 * const sound: Wav = { data: Float32Array.of(0, 0.5, 1, -1), rows: 2, cols: 2, rate: 44_100, form: "float32" };
 * writeWav(sound).bytes.length; // => 44 + 16
 */
export interface Wav {
  readonly data: Float32Array | Float64Array;
  readonly rows: number;
  readonly cols: number;
  /** It is the sampling rate in Hz: a second has this many rows. */
  readonly rate: number;
  readonly form: WavForm;
}

/** They are the codes of two formats, and of the format that names another one later. */
const [PCM, FLOAT, EXTENSIBLE] = [1, 3, 0xfffe];
/** Programs that cannot go back to correct the size write this one: all of the rest. */
const UNKNOWN_SIZE = 0xffffffff;

interface WavFormat {
  readonly form: WavForm;
  readonly channels: number;
  readonly rate: number;
}

/**
 * Reads all of a WAV file, gzipped or not.
 * @throws InvalidInputError naming the byte (from 0) where the file is not what it says, or of another form
 * @example
 * const bytes = writeWav({ data: Float32Array.of(0, -1), rows: 2, cols: 1, rate: 8000, form: "pcm8" }).bytes;
 * const { data, rate, form } = await readWav(bytesSource(bytes, "click.wav"));
 * data; // => Float32Array [0, -1]
 * [rate, form]; // => [8000, "pcm8"]
 */
export async function readWav(
  packed: ByteSource,
  options: { readonly signal?: AbortSignal | undefined; readonly memory?: number | undefined } = {},
): Promise<Wav> {
  checkOptions(options, "readWav", { memory: 1, signal: 1 });
  const { signal, memory } = options;
  const source = await decompressed(packed, { signal });
  const bytes = await readBytes(source, memory);
  signal?.throwIfAborted();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (nameAt(view, 0) !== "RIFF" || nameAt(view, 8) !== "WAVE") {
    throw errorAt(source, 0, 'this is no WAV file, which begins with "RIFF", four bytes and "WAVE"');
  }
  let format: WavFormat | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = nameAt(view, at);
    const size = view.getUint32(at + 4, true);
    const left = bytes.length - at - 8;
    if (name === "fmt ") {
      if (size < 16 || size > left)
        throw errorAt(source, at + 4, `the format has ${size} bytes; expected 16 or more`);
      format = formatAt(view, at + 8, size, source);
    } else if (name === "data") {
      if (!format) throw errorAt(source, at, "the samples come before their format");
      if (size > left && size !== UNKNOWN_SIZE) {
        throw errorAt(source, bytes.length, `the file ends here, within its ${size} bytes of samples`);
      }
      return soundAt(view, at + 8, Math.min(size, left), format, source);
    }
    at += 8 + size + (size % 2);
  }
  throw errorAt(source, bytes.length, 'the file ends here, without a chunk "data"');
}

function nameAt(view: DataView, at: number): string {
  if (at + 4 > view.byteLength) return "";
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
}

function formatAt(view: DataView, at: number, size: number, source: ByteSource): WavFormat {
  const tag = view.getUint16(at, true);
  const code = tag === EXTENSIBLE && size >= 26 ? view.getUint16(at + 24, true) : tag;
  const channels = view.getUint16(at + 2, true);
  const rate = view.getUint32(at + 4, true);
  const bits = view.getUint16(at + 14, true);
  const form = forms.find(
    (each) => each === `${code === PCM ? "pcm" : code === FLOAT ? "float" : "?"}${bits}`,
  );
  if (!form) {
    throw errorAt(source, at, `the samples have the code ${code} and ${bits} bits; expected ${oneOf(forms)}`);
  }
  if (channels === 0) throw errorAt(source, at + 2, "there are no channels; expected at least one");
  const block = view.getUint16(at + 12, true);
  const expected = (channels * bits) / 8;
  if (block === expected) return { form, channels, rate };
  throw errorAt(
    source,
    at + 12,
    `a moment has ${block} bytes; expected ${expected} of ${channels} x ${bits} bits`,
  );
}

function soundAt(view: DataView, at: number, size: number, format: WavFormat, source: ByteSource): Wav {
  const { form, channels, rate } = format;
  const bytes = bytesOf(form);
  const rows = Math.floor(size / (bytes * channels));
  if (rows * bytes * channels !== size) {
    throw errorAt(
      source,
      at + size,
      `the samples end here, within moment ${rows} of ${bytes * channels} bytes`,
    );
  }
  const count = rows * channels;
  const data = form === "pcm32" ? new Float64Array(count) : new Float32Array(count);
  const read = {
    pcm8: (place: number) => (view.getUint8(place) - 128) / 2 ** 7,
    pcm16: (place: number) => view.getInt16(place, true) / 2 ** 15,
    pcm24: (place: number) => (view.getUint16(place, true) + view.getInt8(place + 2) * 2 ** 16) / 2 ** 23,
    pcm32: (place: number) => view.getInt32(place, true) / 2 ** 31,
    float32: (place: number) => view.getFloat32(place, true),
  }[form];
  for (let i = 0; i < count; i++) data[i] = read(at + i * bytes);
  return { data, rows, cols: channels, rate, form };
}

/**
 * Makes a WAV file of a sound.
 * @returns the file, and how many samples were clipped: those that PCM of n bits would round to less than -1
 *   or more than 1 - 2^(1-n)
 * @throws InvalidInputError for a sample that is NaN or infinite, or too large for float32, for a shape, a
 *   rate or a form that no WAV file has, and for more bytes than it may have
 * @example
 * const sound = { data: Float32Array.of(0, 0.5, -3), rows: 3, cols: 1, rate: 8000, form: "pcm16" } as const;
 * const { bytes, clipped } = writeWav(sound);
 * [bytes.length, clipped]; // => [44 + 6, 1]
 */
export function writeWav({ data, rows, cols, rate, form }: Wav): {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly clipped: number;
} {
  checkOneOf(form, forms, "form");
  const bytes = bytesOf(form);
  checkWhole(rows, "rows", 0, 2 ** 32 - 1);
  checkWhole(cols, "cols", 1, Math.floor((2 ** 16 - 1) / bytes));
  checkWhole(rate, "rate", 1, Math.floor((2 ** 32 - 1) / (cols * bytes)));
  if (data.length !== rows * cols) {
    throw new InvalidInputError(`data has ${plural(data.length, "sample")}; expected ${rows} x ${cols}`);
  }
  const size = rows * cols * bytes;
  const padded = size + (size % 2);
  if (36 + padded > 2 ** 32 - 1) {
    throw new InvalidInputError(
      `${size} bytes of samples do not fit a WAV file, which has at most 2^32; use .npy`,
    );
  }
  const view = new DataView(new ArrayBuffer(44 + padded));
  [..."RIFF    WAVEfmt "].forEach((letter, at) => view.setUint8(at, letter.charCodeAt(0)));
  view.setUint32(4, 36 + padded, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, form === "float32" ? FLOAT : PCM, true);
  view.setUint16(22, cols, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * cols * bytes, true);
  view.setUint16(32, cols * bytes, true);
  view.setUint16(34, bytes * 8, true);
  [..."data"].forEach((letter, at) => view.setUint8(36 + at, letter.charCodeAt(0)));
  view.setUint32(40, size, true);
  const half = 2 ** (8 * bytes - 1);
  let clipped = 0;
  const whole = (x: number): number => {
    const rounded = roundHalfEven(x * half);
    const kept = clamp(rounded, -half, half - 1);
    if (rounded !== kept) clipped++;
    return kept;
  };
  const write = {
    pcm8: (place: number, x: number) => view.setUint8(place, whole(x) + 128),
    pcm16: (place: number, x: number) => view.setInt16(place, whole(x), true),
    pcm24: (place: number, x: number) => {
      const value = whole(x);
      view.setUint16(place, value & 0xffff, true);
      view.setInt8(place + 2, value >> 16);
    },
    pcm32: (place: number, x: number) => view.setInt32(place, whole(x), true),
    float32: (place: number, x: number) => view.setFloat32(place, x, true),
  }[form];
  for (let i = 0; i < rows * cols; i++) {
    if (!Number.isFinite(form === "float32" ? Math.fround(data[i]) : data[i])) {
      const place = `moment ${Math.floor(i / cols)}, channel ${i % cols}`;
      throw new InvalidInputError(`${place} is ${data[i]}; a WAV file holds finite numbers`);
    }
    write(44 + i * bytes, data[i]);
  }
  return { bytes: new Uint8Array(view.buffer), clipped };
}

function checkWhole(value: number, name: string, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new InvalidInputError(
    `${name} is ${value}; expected a whole number from ${least} to ${most}, as a WAV file can hold`,
  );
}

function bytesOf(form: WavForm): number {
  return Number(form.replace(/\D+/, "")) / 8;
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}
