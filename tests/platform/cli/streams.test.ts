/** Standard streams, files that appear whole or not at all, and stopping in the middle. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { writeOutput } from "../../../dist/cli/output.js";
import { Folder, classifyArgs, main, manyRows, outcomeOf, test, train, until } from "./helpers.ts";

const folder = new Folder();
const out = (name: string) => readFileSync(join(folder.path, name), "utf8");

describe("-", () => {
  it("is standard input, for either file", async () => {
    const { stdout } = await folder.classify(["--quiet"]);
    const fromTest = await folder.classify(["--quiet", "--test", "-"], { input: test });
    const fromTrain = await folder.classify(["--quiet", "--train", "-"], { input: train });
    expect(stdout).toContain("prediction(kind)");
    expect([fromTest.stdout, fromTrain.stdout]).toEqual([stdout, stdout]);
  });

  it("is called standard input in errors", async () => {
    const { code, stderr } = await folder.classify(["--test", "-"], { input: "x,y\n1\n" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^nearfield: standard input, line 2: has 1 cell, but the header has 2;/);
  });

  it("is standard output", async () => {
    const { stdout } = await folder.classify(["--quiet", "--out", "-"]);
    expect(stdout).toContain("prediction(kind)");
    expect(folder.list()).toEqual(["test.csv", "train.csv"]);
  });
});

describe("an output file", () => {
  it("that exists is replaced with --force", async () => {
    folder.write({ "out.csv": "old" });
    const { code } = await folder.classify(["--out", "out.csv", "--force"]);
    expect([code, out("out.csv").slice(0, 7)]).toEqual([0, "id,x,y,"]);
    expect(folder.list()).toEqual(["out.csv", "test.csv", "train.csv"]);
  });

  it("that exists survives a run that fails", async () => {
    folder.write({ "out.csv": "old", "test.csv": "x,y\n1,one\n" });
    const { code } = await folder.classify(["--out", "out.csv", "--force"]);
    expect([code, out("out.csv")]).toEqual([1, "old"]);
  });

  it("behind a link is replaced where it is", async () => {
    folder.write({ "real.csv": "old" });
    symlinkSync("real.csv", join(folder.path, "out.csv"));
    await folder.classify(["--out", "out.csv", "--force"]);
    expect(lstatSync(join(folder.path, "out.csv")).isSymbolicLink()).toBe(true);
    expect(out("real.csv")).toContain("prediction(kind)");
  });

  it.skipIf(process.platform === "win32")("that is a pipe is written to, not replaced", async () => {
    const pipe = join(folder.path, "pipe");
    execFileSync("mkfifo", [pipe]);
    const written = text(createReadStream(pipe));
    const { code } = await folder.classify(["--out", "pipe"]);
    expect(code).toBe(0);
    expect(await written).toContain("prediction(kind)");
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  it.skipIf(process.platform !== "linux")("on a full disk is the user's matter", async () => {
    const { code, stderr } = await folder.classify(["--quiet", "--out", "/dev/full"]);
    expect([code, stderr]).toEqual([
      1,
      "nearfield: /dev/full: cannot be written: the disk is full; free some space or name a file elsewhere\n",
    ]);
  });
});

describe("a reader that stops reading", () => {
  it("ends the command quietly with exit code 0", async () => {
    folder.write({ "train.csv": manyRows(2000) });
    const args = [
      "search",
      "--train",
      "train.csv",
      "--queries",
      "train.csv",
      "--k",
      "100",
      "--backend",
      "cpu",
    ];
    const child = folder.start([...args, "--quiet"]);
    const outcome = outcomeOf(child);
    child.stdout!.once("data", () => child.stdout!.destroy());
    const { code, stderr, stdout } = await outcome;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.length).toBeLessThan(1_000_000);
  });
});

describe.runIf(process.platform === "linux")("a file that may not grow", () => {
  it.each([
    ["> result.csv", "standard output"],
    ["--out result.csv", "result.csv"],
  ])("ends the command with an error (%s)", (ending, name) => {
    folder.write({ "train.csv": manyRows(2000) });
    const search = "search --train train.csv --queries train.csv --k 2 --backend cpu --quiet";
    const script = `ulimit -f 4; "${process.execPath}" "${main}" ${search} ${ending}`;
    const { status, stderr } = spawnSync("bash", ["-c", script], { cwd: folder.path, encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      `nearfield: ${name}: cannot be written: the file would be larger than is allowed; raise the limit (ulimit -f) or ` +
        "write to another disk\n",
    ]);
  });
});

describe("Ctrl-C", () => {
  const largeResult = [
    ...["search", "--train", "train.csv", "--queries", "train.csv"],
    ...["--k", "500", "--backend", "cpu"],
  ];
  const message = "nearfield: interrupted; no output file was written\n";

  it("while input is awaited stops with exit code 130", async () => {
    const child = folder.start([...classifyArgs, "--test", "-", "--out", "out.csv"]);
    const outcome = outcomeOf(child);
    // More than a pipe holds: once it is taken, the command is reading.
    await new Promise((resolve) => child.stdin!.write(manyRows(40_000), resolve));
    child.kill("SIGINT");
    expect(await outcome).toEqual({ code: 130, stdout: "", stderr: message });
    expect(folder.list()).toEqual(["test.csv", "train.csv"]);
  });

  it("during the search leaves no file", async () => {
    folder.write({ "train.csv": manyRows(40_000) });
    const args = ["search", "--train", "train.csv", "--queries", "-", "--k", "1", "--backend", "cpu"];
    const child = folder.start([...args, "--metric", "minkowski", "--p", "2.5", "--out", "out.csv"]);
    const outcome = outcomeOf(child);
    await new Promise((resolve) => child.stdin!.end(manyRows(40_000), () => resolve(undefined)));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    child.kill("SIGINT");
    expect(await outcome).toEqual({ code: 130, stdout: "", stderr: message });
    expect(folder.list()).toEqual(["test.csv", "train.csv"]);
  });

  it("while the result is written to stdout, even into a file, stops there", async () => {
    folder.write({ "train.csv": manyRows(3000) });
    const stdout = openSync(join(folder.path, "redirected"), "w");
    const child = folder.start(largeResult, {}, stdout);
    const outcome = outcomeOf(child);
    await until(() => fstatSync(stdout).size || undefined);
    child.kill("SIGINT");
    const { code } = await outcome;
    closeSync(stdout);
    expect(code).toBe(130);
    expect(out("redirected").split("\n").length).toBeLessThan(3000 * 500);
  });

  it("while a file is written leaves neither it nor its temporary file", async () => {
    folder.write({ "train.csv": manyRows(3000) });
    const child = folder.start([...largeResult, "--out", "out.csv"]);
    const outcome = outcomeOf(child);
    await until(() => folder.list().find((name) => name.startsWith(".out.csv.") && name.endsWith(".tmp")));
    child.kill("SIGINT");
    expect(await outcome).toEqual({ code: 130, stdout: "", stderr: message });
    expect(folder.list()).toEqual(["test.csv", "train.csv"]);
  });

  it("while a reader of stdout reads no more ends the process", async () => {
    folder.write({ "train.csv": manyRows(3000) });
    const child = folder.start(largeResult);
    // It reads what Node buffers, and then no more.
    await new Promise((resolve) => child.stdout!.once("readable", resolve));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));
    child.kill("SIGINT");
    const late = new Promise((resolve) => setTimeout(() => resolve("still there"), 10_000));
    const outcome = await Promise.race([ended, late]);
    child.kill("SIGKILL");
    expect([130, "SIGINT"]).toContain(outcome);
  });

  it.skipIf(process.platform === "win32")(
    "is heard while a pipe waits for its reader, or for it to read on",
    async () => {
      const pipe = join(folder.path, "pipe");
      execFileSync("mkfifo", [pipe]);
      const reason = new Error("enough");
      const writing = (signal: AbortSignal) =>
        writeOutput({ kind: "special", path: pipe, packed: false }, [new Uint8Array(1 << 20)], signal);
      const late = () => new Promise((resolve) => setTimeout(() => resolve("still there"), 5000));
      const heard = async () => {
        const controller = new AbortController();
        const outcome = writing(controller.signal).catch((error: unknown) => error);
        setTimeout(() => controller.abort(reason), 200);
        return Promise.race([outcome, late()]);
      };
      const unread = await heard();
      // Opened without waiting, it lets go of the thread that opens the other end.
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      const unfinished = await heard();
      closeSync(reader);
      expect([unread, unfinished]).toEqual([reason, reason]);
    },
  );

  it.skipIf(process.platform === "win32")(
    "pressed twice ends even a process that waits for a pipe",
    async () => {
      // Nobody writes to the pipe, so that opening it never ends.
      execFileSync("mkfifo", [join(folder.path, "pipe")]);
      const child = folder.start(["search", "--train", "-", "--queries", "pipe", "--backend", "cpu"]);
      const outcome = outcomeOf(child);
      await new Promise((resolve) => child.stdin!.end(manyRows(40_000), () => resolve(undefined)));
      for (const ms of [1000, 2000]) setTimeout(() => child.kill("SIGINT"), ms);
      // Shells report the end by this signal as 130.
      const ended = (await outcome).code ?? child.signalCode;
      expect([130, "SIGINT"]).toContain(ended);
    },
  );
});

describe("an end in the middle of writing", () => {
  it("leaves no temporary file, whatever ended the process", async () => {
    const program = `
      import { readdirSync } from "node:fs";
      import { writeOutput } from ${JSON.stringify(new URL("../../../dist/cli/output.js", import.meta.url).href)};
      function* pieces() { yield "half"; process.exit(readdirSync(".").length); }
      await writeOutput({ kind: "file", path: "out.csv", replace: false }, pieces(), new AbortController().signal);`;
    const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: folder.path,
    });
    expect(status).toBe(3);
    expect(folder.list()).toEqual(["test.csv", "train.csv"]);
  });
});

describe("a terminal", () => {
  const script = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

  it.skipIf(!script)("gets a bar, which --quiet and NO_COLOR change", () => {
    const command = [process.execPath, main];
    const onTerminal = (args: readonly string[], env: Readonly<Record<string, string>>) =>
      spawnSync(
        "script",
        ["-qec", [...command, ...classifyArgs, "--out", "/dev/null", ...args].join(" "), "/dev/null"],
        {
          cwd: folder.path,
          env: { ...process.env, TERM: "xterm", NO_COLOR: "", ...env },
          encoding: "utf8",
        },
      ).stdout;
    const colourful = onTerminal([], {});
    expect(colourful).toContain("reading train.csv");
    expect(colourful).toMatch(/\x1b\[32m█+\x1b\[0m░*  100 %/);
    const plain = onTerminal([], { NO_COLOR: "1" });
    expect(plain).toMatch(/search  █+  100 %/);
    expect(plain).not.toContain("\x1b[32m");
    expect(onTerminal(["--quiet"], {})).toBe("");
    expect(onTerminal([], { TERM: "dumb" })).not.toContain("█");
  });
});
