/** The command line over every file format: the same answers from all of them, and `nearfield schema`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  bytesSource,
  openMatrix,
  readGroundTruth,
  readTable,
  writeMatrix,
  writeTable,
} from "../../../dist/node.js";
import { Folder, train } from "./helpers.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu", "--quiet"];

async function put(name: string, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(typeof piece === "string" ? Buffer.from(piece) : piece.slice());
  writeFileSync(join(folder.path, name), Buffer.concat(all));
}

const bytesOf = (name: string) => new Uint8Array(readFileSync(join(folder.path, name)));

describe("files of every format", () => {
  it("give the same neighbours, in every format of results", async () => {
    const table = await readTable(bytesSource(Buffer.from(train), "train.csv"));
    const numbers = table.select(["x", "y"]);
    await put("t.parquet", writeTable("parquet", table));
    await put("t.jsonl", writeTable("jsonl", table));
    await put("t.npy", writeTable("npy", numbers));
    await put("t.fvecs", writeTable("fvecs", numbers));
    await put("t.fbin", writeTable("fbin", numbers));
    writeFileSync(join(folder.path, "t.npy.gz"), gzipSync(bytesOf("t.npy")));
    writeFileSync(join(folder.path, "t.csv.gz"), gzipSync(train));
    writeFileSync(join(folder.path, "noextension"), gzipSync(bytesOf("t.parquet")));

    const features = ["--features", "x,y", "--k", "2", ...cpu];
    const { stdout: expected } = await folder.run([
      "search",
      "--train",
      "train.csv",
      "--queries",
      "train.csv",
      ...features,
    ]);
    expect(expected).toContain("1,0,1,0\n1,1,0,1\n");
    for (const [file, args] of Object.entries({
      "t.parquet": features,
      "t.jsonl": features,
      "t.csv.gz": features,
      noextension: features,
      "t.npy": ["--k", "2", ...cpu],
      "t.npy.gz": ["--k", "2", ...cpu],
      "t.fvecs": ["--k", "2", ...cpu],
      "t.fbin": ["--k", "2", ...cpu],
    })) {
      const found = await folder.run(["search", "--train", file, "--queries", file, ...args]);
      expect(found, file).toEqual({ code: 0, stdout: expected, stderr: "" });
    }

    expect(await folder.run(["schema", "t.fbin"])).toMatchObject({ code: 0, stderr: "" });

    const search = ["search", "--train", "t.npy", "--queries", "t.npy", "--k", "2", ...cpu];
    for (const out of ["o.csv", "o.tsv", "o.jsonl", "o.parquet", "o.npy", "o.ivecs", "o.ibin"])
      expect((await folder.run([...search, "--out", out])).stderr, out).toBe("");
    const wanted = await readTable(bytesSource(Buffer.from(expected), "x.csv"));
    const plain = (written: typeof wanted) =>
      written.columns.map((column) => column.kind === "numeric" && [...column.values]);
    for (const out of ["o.csv", "o.tsv", "o.jsonl", "o.parquet"])
      expect(plain(await readTable(bytesSource(bytesOf(out), out))), out).toEqual(plain(wanted));
    expect(Buffer.from(bytesOf("o.tsv")).toString()).toBe(expected.replaceAll(",", "\t"));
    for (const out of ["o.npy", "o.ivecs", "o.ibin"]) {
      const indices: number[] = [];
      for await (const { data } of (await openMatrix(bytesSource(bytesOf(out), out))).chunks())
        indices.push(...data);
      expect(indices, out).toEqual(plain(wanted)[2]);
    }
    const truth = await readGroundTruth(bytesSource(bytesOf("o.ibin"), "o.ibin"));
    expect(truth).toMatchObject({ queries: 6, k: 2 });
    const distances = plain(wanted)[3];
    expect([...truth.distances]).toEqual(distances && distances.map(Math.fround));
  }, 120_000);

  it("are gzipped where the name of the result says so, whatever the format", async () => {
    for (const out of ["o.csv", "o.tsv", "o.jsonl", "o.parquet", "o.npy", "o.ivecs"]) {
      for (const name of [out, `${out}.gz`]) {
        expect(await folder.search(["--k", "2", "--quiet", "--out", name])).toEqual({
          code: 0,
          stdout: "",
          stderr: "",
        });
      }
      const packed = bytesOf(`${out}.gz`);
      expect([...packed.subarray(0, 2)], out).toEqual([0x1f, 0x8b]);
      expect(Buffer.compare(gunzipSync(packed), bytesOf(out)), out).toBe(0);
    }
    const regress = ["regress", "--label", "y", "--features", "x", "--k", "2", "--train", "train.csv"];
    const model = ["--test", "test.csv", "--save-model", "m.nfm.gz", "--out", "p.csv"];
    expect((await folder.run([...regress, ...cpu, ...model])).code).toBe(0);
    const predicted = await folder.run(["predict", "--model", "m.nfm.gz", "--test", "test.csv", ...cpu]);
    expect(predicted.stdout).toBe(Buffer.from(bytesOf("p.csv")).toString());
  }, 120_000);

  it("classify rows, whatever holds them, with typed results", async () => {
    const table = await readTable(bytesSource(Buffer.from(train), "train.csv"));
    await put("t.parquet", writeTable("parquet", table));
    await put("t.jsonl", writeTable("jsonl", table));
    const classify = ["classify", "--label", "kind", "--id", "id", "--k", "1", ...cpu];
    const { stdout } = await folder.run([...classify, "--train", "t.parquet", "--test", "t.jsonl"]);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      "id,x,y,kind,prediction(kind),confidence(far),confidence(near)",
      "a1,0,0,near,near,0,1",
    ]);
    const out = ["--train", "train.csv", "--test", "t.parquet", "--out", "p.jsonl"];
    expect((await folder.run([...classify, ...out])).stderr).toBe("");
    expect(Buffer.from(bytesOf("p.jsonl")).toString().split("\n")[0]).toBe(
      '{"id":"a1","x":0,"y":0,"kind":"near","prediction(kind)":"near","confidence(far)":0,"confidence(near)":1}',
    );
    const npy = ["--train", "train.csv", "--test", "t.parquet", "--out", "p.npy"];
    expect(await folder.run([...classify, ...npy])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "nearfield: p.npy: the result is a table, but npy holds only numbers; choose csv, jsonl or parquet (--format)\n",
    });
    expect(folder.list()).not.toContain("p.npy");
  }, 120_000);

  it("predict the same from CSV, Parquet and a saved model", async () => {
    const table = await readTable(bytesSource(Buffer.from(train), "train.csv"));
    await put("t.parquet", writeTable("parquet", table));
    const regress = ["regress", "--label", "y", "--features", "x", "--k", "2", ...cpu];
    const model = ["--save-model", "m.nfm", "--out", "p.tsv"];
    const fitted = await folder.run([...regress, "--train", "t.parquet", "--test", "train.csv", ...model]);
    expect(fitted).toEqual({ code: 0, stdout: "", stderr: "" });
    const wanted = Buffer.from(bytesOf("p.tsv")).toString();
    // A CSV file's own texts, such as 10.50, stay as they are.
    expect(wanted.split("\n").slice(0, 7)).toEqual([
      "id\tx\ty\tkind\tprediction(y)",
      "a1\t0\t0\tnear\t0.5",
      "a2\t0\t1\tnear\t0.5",
      "a3\t1\t0\tnear\t0",
      "b1\t10\t10\tfar\t10.5",
      "b2\t10\t11\tfar\t10.5",
      "b3\t11\t10.50\tfar\t10.25",
    ]);
    const predict = ["predict", "--model", "m.nfm", ...cpu];
    const again = await folder.run([...predict, "--test", "t.parquet", "--delimiter", "tab"]);
    expect(again.stdout).toBe(wanted.replace("10.50", "10.5"));
    const typed = await folder.run([
      ...predict,
      "--test",
      "train.csv",
      "--columns",
      "x",
      "--format",
      "jsonl",
    ]);
    expect(typed.stdout.split("\n").slice(0, 2)).toEqual([
      '{"x":0,"prediction(y)":0.5}',
      '{"x":0,"prediction(y)":0.5}',
    ]);
    expect((await folder.run([...predict, "--test", "train.csv", "--columns", "id"])).stderr).toBe(
      'nearfield: column "x" is named by the model, but not among the --columns to read; add it to them\n',
    );
  }, 120_000);

  it("write classes as the training file does, and as numbers where the format has types", async () => {
    folder.write({ "c.csv": "x,class\n0,1.0\n1,1.0\n8,2.0\n9,2.0\n", "n.csv": "x,y\n0.50,a\n9,b\n" });
    const args = ["classify", "--train", "c.csv", "--test", "n.csv", "--label", "class", "--k", "1", ...cpu];
    expect((await folder.run(args)).stdout).toBe(
      "x,y,prediction(class),confidence(1.0),confidence(2.0)\n0.50,a,1.0,1,0\n9,b,2.0,0,1\n",
    );
    expect((await folder.run([...args, "--format", "jsonl"])).stdout).toBe(
      '{"x":0.5,"y":"a","prediction(class)":1,"confidence(1.0)":1,"confidence(2.0)":0}\n' +
        '{"x":9,"y":"b","prediction(class)":2,"confidence(1.0)":0,"confidence(2.0)":1}\n',
    );
  }, 120_000);

  it("of numbers are tables with the columns 0, 1 and so on", async () => {
    const data = Float32Array.of(0, 0, 5, 0, 1, 5, 9, 9, 7, 9, 8, 7);
    await put("m.npy", writeMatrix("npy", { data, rows: 4, cols: 3 }));
    const args = ["classify", "--train", "m.npy", "--test", "m.npy", "--label", "2", "--k", "1", ...cpu];
    expect((await folder.run(args)).stdout).toBe(
      "0,1,2,prediction(2),confidence(5),confidence(7)\n0,0,5,5,1,0\n0,1,5,5,1,0\n9,9,7,7,0,1\n9,8,7,7,0,1\n",
    );
    expect((await folder.run([...args, "--nominal", "0"])).stderr).toBe(
      "nearfield: m.npy: holds only numbers, which are not read as text; leave out --nominal\n",
    );
  }, 120_000);

  it("are read by the columns that are named", async () => {
    const args = ["--columns", "x,kind", "--label", "kind", "--k", "1", ...cpu];
    const { stdout } = await folder.run(["classify", "--train", "train.csv", "--test", "test.csv", ...args]);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      "x,kind,prediction(kind),confidence(far),confidence(near)",
      "0.50,near,near,0,1",
    ]);
    const wrong = (...more: string[]) =>
      folder.run(["classify", "--train", "train.csv", "--test", "test.csv", ...more, ...cpu]);
    expect((await wrong("--columns", "x,y", "--label", "kind")).stderr).toBe(
      'nearfield: column "kind" is named by --label, but not among the --columns to read; add it to them\n',
    );
    expect((await wrong("--columns", "x,kind,z", "--label", "kind", "--k", "1")).stderr).toContain(
      'train.csv: there is no column "z"; the columns are "id", "x", "y", "kind"',
    );
    // A column that only one of the files has.
    expect(
      (await wrong("--columns", "x,kind,note", "--features", "x", "--label", "kind", "--k", "1")).code,
    ).toBe(0);
  }, 120_000);

  it("are refused by name when nothing tells the format, or it cannot be what is said", async () => {
    folder.write({ "t.dat": train, "t.arrow": "ARROW1\0\0", "t.feather": "FEA1 of version 1" });
    const search = (file: string, ...args: string[]) =>
      folder.run([
        "search",
        "--train",
        file,
        "--queries",
        "train.csv",
        "--features",
        "x,y",
        "--k",
        "1",
        ...cpu,
        ...args,
      ]);
    expect(await search("t.dat")).toMatchObject({
      code: 1,
      stderr:
        "nearfield: t.dat: the format cannot be told from the extension .dat; expected .csv, .tsv, .tab, .txt, .jsonl, .ndjson, .json, .parquet, .pq, .arrow, " +
        ".feather, .ipc, .arrows, .npy, .fvecs, .ivecs, .bvecs, .fbin, .ibin, .u8bin, .i8bin, .idx, .idx1-ubyte, .idx2-ubyte, .idx3-ubyte, .ply or .xyz, each also with .gz, or name the format " +
        "(--input-format csv, jsonl, json, parquet, arrow, npy, fvecs, ivecs, bvecs, fbin, ibin, u8bin, i8bin, idx, ply, xyz)\n",
    });
    expect((await search("t.dat", "--input-format", "csv")).code).toBe(0);
    expect((await search("t.arrow")).stderr).toContain("t.arrow: byte 8: the file ends");
    expect((await search("t.feather")).stderr).toContain("Feather of version 1 is not read");
    expect((await search("train.csv", "--out", "x.xls")).stderr).toContain(
      "x.xls: the format to write cannot be told from the extension",
    );
    expect((await search("train.csv", "--out", "x.gz")).code).toBe(0);
    expect((await search("train.csv", "--out", "x.fvecs.gz")).stderr).toContain(
      "the format to write cannot be told from the extension; expected .csv, .tsv, .tab, .txt, .jsonl, .ndjson, .json, .parquet, .pq, .npy, .ivecs or .ibin, each also with .gz",
    );
    expect((await search("train.csv", "--input-format", "parquet")).stderr).toContain(
      'train.csv: byte 0: found "id,x"; a Parquet file starts with PAR1',
    );
  }, 120_000);

  it("are refused when they have no rows", async () => {
    await put("none.npy", writeMatrix("npy", { data: new Float32Array(0), rows: 0, cols: 2 }));
    folder.write({ "two.csv": "0,1\n1,2\n3,4\n" });
    const found = await Promise.all(
      [
        ["none.npy", "two.csv"],
        ["two.csv", "none.npy"],
        ["none.npy", "none.npy"],
      ].map(([some, other]) =>
        folder.run(["search", "--train", some, "--queries", other, "--k", "1", ...cpu]),
      ),
    );
    const refused = {
      code: 1,
      stdout: "",
      stderr: "nearfield: none.npy: has no rows; expected at least one\n",
    };
    expect(found).toEqual([refused, refused, refused]);
  }, 120_000);

  it("of numbers alone have no columns to name", async () => {
    await put("t.npy", writeMatrix("npy", { data: new Float32Array(6), rows: 3, cols: 2 }));
    const args = ["search", "--train", "t.npy", "--queries", "t.npy", "--k", "1", "--features", "x", ...cpu];
    expect((await folder.run(args)).stderr).toBe(
      "nearfield: --features names columns, but both files are matrices without names; leave it out\n",
    );
  });
});

describe("schema", () => {
  it("refuses matrices by their headers, before a row is read: too wide, or not alike", async () => {
    /** Headers alone: their rows never come. */
    const headerOf = (cols: number) => {
      const text = `{'descr': '|u1', 'fortran_order': False, 'shape': (4, ${cols}), }`.padEnd(117) + "\n";
      return Buffer.concat([Buffer.from("\x93NUMPY\x01\0v\0", "latin1"), Buffer.from(text)]);
    };
    const files = { "wide.npy.gz": 2 ** 20 + 1, "three.npy.gz": 3, "four.npy.gz": 4 };
    for (const [name, cols] of Object.entries(files))
      writeFileSync(join(folder.path, name), gzipSync(headerOf(cols)));
    const errorOf = async (...args: string[]) => (await folder.run(args)).stderr;
    const search = (train: string, queries: string) =>
      errorOf("search", "--train", train, "--queries", queries, "--k", "1", ...cpu);
    const tooWide = "nearfield: wide.npy.gz: its rows have 1048577 columns, and at most 1048576 can be named";
    expect(await errorOf("schema", "wide.npy.gz")).toContain(tooWide);
    expect(await search("wide.npy.gz", "three.npy.gz")).toContain(tooWide);
    expect(await search("three.npy.gz", "wide.npy.gz")).toContain(tooWide);
    expect(await search("three.npy.gz", "four.npy.gz")).toBe(
      "nearfield: four.npy.gz: has 4 columns, but three.npy.gz has 3; both need the same columns in the same order\n",
    );
    expect(await search("three.npy.gz", "three.npy.gz")).toContain(
      "three.npy.gz: byte 128 of the unpacked data: the file ends here",
    );
  });

  it("shows columns, gaps, ranges and guesses, also of a pipe", async () => {
    folder.write({ "s.csv": "n;t\n1,5;x\n;x\n-2;y\nNA;\n" });
    const args = ["schema", "--decimal", ","];
    const { stdout, stderr, code } = await folder.run([...args, "s.csv"]);
    expect(stdout).toMatchInlineSnapshot(`
      "s.csv: csv, 4 rows, 2 columns
      column  type       gaps            values
      n       numeric  50.0 %  █      █  -2 to 1.5, quartiles -1.125, -0.25, 0.625
      t       nominal  25.0 %  █▄        2 different, 50.0 % "x"
      column names: from line 1 (override with --no-header)
      delimiter: ";", found in the first lines (override with --delimiter)
      decimal separator: "," (override with --decimal)
      missing values: empty cells, ?, NA, N/A, NaN, nan, null, NULL, None, none, nil, #N/A, #NA, <NA>, n/a, N.A., - among numbers (override with --na)
      "
    `);
    expect([code, stderr]).toEqual([0, ""]);
    const piped = await folder.run([...args, "-"], { input: "n;t\n1,5;x\n;x\n-2;y\nNA;\n" });
    expect(piped.stdout).toBe(stdout.replace("s.csv", "standard input"));
  });

  it("says that line 1 may be a row, which every command reads it as where told so", async () => {
    const rows = "1,5,a\n2,6,a\n9,7,b\n";
    folder.write({ "r.csv": rows, "q.csv": "8,7\n" });
    writeFileSync(join(folder.path, "r.csv.gz"), gzipSync(rows));
    expect((await folder.run(["schema", "r.csv"])).stdout).toContain(
      "\ncolumn names: from line 1, which looks like a row of values (override with --no-header)\n",
    );
    const { stdout: schema } = await folder.run(["schema", "--no-header", "-"], { input: rows });
    expect(schema).toContain("standard input: csv, 3 rows, 3 columns\n");
    expect(schema).toMatch(/\n0 +numeric +- .* 1 to 9/);
    expect(schema).not.toContain("--no-header");

    const self = ["search", "--train", "r.csv.gz", "--queries", "r.csv.gz", "--k", "1", "--backend", "cpu"];
    const doubt = "r.csv.gz: line 1 was read as names, but looks like a row (--no-header reads it as one)";
    expect((await folder.run(self)).stderr.split(doubt)).toHaveLength(2);
    expect(JSON.parse((await folder.run([...self, "--json"])).stderr)).toMatchObject({
      namesInDoubt: ["r.csv.gz"],
    });
    expect((await folder.run([...self, "--no-header"])).stderr).not.toContain("--no-header");

    const given = ["--no-header", "--k", "1", ...cpu];
    const model = ["--train", "r.csv.gz", "--label", "2", "--save-model", "m.nfm"];
    const predicted = "0,1,prediction(2),confidence(a),confidence(b)\n8,7,b,0,1\n";
    expect((await folder.run(["classify", ...model, ...given, "--test", "q.csv"])).stdout).toBe(predicted);
    const predict = ["predict", "--model", "m.nfm", "--no-header", ...cpu, "--test"];
    expect((await folder.run([...predict, "q.csv"])).stdout).toBe(predicted);
    expect((await folder.run([...predict, "-"], { input: "8,7\n" })).stdout).toBe(predicted);
    const regress = ["regress", "--train", "r.csv", "--test", "q.csv", "--label", "1", "--features", "0"];
    expect((await folder.run([...regress, ...given])).stdout).toBe("0,1,prediction(1)\n8,7,7\n");
    const search = ["search", "--train", "r.csv", "--queries", "q.csv", "--features", "0,1"];
    expect((await folder.run([...search, ...given])).stdout).toContain("\n0,0,2,1\n");
  }, 60_000);

  it("shows what a model is", async () => {
    const args = [
      "classify",
      "--train",
      "train.csv",
      "--label",
      "kind",
      "--id",
      "id",
      "--k",
      "3",
      "--normalize",
      "z",
    ];
    await folder.run([...args, "--save-model", "m.nfm", "--quiet", ...cpu]);
    const { stdout, code } = await folder.run(["schema", "m.nfm"]);
    expect(stdout).toBe(
      "m.nfm: k-NN classifier of kind, trained on 6 rows\n" +
        "votes     k = 3, euclidean, weights uniform\n" +
        "features  x (numeric), y (numeric)\n" +
        "classes   2: far, near\n" +
        "before    normalize: method z\n",
    );
    expect(code).toBe(0);
    const facts = JSON.parse((await folder.run(["schema", "m.nfm", "--json"])).stdout) as unknown;
    expect(facts).toMatchObject({
      format: "nfm",
      predicts: "class",
      k: 3,
      rows: 6,
      classes: ["far", "near"],
    });
    folder.write({ "no.nfm": "x,y\n" });
    expect((await folder.run(["schema", "no.nfm"])).stderr).toContain("no.nfm: ");
  }, 120_000);

  it("says what to do about the decimal comma, and about a spreadsheet", async () => {
    folder.write({ "s.csv": "n;t\n1,5;x\n", "s.xlsx": "PK" });
    const { stdout } = await folder.run(["schema", "s.csv"]);
    expect(stdout).toContain("s.csv: csv, 1 row, 2 columns\n");
    expect(stdout).toContain(
      'hint: column "n" is read as text, but "1,5" in line 2 looks like a number (override with --decimal ,)\n',
    );
    expect((await folder.run(["schema", "s.xlsx"])).stderr).toBe(
      "nearfield: s.xlsx: is a spreadsheet, which Nearfield does not read; save it as CSV\n",
    );
    expect((await folder.run(["schema"])).stderr).toBe(
      "nearfield: missing required argument 'file'\n(nearfield schema --help shows every option)\n",
    );
  });

  it("gives the same as JSON, with what the file declares", async () => {
    writeFileSync(
      join(folder.path, "f.parquet"),
      readFileSync(new URL("../../fixtures/tables/zstd_v2.parquet", import.meta.url)),
    );
    const { stdout } = await folder.run([
      "schema",
      "f.parquet",
      "--json",
      "--columns",
      "moment,bool,float32",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      file: "f.parquet",
      format: "parquet",
      rows: 90,
      columns: [
        {
          name: "moment",
          type: "numeric",
          stored: "TIMESTAMP(MICROS)",
          unit: "ms since 1970",
          missing: 30,
          min: 981173106789.123,
          max: 981173195789.123,
        },
        {
          name: "bool",
          type: "nominal",
          stored: "BOOLEAN",
          missing: 30,
          distinct: 2,
          mostFrequent: { value: "false", count: 48 },
        },
        { name: "float32", type: "numeric", stored: "FLOAT", missing: 30, min: 0, max: Math.fround(89 / 7) },
      ],
      guesses: [],
    });
  });

  it("says what is wrong with a file, and where", async () => {
    folder.write({ "s.csv": "a,b\n1\n" });
    expect(await folder.run(["schema", "s.csv"])).toMatchObject({ code: 1, stdout: "" });
    const { stderr } = await folder.run(["schema", "nowhere.csv"]);
    expect(stderr).toBe("nearfield: nowhere.csv: cannot be read: there is no such file; check the path\n");
  });
});
