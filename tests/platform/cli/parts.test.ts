/** The parts of the command line that need no process: values of options, the bar, the matrix, exit codes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../../dist/cli/failure.js";
import { Interruption } from "../../../dist/cli/interrupt.js";
import { inputSource } from "../../../dist/cli/files.js";
import { outputTarget, writeOutput } from "../../../dist/cli/output.js";
import { barText, progressBar, progressLines } from "../../../dist/cli/progress.js";
import { confusionText, crossValidationLines, regressionLines } from "../../../dist/cli/performanceText.js";
import {
  bytes,
  delimiter,
  exponent,
  kernel,
  missingTokens,
  names,
  wholeNumber,
} from "../../../dist/cli/options/values.js";
import {
  DeviceLostError,
  InvalidInputError,
  OutOfMemoryError,
  UnavailableError,
} from "../../../dist/node.js";
import { Folder } from "./helpers.ts";

describe("a file as a source", () => {
  const folder = new Folder();
  const signal = new AbortController().signal;

  it("is read from the start or from anywhere, and ends where it ends", async () => {
    folder.write({ "x.bin": "0123456789" });
    const source = await inputSource(join(folder.path, "x.bin"), signal);
    expect([source.byteLength, source.once]).toEqual([10, undefined]);
    const slice = async (begin: number, end: number) =>
      Buffer.from((await source.slice?.(begin, end)) ?? []).toString();
    expect([await slice(0, 3), await slice(4, 10), await slice(8, 20), await slice(5, 5)]).toEqual([
      "012",
      "456789",
      "89",
      "",
    ]);
  });

  it("that is no regular file can be read only once", async () => {
    for (const path of ["-", "/dev/null"]) {
      const source = await inputSource(path, signal);
      expect([source.once, source.byteLength, source.slice]).toEqual([true, undefined, undefined]);
    }
  });
});

describe("values of options", () => {
  it.each([
    ["dot", { type: "dot" }],
    ["radial:gamma=.5", { type: "radial", gamma: 0.5 }],
    ["polynomial:degree=2,shift=-1e1", { type: "polynomial", degree: 2, shift: -10 }],
  ])("%s is a kernel", (text, value) => expect(kernel(text)).toEqual(value));

  it.each([
    ["", 'unknown kernel ""; expected dot, radial'],
    ["gaussian", 'unknown kernel "gaussian"; expected dot, radial'],
    ["radial:", "Expected a kernel such as radial, or polynomial:degree=2,shift=0."],
    ["radial:gamma", "Expected a kernel such as"],
    ["radial:gamma=", "Expected a kernel such as"],
    ["radial:gamma=1=2", "Expected a kernel such as"],
    ["radial:gamma=1,gamma=2", "Expected a kernel such as"],
    ["radial:gamma=1:2", "Expected a kernel such as"],
    ["radial:type=1", "Expected a kernel such as"],
    ["radial:gama=1", 'the kernel radial has no parameter "gama"; expected gamma'],
    ["radial:degree=3", 'the kernel radial has no parameter "degree"; expected gamma'],
    ["dot:gamma=1", 'the kernel dot has no parameter "gamma"; expected none'],
    ["radial:gamma=-1", "the kernel's gamma is -1; expected a finite number of at least 0."],
    ["radial:gamma=1e999", "the kernel's gamma is Infinity"],
    ["radial:gamma=x", "the kernel's gamma is NaN"],
  ])("%j is no kernel", (text, message) => expect(() => kernel(text)).toThrow(message));

  it.each([
    ["1", 1],
    ["512M", 512 * 2 ** 20],
    ["1.5GiB", 1.5 * 2 ** 30],
    ["2G", 2 ** 31],
    ["2GB", 2e9],
    ["64 kib", 65536],
    [".5k", 512],
    ["7B", 7],
    ["1t", 2 ** 40],
  ])("%s is %d bytes", (text, value) => expect(bytes(text)).toBe(value));

  it.each(["", "0", "-1", "1X", "1e3", "G", "1.2.3", "0.1", "99999T", "1 GiB x"])(
    "%j is no number of bytes",
    (text) => expect(() => bytes(text)).toThrow("Expected a number of bytes"),
  );

  it("are whole numbers from a least one", () => {
    expect(wholeNumber(0)("0")).toBe(0);
    for (const text of ["0", "-1", "1.5", "", "x", "1e2", "99999999999999999999"]) {
      expect(() => wholeNumber(1)(text), text).toThrow("at least 1");
    }
  });

  it("are exponents above 0", () => {
    expect([exponent("0.5"), exponent("inf"), exponent("Infinity")]).toEqual([0.5, Infinity, Infinity]);
    for (const text of ["0", "-1", "", "x", "NaN"]) expect(() => exponent(text), text).toThrow("above 0");
  });

  it("are lists with quoted names", () => {
    expect(names("a")).toEqual(["a"]);
    expect(names('a, b,"c, d","say ""x"""')).toEqual(["a", " b", "c, d", 'say "x"']);
    for (const text of ['"a', '"a"b', "a,,b", "", "a,", 'a"b'])
      expect(() => names(text), text).toThrow("Expected");
  });

  it("are missing tokens, the empty cell always among them", () => {
    expect(missingTokens("-999,?")).toEqual(["", "-999", "?"]);
    expect(missingTokens("")).toEqual([""]);
  });

  it("are delimiters of one character", () => {
    expect([delimiter(";"), delimiter("tab"), delimiter("\\t"), delimiter("\t")]).toEqual([
      ";",
      "\t",
      "\t",
      "\t",
    ]);
    for (const text of ["", ";;", '"', "\n"])
      expect(() => delimiter(text), text).toThrow("Expected one character");
  });
});

describe("measures that divide by 0", () => {
  it("are undefined for a reason", () => {
    const numbers = { labelledRows: 1, rmse: 0.5, mae: 0.5, correlation: null, r2: null };
    expect(regressionLines({ label: "y", ...numbers }, 1)).toEqual([
      "RMSE      0.5 (of 1 row)",
      "MAE       0.5",
      "r         undefined: labels or predictions are all one number",
      "R2        undefined: labels are all one number",
    ]);
    const fold = { mean: null, deviation: null };
    const validation = { folds: 2, seed: 1, unlabelledRows: 0, macro: { kappa: fold } };
    const micro = { labelledRows: 6, accuracy: 1, kappa: null, confusion: null };
    expect(crossValidationLines({ ...validation, micro }, "y")).toContain(
      "kappa     undefined: only one class in a fold",
    );
  });
});

describe("the bar", () => {
  const step = { phase: "search", unit: "query", done: 500, total: 1000 };

  it("shows phase, share, rate and time left within the columns", () => {
    const bar = `search  ${"█".repeat(12)}${"░".repeat(12)}   50 %  250 queries/s  0:02 left`;
    expect(barText(step, 2, 66, false)).toBe(bar);
    const one = { done: 3, total: 9 };
    expect(barText({ phase: "validate", unit: "fold", ...one }, 3, 66, false)).toContain(" 1 fold/s ");
    expect(barText({ phase: "importance", unit: "search", ...one }, 3, 66, false)).toContain("1 search/s");
    for (const columns of [1, 20, 30, 40, 80, 200]) {
      expect(barText(step, 2, columns, false).length, String(columns)).toBeLessThan(columns);
    }
  });

  it("colours only when asked", () => {
    expect(barText(step, 2, 80, true)).toContain("\x1b[32m█");
    expect(barText(step, 2, 80, false)).not.toContain("\x1b");
  });

  it("leaves out what it does not know", () => {
    expect(barText({ ...step, total: undefined }, 0, 80, false)).toBe("search  500 queries");
    expect(barText(step, 0, 80, false)).toMatch(/ {2}50 %$/);
    expect(barText({ ...step, done: 1, total: 7202 }, 1, 80, false)).toMatch(/ 2:00:01 left$/);
    expect(barText({ phase: "reading a", unit: "byte", done: 2e6, total: undefined }, 1, 80, false)).toBe(
      "reading a  2.0 MB  2.0 MB/s",
    );
  });

  it("is redrawn at most every 50 ms, but always for a new phase and at the end, and leaves no trace", () => {
    const written: string[] = [];
    let time = 0;
    const bar = progressBar({ columns: 80, write: (text) => written.push(text) }, false, () => time);
    bar.show({ ...step, done: 0 });
    time = 49;
    bar.show({ ...step, done: 1 });
    expect(written).toHaveLength(1);
    bar.show({ ...step, done: 1000 });
    bar.show({ ...step, phase: "writing", done: 0 });
    expect(written).toHaveLength(3);
    time = 100;
    bar.show({ ...step, phase: "writing", done: 1 });
    expect(written).toHaveLength(4);
    bar.clear();
    bar.clear();
    expect(written).toHaveLength(5);
    expect(written.at(-1)).toBe("\r\x1b[2K");
  });

  it("is a line for every tenth where there is no terminal", () => {
    const written: string[] = [];
    const lines = progressLines({ write: (text) => written.push(text) });
    for (const done of [0, 50, 99, 100, 350, 1000]) lines.show({ ...step, done });
    expect(written).toEqual(["search  0 %\n", "search  10 %\n", "search  30 %\n", "search  100 %\n"]);
  });
});

describe("the confusion matrix", () => {
  it("is aligned to its widest cells", () => {
    expect(
      confusionText(
        ["a", "long"],
        [
          [1234, 0],
          [7, 12],
        ],
      ),
    ).toBe("            a  long\n     a  1,234     0\n  long      7    12");
  });
});

describe("exit codes", () => {
  const running = new AbortController().signal;

  it("are 1 for the user's mistakes and 70 for ours", () => {
    const codes = [
      new InvalidInputError("x"),
      new UnavailableError("x"),
      new DeviceLostError("x"),
      new OutOfMemoryError("x", 1),
      new Error("x"),
      "x",
    ].map((error) => failureOf(error, running, false, false).exitCode);
    expect(codes).toEqual([1, 1, 70, 70, 70, 70]);
  });

  it("are 130 once Ctrl-C was pressed, whatever the work then threw", () => {
    const signal = AbortSignal.abort(new Interruption("SIGINT"));
    expect(failureOf(new Error("x"), signal, false, false).exitCode).toBe(130);
  });
});

describe("a file", () => {
  const folder = new Folder();

  it("that appears during the work is not written over", async () => {
    const path = join(folder.path, "out.csv");
    const target = await outputTarget(path, [], false);
    folder.write({ "out.csv": "precious" });
    const written = writeOutput(target, ["new"], new AbortController().signal);
    await expect(written).rejects.toThrow("out.csv: exists already; add --force to replace it");
    expect(folder.list()).toEqual(["out.csv", "test.csv", "train.csv"]);
    expect(readFileSync(path, "utf8")).toBe("precious");
  });

  it.each(["out.csv", "out.csv.gz"])(
    "called %s is not there when its pieces fail or are aborted",
    async (name) => {
      const target = await outputTarget(join(folder.path, name), [], false);
      const controller = new AbortController();
      async function* failing() {
        yield await Promise.resolve("half");
        throw new Error("boom");
      }
      async function* aborting() {
        yield await Promise.resolve("half");
        controller.abort(new Error("enough"));
        yield "more";
      }
      await expect(writeOutput(target, failing(), controller.signal)).rejects.toThrow("boom");
      await expect(writeOutput(target, aborting(), controller.signal)).rejects.toThrow("enough");
      expect(folder.list()).toEqual(["test.csv", "train.csv"]);
    },
  );
});

describe("a Node that forbids WebAssembly", () => {
  const folder = new Folder();
  const forbids = `--import=data:text/javascript,WebAssembly.compile=async()=>{throw%20Error(%22forbidden%22)}`;

  it("is the user's to change: exit code 1, and the reason", async () => {
    const { code, stdout, stderr } = await folder.classify([], { env: { NODE_OPTIONS: forbids } });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^nearfield: the CPU backend may not compile WebAssembly here.*\(Error: forbidden\)\n$/,
    );
  });
});

describe("a failure of our own", () => {
  const folder = new Folder();
  const breaks = `--import=data:text/javascript,globalThis.atob=()=>{throw%20Error(%22boom%22)}`;

  it("has exit code 70, and its stack only with NEARFIELD_DEBUG", async () => {
    const env = { NODE_OPTIONS: breaks };
    const plain = await folder.classify(["--out", "out.csv"], { env });
    expect(plain).toEqual({
      code: 70,
      stdout: "",
      stderr: "nearfield: internal error, please report it: Error: boom (NEARFIELD_DEBUG=1 shows where)\n",
    });
    const debug = await folder.classify(["--out", "out.csv"], { env: { ...env, NEARFIELD_DEBUG: "1" } });
    expect(debug.code).toBe(70);
    expect(debug.stderr).toMatch(/^nearfield: Error: boom\n +at /);
    expect(folder.list()).toEqual(["test.csv", "train.csv"]);
  });
});
