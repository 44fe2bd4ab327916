/** The command line on tables as people have them: options that read them, and hints that name those. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu"];

describe("classify", () => {
  it("leaves out the names of rows, and says so in one line", async () => {
    folder.write({ "t.csv": ",x,kind\n1000,0,a\n0,1,a\n1,10,b\n500,11,b\n", "q.csv": ",x\n1,0.5\n0,10.5\n" });
    const args = ["classify", "--train", "t.csv", "--test", "q.csv", "--label", "kind", "--k", "2", ...cpu];
    const { stdout, stderr, code } = await folder.run([...args, "--no-confidences"]);
    expect([code, stdout]).toEqual([0, "column 1,x,prediction(kind)\n1,0.5,a\n0,10.5,b\n"]);
    expect(stderr.split("\n").filter((line) => line.startsWith("hint"))).toEqual([
      'hint      t.csv: "column 1" has no name in the header, so it names the rows and is not compared (override with --features)',
    ]);
    const named = await folder.run([...args, "--id", "column 1", "--no-confidences"]);
    expect(named.stderr).not.toContain("hint");
    expect((await folder.run([...args, "--quiet"])).stderr).toBe("");
  }, 60_000);

  it("hints at columns of words that look like numbers, of those compared alone", async () => {
    folder.write({ "t.csv": 'p,q,zip,kind\n$1.50,1,00501,a\n$2,2,10001,b\n"$1,000",3,10002,a\n' });
    const args = ["classify", "--train", "t.csv", "--label", "kind", "--cv", "3", "--k", "1", ...cpu];
    const { stderr } = await folder.run([...args, "--ignore", "zip"]);
    expect(stderr).toContain(
      `"$1.50" in line 2 looks like a number (override with --units '$' --thousands ,)`,
    );
    expect(stderr).not.toContain("00501");
    const json = await folder.run([...args, "--units", "$", "--thousands", ",", "--json"]);
    const { hints } = JSON.parse(json.stdout) as {
      hints: { column: string; what: string; option: string }[];
    };
    const words = hints.filter(({ what }) => what === "words");
    expect(words.map(({ column, option }) => [column, option])).toEqual([["zip", "--numeric zip"]]);
  }, 60_000);

  it("compares dates by time, and carries them into other formats", async () => {
    folder.write({
      "t.csv": "day,kind\n2024-01-01,a\n2024-01-02,a\n2024-06-01,b\n2024-06-02,b\n",
      "q.csv": "day\n2024-01-05\n2024-05-20\n",
    });
    const args = ["classify", "--train", "t.csv", "--test", "q.csv", "--label", "kind", "--k", "2", ...cpu];
    const { stdout } = await folder.run([...args, "--no-confidences", "--format", "jsonl", "--quiet"]);
    expect(stdout).toBe(
      '{"day":"2024-01-05","prediction(kind)":"a"}\n{"day":"2024-05-20","prediction(kind)":"b"}\n',
    );
    folder.write({ "q.csv": "day\nsoon\n" });
    expect((await folder.run(args)).stderr).toContain(
      'q.csv, line 2, column "day": "soon" is not a date or time',
    );
    await folder.run([
      ...args.slice(0, 3),
      "--label",
      "kind",
      "--k",
      "2",
      "--save-model",
      "m.nfm",
      "--quiet",
      ...cpu,
    ]);
    folder.write({ "q.csv": "day\n2024-05-20\n" });
    const predicted = await folder.run([
      "predict",
      "--model",
      "m.nfm",
      "--test",
      "q.csv",
      "--quiet",
      "--no-confidences",
    ]);
    expect(predicted.stdout).toBe("day,prediction(kind)\n2024-05-20,b\n");
  }, 120_000);

  it("writes the rows of a test file divided as they were", async () => {
    folder.write({ "t.csv": "x;kind\n0;a\n1,5;b\n", "q.tsv": "x\tn\n1\t2\n" });
    const args = ["classify", "--train", "t.csv", "--label", "kind", "-k", "1", "--quiet", ...cpu];
    const own = await folder.run([...args, "--test", "t.csv", "--decimal", ","]);
    expect(own.stdout.split("\n")[2]).toBe("1,5;b;b;0;1");
    const tabs = await folder.run([...args, "--decimal", ",", "--test", "q.tsv", "--confidence", "none"]);
    expect(tabs.stdout).toBe("x\tn\tprediction(kind)\n1\t2\tb\n");
    const named = [...args, "--decimal", ",", "--test", "q.tsv", "--confidence", "none", "--out", "p.csv"];
    await folder.run(named);
    expect(readFileSync(join(folder.path, "p.csv"), "utf8")).toMatch(/^x;n;prediction/);
  }, 60_000);

  it("reads what the options say: encoding, lines above, comments, blanks", async () => {
    const { writeFileSync } = await import("node:fs");
    writeFileSync(
      `${folder.path}/t.txt`,
      Buffer.from("made by hand\n% note\n x   kind\n 0  \xe9 \n 1 \xe9\n% end\n", "latin1"),
    );
    const args = ["classify", "--train", "t.txt", "--label", "kind", "--cv", "2", "--k", "1", ...cpu];
    expect((await folder.run(args)).stderr).toContain("(--encoding windows-1252");
    const options = ["--encoding", "latin1", "--skip", "1", "--comment", "%", "--delimiter", "blanks"];
    expect((await folder.run([...args, ...options])).code).toBe(0);
    expect((await folder.run([...args, "--encoding", "klingon"])).stderr).toContain('"klingon" is unknown');
  }, 60_000);
});
