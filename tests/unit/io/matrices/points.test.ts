/** Points of .ply and .xyz: every form of them from every source, and what is wrong in which line or byte. */
import { describe, expect, it } from "vitest";
import { collectMatrix } from "../../../../src/core/matrixStream.ts";
import { bytesSource, textSource } from "../../../../src/io/bytes/source.ts";
import { openPly } from "../../../../src/io/points/ply.ts";
import { openXyz } from "../../../../src/io/points/xyz.ts";
import { openMatrix } from "../../../../src/io/read.ts";
import { writeMatrix } from "../../../../src/io/write.ts";
import { everySource } from "./matrixHelpers.ts";

const encoder = new TextEncoder();

/** Two vertices whose properties are in any order and of any type, between other elements. */
function binaryPly(
  format: "binary_little_endian" | "binary_big_endian",
  eol = "\n",
): Uint8Array<ArrayBuffer> {
  const header = [
    "ply",
    `format ${format} 1.0`,
    "comment made by hand",
    "element camera 1",
    "property short id",
    "element vertex 2",
    "property uchar red",
    "property double z",
    "property float x",
    "property int16 y",
    "element face 1",
    "property list uchar int vertex_indices",
    "end_header",
    "",
  ].join(eol);
  const isLittle = format === "binary_little_endian";
  const view = new DataView(new ArrayBuffer(2 + 2 * 15 + 5));
  view.setInt16(0, 7, isLittle);
  [
    [200, 0.1, 1.5, -3],
    [9, -2e300, 0.25, 300],
  ].forEach(([red, z, x, y], i) => {
    const at = 2 + 15 * i;
    view.setUint8(at, red);
    view.setFloat64(at + 1, z, isLittle);
    view.setFloat32(at + 9, x, isLittle);
    view.setInt16(at + 13, y, isLittle);
  });
  const head = encoder.encode(header);
  const bytes = new Uint8Array(head.length + view.byteLength);
  bytes.set(head);
  bytes.set(new Uint8Array(view.buffer), head.length);
  return bytes;
}

const asciiHeader = [
  "ply",
  "format ascii 1.0",
  "element camera 1",
  "property list uchar int seen",
  "element vertex 2",
  "property float y",
  "property float x",
  "element face 1",
  "property list uchar int vertex_indices",
  "end_header\n",
].join("\n");

describe(".ply", () => {
  const isBinary = [1.5, -3, 0.1, 0.25, 300, -2e300];
  it.each(["binary_little_endian", "binary_big_endian"] as const)(
    "is read from every source: %s",
    async (format) => {
      for (const eol of ["\n", "\r\n"]) {
        for (const [name, source] of Object.entries(everySource(binaryPly(format, eol)))) {
          const matrix = await collectMatrix(await openPly(source));
          expect(matrix, name).toEqual({ data: Float64Array.from(isBinary), rows: 2, cols: 3 });
        }
      }
    },
  );

  it("is read as text from every source, in float32 where all coordinates are", async () => {
    const bytes = encoder.encode(`${asciiHeader}2 4 5\n\n 0.1\t2 \r\n3 -4e1\n3 0 1 1\n`);
    for (const [name, source] of Object.entries(everySource(bytes))) {
      const matrix = await collectMatrix(await openPly(source));
      expect(matrix, name).toEqual({ data: Float32Array.of(2, 0.1, -40, 3), rows: 2, cols: 2 });
    }
  });

  it("is known by its name, its first bytes and as gzip, and read in chunks", async () => {
    const bytes = binaryPly("binary_little_endian");
    const stream = await openMatrix(bytesSource(bytes, "bunny"));
    const chunks = [];
    for await (const { data } of stream.chunks({ maxRows: 1 })) chunks.push([...data]);
    expect(chunks).toEqual([isBinary.slice(0, 3), isBinary.slice(3)]);
    expect((await openMatrix(everySource(bytes).gzip, { format: "ply" })).rows).toBe(2);
    expect(stream.once).toBe(false);
    expect((await collectMatrix(stream)).rows).toBe(2);
  });

  const vertices = (count: string, type = "float") =>
    `ply\nformat ascii 1.0\nelement vertex ${count}\nproperty ${type} x\nend_header\n`;
  it.each<[string, string, RegExp]>([
    ["no ply", "plz\n", /line 1: found .* begins with a line ply/],
    ["no end", "ply\nformat ascii 1.0\n", /no line end_header/],
    ["a header without end", `ply\n${"comment\n".repeat(20_000)}`, /no line end_header within 65536/],
    [
      "another version",
      vertices("1").replace("1.0", "2.0"),
      /line 2: the format is "ascii 2.0"; expected ascii,/,
    ],
    ["a format of objects", vertices("1").replace("ascii", "toString"), /line 2: the format is/],
    ["no format", vertices("1").replace("format ascii 1.0\n", ""), /has no format/],
    ["a count that is none", vertices("-1"), /line 3: the element has the count "-1"/],
    ["another type", vertices("1", "half"), /line 4: the property is "half x"/],
    ["a list of vertices", vertices("1", "list uchar int"), /vertices have a list/],
    ["no vertices", vertices("1").replace("vertex", "face"), /no element vertex/],
    ["no coordinates", vertices("1").replace(" x", " u"), /no properties x, y and z/],
    ["a word", vertices("1").replace("property", "proper"), /line 4: found "proper"/],
    ["too few", `${vertices("3")}1\n2\n`, /line 7: the file ends here, after 2 of 3/],
    ["a claim of petabytes", `${vertices("900719925474")}1\n`, /after 1 of 900719925474/],
    ["too many", `${vertices("1")}1\n2\n`, /line 7: follows the last of 1/],
    ["too many numbers", `${vertices("1")}1 2\n`, /line 6: has 2 numbers/],
    ["a word for a number", `${vertices("1")}one\n`, /line 6: "one" is no finite number/],
    ["more than float32 holds", `${vertices("1")}1e39\n`, /line 6: "1e39" is no finite number/],
    [
      "an integer beyond 2^53",
      `${vertices("1", "double")}9007199254740993\n`,
      /line 6: the integer .* 2\^53/,
    ],
    ["a line without end", `${vertices("1")}${"1".repeat(600_000)}`, /line 6: is longer than 65536/],
  ])("refuses %s", async (_, text, message) => {
    const read = async () => collectMatrix(await openPly(textSource(text, "x.ply")));
    await expect(read()).rejects.toThrow(message);
  });

  it("refuses bytes that are missing, that follow, and lists before the vertices", async () => {
    const bytes = binaryPly("binary_big_endian");
    const read = async (given: Uint8Array<ArrayBuffer>) => {
      for (const source of Object.values(everySource(given))) await collectMatrix(await openPly(source));
    };
    await expect(read(bytes.slice(0, -6))).rejects.toThrow(/byte \d+: the file ends here/);
    const pipe = everySource(bytes.slice(0, -6)).pipe;
    await expect(openPly(pipe).then(collectMatrix)).rejects.toThrow(/within vertex 1 of 2/);
    const text = new TextDecoder("latin1").decode(bytes);
    const changed = (from: RegExp, to: string) =>
      Uint8Array.from(text.replace(from, to), (c) => c.charCodeAt(0));
    await expect(read(changed(/element face 1/, "element face 0"))).rejects.toThrow(
      /2 vertices end here, but/,
    );
    const alone = everySource(changed(/element face 1/, "element face 0")).pipe;
    await expect(openPly(alone).then(collectMatrix)).rejects.toThrow(/2 vertices end here, but/);
    await expect(read(changed(/property short id/, "property list uchar int id"))).rejects.toThrow(
      /lists stand/,
    );
    await expect(read(changed(/vertex 2/, "vertex 999999999999999"))).rejects.toThrow(/larger than any file/);
    await expect(read(changed(/vertex 2/, "vertex 99999999999"))).rejects.toThrow(/the file ends here/);
  });
});

describe(".xyz", () => {
  it("is read from every source, with blanks, tabs and comments", async () => {
    const bytes = encoder.encode("# scan\n\n0.5 1\t  2\r\n\t-1e-3 4 5.25  \n// end\n7 8 9");
    for (const [name, source] of Object.entries(everySource(bytes))) {
      const { data, rows, cols } = await collectMatrix(await openXyz(source));
      expect([rows, cols, data], name).toEqual([3, 3, Float64Array.of(0.5, 1, 2, -1e-3, 4, 5.25, 7, 8, 9)]);
    }
  });

  it("is known by its name, has one to three columns, and may have colours behind them", async () => {
    const of = async (text: string) => collectMatrix(await openMatrix(textSource(text, "a.xyz")));
    expect(await of("4\n5\n")).toEqual({ data: Float64Array.of(4, 5), rows: 2, cols: 1 });
    expect((await of("4 5\n")).cols).toBe(2);
    expect([...(await of("1 2 3 red 5\n4 5 6 blue\n")).data]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each<[string, string, RegExp]>([
    ["nothing", " \n# none\n", /line 1: has no points/],
    ["commas", "1,2,3\n", /line 1: "1,2,3" is no finite number/],
    ["another count", "1 2\n\n3\n", /line 3: has 1 number, but a point of this file has 2/],
    ["fewer than three", "1 2 3 4\n3 4\n", /line 2: has 2 numbers, but .* at least 3/],
    ["NaN", "1 2\nnan 4\n", /line 2: "nan" is no finite number/],
    ["infinity", "1 2\n1e999 4\n", /line 2: "1e999" is no finite number/],
  ])("refuses %s", async (_, text, message) => {
    const read = async () => collectMatrix(await openXyz(textSource(text, "x.xyz")));
    await expect(read()).rejects.toThrow(message);
  });
});

it("refuses a stream whose names are not as many as its columns", async () => {
  const stream = await openMatrix(textSource("1 2 3\n", "a.xyz"));
  const pieces = writeMatrix("csv", { ...stream, cols: 2 });
  await expect(pieces.next()).rejects.toThrow(/a.xyz: has 2 columns, but names for 3/);
});
