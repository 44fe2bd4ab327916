/**
 * Inputs made to exhaust the command or to deceive it (issue 19): each ends soon, with exit code 1 and what
 * to do about it.
 */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const path = (name: string) => join(folder.path, name);
const cpu = ["--backend", "cpu", "--threads", "1", "--quiet"];
const predictArgs = (model: string) => ["predict", "--model", model, "--test", "test.csv", ...cpu];

describe("a model", () => {
  let model: Buffer;
  beforeEach(async () => {
    const { code } = await folder.run([
      ...[
        "classify",
        "--train",
        "train.csv",
        "--label",
        "kind",
        "--k",
        "1",
        "--save-model",
        "some.nfm",
        ...cpu,
      ],
    ]);
    expect(code).toBe(0);
    model = readFileSync(path("some.nfm"));
  });

  it("may be a device without an end, which is refused at its first bytes", async () => {
    const { code, stderr } = await folder.run(predictArgs("/dev/zero"));
    expect(stderr).toBe(
      "nearfield: /dev/zero: is not a Nearfield model; name a file that was written with --save-model or saveModel\n",
    );
    expect(code).toBe(1);
  });

  it("is read no further than it says, from a pipe without an end", async () => {
    execFileSync("mkfifo", [path("pipe")]);
    const feeder = spawn("sh", ["-c", "cat some.nfm /dev/zero > pipe"], { cwd: folder.path });
    const { code, stderr } = await folder.run(predictArgs("pipe"));
    feeder.kill();
    expect(stderr).toBe(
      `nearfield: pipe: is damaged: it says that it has ${model.length} bytes, and more follow; copy it again\n`,
    );
    expect(code).toBe(1);
  });

  it("that says it is larger than the budget is refused before it is read", async () => {
    const changed = Buffer.from(model);
    changed.writeBigUInt64LE(2n ** 40n, 16);
    writeFileSync(path("large.nfm"), changed);
    const large = await folder.run([...predictArgs("large.nfm"), "--memory", "1G"]);
    expect(large.stderr).toBe(
      "nearfield: large.nfm: needs 1099511627776 bytes of main memory by what it says, and the budget is 1073741824; " +
        "allow more (--memory), or copy the file again if it is smaller\n",
    );
    expect(large.code).toBe(1);
  });

  it("that unpacks to a thousand times its size is unpacked no further than it says", async () => {
    writeFileSync(path("bomb.nfm"), gzipSync(Buffer.concat([model, Buffer.alloc(2 ** 28)])));
    const { code, stderr } = await folder.run(predictArgs("bomb.nfm"));
    expect([code, stderr]).toEqual([1, expect.stringContaining("and more follow; copy it again")]);
  });
});

describe("a kernel", () => {
  const classify = (kernel: string) =>
    folder.classify(["--metric", "rapidminer:KernelEuclideanDistance", "--k", "1", "--kernel", kernel]);

  it.each([
    [
      "polynomial:constructor=1",
      'the kernel polynomial has no parameter "constructor"; expected degree or shift',
    ],
    ["polynomial:__proto__=1", 'the kernel polynomial has no parameter "__proto__"'],
    ["polynomial:degree=1e300", "the kernel's degree is 1e+300; expected a finite number from 0 to 1000"],
  ])("%s is refused", async (kernel, message) => {
    const { code, stderr } = await classify(kernel);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe("as many classes as rows", () => {
  const lines = Array.from({ length: 5000 }, (_, row) => `${row},c${row}\n`).join("");
  const classify = (...args: string[]) => {
    folder.write({ "many.csv": `x,label\n${lines}` });
    const files = ["--train", "many.csv", "--test", "many.csv", "--label", "label", "--k", "1"];
    return folder.run([
      "classify",
      ...files,
      "--memory",
      "100M",
      "--backend",
      "cpu",
      "--threads",
      "1",
      ...args,
    ]);
  };

  it("have confidences beyond the budget, which are refused with the option that leaves them out", async () => {
    const { code, stdout, stderr } = await classify("--confidence", "all");
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      "nearfield: 5000 queries x 5000 classes are 25000000 probabilities of 8 bytes, more than the 104857600 bytes of main " +
        "memory that may be used; write fewer (--confidence top)\n",
    ]);
  });

  it("are predicted without them, and by a saved model too", async () => {
    const { code, stdout, stderr } = await classify("--no-confidences", "--save-model", "many.nfm");
    expect(code).toBe(0);
    const expected = lines.replace(/,(c\d+)\n/g, ",$1,$1\n");
    expect(stdout).toBe(`x,label,prediction(label)\n${expected}`);
    expect(stderr).toContain("accuracy  100.00 % (5,000 of 5,000)");
    expect(stderr).toContain("precision and recall of 5000 classes: see --json");
    const predict = ["predict", "--model", "many.nfm", "--test", "many.csv", "--memory", "100M", ...cpu];
    expect((await folder.run([...predict, "--no-confidences"])).stdout).toBe(stdout);
    const { stderr: refused } = await folder.run([...predict, "--confidence", "all"]);
    expect(refused).toContain("write fewer (--confidence top)");
    const top = (await folder.run(predict)).stdout;
    expect(top.startsWith("x,label,prediction(label),confidence\n")).toBe(true);
    expect(top).toMatch(/,c4999,c4999,1\n$/);
  });
});
