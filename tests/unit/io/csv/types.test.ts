import { describe, expect, it } from "vitest";
import type { NominalColumn, NumericColumn } from "../../../../src/table/column.ts";
import { everyWay, failure, plain, read } from "./helpers.ts";

describe("a column", () => {
  it("is numeric when every cell that is not missing is a number", async () => {
    const table = await read("a\n1\n+2\n-3\n.5\n6.\n1e3\n2.5E-1\n 7 \n\t8\n?\n");
    expect(plain(table)).toEqual({ a: [1, 2, -3, 0.5, 6, 1000, 0.25, 7, 8, null] });
    expect((table.column("a") as NumericColumn).values.at(-1)).toBeNaN();
  });

  it.each([
    "0x10",
    "1_000",
    "1,5",
    "1 000",
    "1e",
    "e5",
    "--1",
    "1.2.3",
    "$5",
    "5%",
    ".",
    "+",
    "1d",
    "NaN1",
    "\u0661",
  ])("is nominal when a cell is %j", async (cell) => {
    expect(plain(await read(`a;b\n1;1\n${cell};2\n`))).toEqual({ a: ["1", cell], b: [1, 2] });
  });

  it("is nominal when only the very last cell is text, and gets the earlier cells' text back", async () => {
    const cells = Array.from({ length: 5000 }, (_, i) => [`${i}`, `${i}.50`, `0${i}`, ` ${i}`, "NA"][i % 5]);
    const { a } = plain(await read(`a,b\n${cells.map((cell) => `${cell},1\n`).join("")}last,1\n`));
    expect(a).toEqual([...cells.map((cell) => (cell === "NA" ? null : cell)), "last"]);
  });

  it("is numeric when all cells are missing", async () => {
    const column = (await read("a,b\n,1\nNA,2\n")).column("a");
    expect(column.kind).toBe("numeric");
    expect(column.valid!.count()).toBe(0);
  });

  it("has validity only when a cell is missing", async () => {
    const table = await read("a,b,c,d\n1,x,,\n2,y,3,z\n");
    expect(table.columns.map(({ valid }) => valid?.count())).toEqual([undefined, undefined, 1, 1]);
  });

  it("names the cell that made it nominal", async () => {
    const table = await read('a,b\n1,x\n"2\n",y\nthree,z\n', { nominal: ["b"] });
    expect(table.origin!.firstText("a")).toEqual({ line: 3, text: "2\n" });
    expect(table.origin!.firstText("b")).toBeUndefined();
  });

  it("keeps text exactly when it is declared nominal", async () => {
    const table = await read("a,b\n1.50,1\n007,2\n12345678901234567890,3\n", { nominal: ["a"] });
    expect(plain(table)).toEqual({ a: ["1.50", "007", "12345678901234567890"], b: [1, 2, 3] });
    expect((table.column("a") as NominalColumn).dictionary.codeOf("007")).toBe(1);
  });
});

describe("missing cells", () => {
  it("are the default tokens, quoted or padded too", async () => {
    const table = await read('a\n\n?\nNA\nN/A\nNaN\nnan\n"NA"\n NA \n  \n1\n');
    expect(plain(table)).toEqual({ a: [null, null, null, null, null, null, null, null, null, 1] });
  });

  it("are the words of databases, Python and Excel by default", async () => {
    const words = ["null", "NULL", "None", "none", "nil", "#N/A", "#NA", "<NA>", "n/a", "N.A.", "1"];
    const table = await everyWay(`a\n${words.join("\n")}\n`, { keepText: true });
    expect(plain(table)).toEqual({ a: words.map((word) => (word === "1" ? 1 : null)) });
    expect(table.origin?.textOf?.(5)).toEqual(["#N/A"]);
  });

  it("are dashes among numbers, but not among words", async () => {
    const text = "a,b,c,d\n1,+,-,-\n-, - ,x,-\n--,-,--,-\n–,+,y,-\n-2,-,-,-\n";
    const table = await everyWay(text, { keepText: true });
    expect(plain(table)).toEqual({
      a: [1, null, null, null, -2],
      b: ["+", " - ", "-", "+", "-"],
      c: ["-", "x", "--", "y", "-"],
      d: [null, null, null, null, null],
    });
    expect(Array.from({ length: 5 }, (_, row) => table.origin?.textOf?.(row)[0])).toEqual([
      "1",
      "-",
      "--",
      "–",
      "-2",
    ]);
    expect(plain(await read("a\n1\n-\n", { numeric: ["a"] }))).toEqual({ a: [1, null] });
  });

  it("are not dashes where tokens are given", async () => {
    expect(plain(await read("a,b\n1,x\n-,-\n", { na: [""] }))).toEqual({ a: ["1", "-"], b: ["x", "-"] });
    expect(plain(await read("a,b\n1,x\n-,-\n", { na: ["-"] }))).toEqual({ a: [1, null], b: ["x", null] });
  });

  it("are the tokens given instead", async () => {
    expect(plain(await read("a,b\n-999,NA\n5,-\n,x\n", { na: ["-999", "-", ""] }))).toEqual({
      a: [null, 5, null],
      b: ["NA", null, "x"],
    });
  });

  it("compare by case and whole cell", async () => {
    expect(plain(await read("a\nna\nNAN\n??\n"))).toEqual({ a: ["na", "NAN", "??"] });
  });

  it("do not exist when no token is given", async () => {
    expect(plain(await read("a,b\n,NA\n1,x\n", { na: [] }))).toEqual({ a: ["", "1"], b: ["NA", "x"] });
  });
});

describe("numbers that float64 cannot hold", () => {
  it("are an error in a numeric column: integers beyond 2^53", async () => {
    const error = await failure("id,b\n1,2\n9007199254740993,3\n");
    expect(error.place).toEqual({ file: "x.csv", line: 3, column: "id" });
    expect(error.message).toContain(
      "9007199254740993 is beyond 2^53 and would be rounded to 9007199254740992",
    );
    expect(error.message).toContain("(option nominal: id)");
  });

  it.each(["9007199254740992", "-9007199254740992"])("but not the integer %s itself", async (cell) => {
    expect(plain(await read(`a\n${cell}\n`))).toEqual({ a: [Number(cell)] });
  });

  it.each(["9007199254740994", "18446744073709551616"])(
    "also %s, although float64 holds it",
    async (cell) => {
      const error = await failure(`a\n1\n${cell}\n`);
      expect(error.place).toEqual({ file: "x.csv", line: 3, column: "a" });
      expect(error.message).toContain(`the integer ${cell} is beyond 2^53, where float64 skips integers`);
    },
  );

  it("but not decimals and exponents, which are rounded like any", async () => {
    expect(plain(await read("a\n9007199254740993.0\n1.8446744073709552e+19\n1e-400\n"))).toEqual({
      a: [9007199254740992, 18446744073709551616, 0],
    });
  });

  it.each(["inf", "-Inf", "Infinity", "+INFINITY", "1e999", "-1e999"])("are an error: %s", async (cell) => {
    const error = await failure(`a,b\n1,1\n2,${cell}\n`);
    expect(error.place).toEqual({ file: "x.csv", line: 3, column: "b" });
    expect(error.message).toContain(`"${cell}" is not a finite number`);
    await expect(failure(`a,b\n1,1\n2,${cell}\n`, { numeric: ["b"] })).resolves.toMatchObject({
      place: error.place,
    });
  });

  it("are named where the first one is, at once in a column declared numeric", async () => {
    expect((await failure("a\n1\ninf\n9007199254740993\n")).place.line).toBe(3);
    expect((await failure("a\n1\ninf\ntext\n", { numeric: ["a"] })).place.line).toBe(3);
  });

  it("are text like any in a column that turns out nominal", async () => {
    expect(plain(await read("a,b\ninf,90071992547409931\nx,y\n"))).toEqual({
      a: ["inf", "x"],
      b: ["90071992547409931", "y"],
    });
  });
});

describe("a column declared numeric", () => {
  it("names the first text in it", async () => {
    const error = await failure('a,b\n"x\ny",1\nz,abc\nw,def\n', { numeric: ["b"] });
    expect(error.place).toEqual({ file: "x.csv", line: 4, column: "b" });
    expect(error.message).toContain('x.csv, line 4, column "b": "abc" is not a number');
  });

  it("hints at the other decimal separator", async () => {
    expect((await failure("a;b\n1;1,5\n", { numeric: ["b"] })).message).toContain("(option decimal: , ");
    expect((await failure("a;b\n1;1.5\n", { numeric: ["b"], decimal: "," })).message).toContain(
      "(option decimal: . ",
    );
    expect((await failure("a;b\n1;x\n", { numeric: ["b"] })).message).not.toContain("--decimal");
  });

  it("must exist, unless unknown names may be ignored", async () => {
    const error = await failure("alpha,beta\n1,2\n", { numeric: ["Betta"] });
    expect(error.message).toBe(
      'x.csv: there is no column "Betta" (did you mean "beta"?); the columns are "alpha", "beta"',
    );
    await failure("alpha,beta\n1,2\n", { nominal: ["gamma"] });
    const table = await read("alpha,beta\n1,2\n", { nominal: ["gamma", "beta"], ignoreUnknown: true });
    expect(plain(table)).toEqual({ alpha: [1], beta: ["2"] });
  });

  it("cannot be nominal too", async () => {
    expect((await failure("a\n1\n", { numeric: ["a"], nominal: ["a"] })).message).toContain(
      "both nominal and numeric",
    );
  });
});

it("has no more columns than a text file may", async () => {
  const error = await failure(`${Array.from({ length: 2 ** 17 + 1 }, (_, i) => `c${i}`).join()}\n`);
  expect(error.message).toContain("has 131073 columns, and at most 131072 are read from a text file");
});

it("is refused as soon as a line has more cells than any header", async () => {
  const commas = ",".repeat(2 ** 20 + 5);
  const message = "has more than 1048576 cells, and at most 131072 columns are read";
  const messageOf = (text: string) => read(text).then(String, String);
  for (const end of ["", "\n", "\r\n", "\r"]) {
    expect(await messageOf(`a,b${end || "\n"}1,2${end || "\n"}${commas}${end}`)).toContain(
      `line 3: ${message}`,
    );
    expect(await messageOf(`a,b${end || "\n"}1,"2${commas}"${end}`)).not.toContain("Error");
  }
  expect(await messageOf(`a,b\n1,"2"x${commas}`)).toContain("line 2: ");
});

it("is refused as soon where its cells are quoted, though no line feed is near", async () => {
  const cells = '"1",'.repeat(2 ** 20 + 5);
  for (const text of [cells, `a,b\n${cells}\n`, `"a\nb",c\n${cells}`])
    expect(String(await read(text).catch(String))).toContain("has more than 1048576 cells");
}, 30_000);
