/**
 * WAV files: what other programs write, what comes back, scaling, clipping, and what is wrong with a file.
 */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { bytesSource } from "../../../src/io/bytes/source.ts";
import { readWav, writeWav, type Wav } from "../../../src/io/wav.ts";
import { printedSeed, Random } from "../../oracle/random.ts";

const forms = ["pcm8", "pcm16", "pcm24", "pcm32", "float32"] as const;

const read = (bytes: Uint8Array) => readWav(bytesSource(bytes, "a.wav"));
const of = (form: Wav["form"], ...data: number[]): Wav => {
  const samples = form === "pcm32" ? Float64Array.from(data) : Float32Array.from(data);
  return { data: samples, rows: data.length, cols: 1, rate: 8000, form };
};

/** Chunks behind the head, such as ["fmt ", 1, 0, ...]. */
function file(...chunks: (readonly [string, readonly number[], size?: number])[]): Uint8Array {
  const bytes = chunks.flatMap(([name, content, size = content.length]) => [
    ...Buffer.from(name),
    ...new Uint8Array(Uint32Array.of(size).buffer),
    ...content,
    ...(content.length % 2 === 1 ? [0] : []),
  ]);
  return Uint8Array.from([...Buffer.from("RIFF"), 0, 0, 0, 0, ...Buffer.from("WAVE"), ...bytes]);
}

function format(code: number, channels: number, bits: number, ...more: number[]): number[] {
  const block = (channels * bits) / 8;
  return [code & 255, code >> 8, channels, 0, 64, 31, 0, 0, 0, 0, 0, 0, block, 0, bits, 0, ...more];
}

describe("WAV", () => {
  it("reads chunks that it does not know, of odd lengths, and samples of two channels", async () => {
    const samples = [0, 0x40, 0, 0x80, 0xff, 0x7f, 1, 0];
    const sound = await read(
      file(["LIST", [1, 2, 3]], ["fmt ", format(1, 2, 16)], ["data", samples], ["id3 ", [1]]),
    );
    expect(sound).toEqual({
      data: Float32Array.of(0.5, -1, 1 - 2 ** -15, 2 ** -15),
      rows: 2,
      cols: 2,
      rate: 8000,
      form: "pcm16",
    });
  });

  it("reads the format that names another, and samples that go on to the end of a pipe", async () => {
    const guid = [22, 0, 24, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113];
    const extensible = format(0xfffe, 1, 24, ...guid);
    const { data, form } = await read(
      file(["fmt ", extensible], ["data", [0, 0, 0x80, 1, 0, 0], 0xffffffff]),
    );
    expect([form, ...data]).toEqual(["pcm24", -1, 2 ** -23]);
  });

  it.each(forms)("gives back what it has written as %s, to the bit", async (form) => {
    const data = [0, -1, 0.5, -0.25, 2 ** -7, 1 - 2 ** -7];
    const written = writeWav(of(form, ...data));
    expect(written.clipped).toBe(0);
    const sound = await read(written.bytes);
    expect([sound.form, ...sound.data]).toEqual([form, ...data]);
    expect(writeWav(sound).bytes).toEqual(written.bytes);
  });

  it("writes the bytes that Python's wave module writes", () => {
    const { bytes } = writeWav(of("pcm16", 0, 0.5, -1));
    expect(Buffer.from(bytes).toString("hex")).toBe(
      "524946462a00000057415645666d74201000000001000100401f0000803e0000020010006461746106000000" +
        "000000400080",
    );
  });

  it("rounds to the nearest, of two to the even one, and counts what it clips", async () => {
    const step = 2 ** -15;
    const { bytes, clipped } = writeWav(
      of("pcm16", 0.5 * step, 1.5 * step, -0.5 * step, 0.6 * step, 1, -1.5, 7),
    );
    expect(clipped).toBe(3);
    expect([...(await read(bytes)).data].map((x) => x / step)).toEqual([0, 2, 0, 1, 32_767, -32_768, 32_767]);
    expect(writeWav(of("float32", 7, -9)).clipped).toBe(0);
    expect([...(await read(writeWav(of("pcm8", -1, 1, 0.004)).bytes)).data]).toEqual([
      -1,
      127 / 128,
      2 ** -7,
    ]);
  });

  it("says what is wrong with a file, and where", async () => {
    const fmt = ["fmt ", format(1, 1, 16)] as const;
    const cases: [Uint8Array, RegExp][] = [
      [new Uint8Array(3), /byte 0: this is no WAV file/],
      [
        file(["fmt ", format(1, 1, 12)]),
        /byte 20: the samples have the code 1 and 12 bits; expected pcm8, pcm16/,
      ],
      [file(["fmt ", format(6, 1, 8)]), /the code 6 and 8 bits/],
      [file(["fmt ", format(1, 0, 16)]), /byte 22: there are no channels/],
      [file(["fmt ", [1, 0]]), /byte 16: the format has 2 bytes/],
      [file(["data", [1, 2]]), /byte 12: the samples come before their format/],
      [file(fmt, ["data", [1, 2], 8]), /byte 46: the file ends here, within its 8 bytes of samples/],
      [file(fmt, ["data", [1, 2, 3]]), /byte 47: the samples end here, within moment 1 of 2 bytes/],
      [file(fmt), /byte 36: the file ends here, without a chunk "data"/],
    ];
    for (const [bytes, pattern] of cases) await expect(read(bytes)).rejects.toThrow(pattern);
    expect(() => writeWav(of("pcm16", 0, NaN))).toThrow(/moment 1, channel 0 is NaN/);
    const double = { ...of("pcm32", 1e39), form: "float32" } as const;
    expect(() => writeWav(double)).toThrow(/moment 0, channel 0 is 1e\+39/);
  });

  it("refuses shapes, rates and forms that no file has, instead of writing others", () => {
    const sound = of("pcm16", 0, 0.5);
    const cases: [Partial<Wav> | object, RegExp][] = [
      [{ rows: 3 }, /data has 2 samples; expected 3 x 1/],
      [{ rows: 0, cols: 70_000, data: new Float32Array(0) }, /cols is 70000; .* from 1 to 32767/],
      [{ rate: 0.5 }, /rate is 0\.5; expected a whole number/],
      [{ rate: 2 ** 32 }, /rate is 4294967296/],
      [{ form: "pcm12" }, /unknown form "pcm12"/],
    ];
    for (const [change, pattern] of cases) {
      expect(() => writeWav({ ...sound, ...change })).toThrow(pattern);
    }
  });

  it("counts what rounding alone would have put outside as clipped", () => {
    const step = 2 ** -15;
    expect(writeWav(of("pcm16", 1 - 0.5 * step, 1 - 0.6 * step, -1 - 0.5 * step)).clipped).toBe(1);
  });

  it("reads or refuses whatever a file holds, and never fails in another way", async () => {
    const random = new Random(printedSeed());
    const files = forms.map((form) => writeWav(of(form, 0, -1, 0.5, 0.25, 0.75)).bytes);
    let refused = 0;
    for (let i = 0; i < 3000; i++) {
      const bytes = random.pick(files).slice(0, random.int(1, 70));
      for (let change = random.int(0, 4); change > 0; change--) {
        bytes[random.int(0, bytes.length)] = random.pick([0, 1, 2, 255, random.int(0, 256)]);
      }
      const sound = await read(bytes).catch((error: unknown) => error);
      if (sound instanceof Error) {
        expect(sound).toBeInstanceOf(InvalidInputError);
        refused++;
      } else expect((sound as Wav).data.length).toBe((sound as Wav).rows * (sound as Wav).cols);
    }
    expect(refused).toBeGreaterThan(1000);
    expect(refused).toBeLessThan(3000);
  });
});
