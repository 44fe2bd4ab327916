/** The completion of bash, run by bash itself, and the scripts of other shells beside it. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Folder } from "../helpers.ts";

const folder = new Folder();

describe("completion in bash", () => {
  /** Completes the last of the words, as bash asks for it. */
  const completed = async (...words: string[]): Promise<string[]> => {
    const script = await folder.run(["completion", "bash"]);
    expect(script.code, script.stderr).toBe(0);
    writeFileSync(join(folder.path, "completion.sh"), script.stdout);
    const lines = [
      "source completion.sh",
      'COMP_WORDS=(nearfield "$@"); COMP_CWORD=$#; _nearfield; printf "%s\\n" "${COMPREPLY[@]}"',
    ];
    return new Promise((resolve, reject) => {
      const args = ["-c", lines.join("\n"), "bash", ...words];
      execFile("bash", args, { cwd: folder.path }, (error, stdout) =>
        error ? reject(new Error(error.message)) : resolve(stdout.trimEnd().split("\n").sort()),
      );
    });
  };

  it.each([
    [["cl"], ["classify", "cloud"]],
    [["cloud", "ne"], ["nearest"]],
    [
      ["classify", "--me"],
      ["--memory", "--metric"],
    ],
    [["classify", "--metric", "eucl"], ["euclidean"]],
    [["classify", "--metric", "=", "eucl"], ["euclidean"]],
    [["search", "--train", "t"], ["test.csv", "train.csv"].sort()],
    [["schema", "tr"], ["train.csv"]],
    [["bench", "sort", "--order", "s"], ["sorted"]],
    [
      ["example", ""],
      ["--force", "--help", "--out", "cars", "digits", "iris", "penguins"],
    ],
    [["classify", "--k", ""], [""]],
  ])("%j gives %j", async (words, expected) => {
    expect(await completed(...words)).toEqual(expected);
  });

  it("knows every option that --help-all shows", async () => {
    for (const command of ["classify", "convolve"]) {
      const { stdout } = await folder.run([command, "--help-all"]);
      const shown = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name);
      expect(await completed(command, "--")).toEqual(shown.sort());
    }
  });

  it("has scripts of zsh and fish beside it, of the same options", async () => {
    const zsh = await folder.run(["completion", "zsh"]);
    expect(zsh.stdout).toMatch(/^#compdef nearfield\n/);
    expect(zsh.stdout).toContain("'--weights[how the neighbours are weighted]:name:(uniform distance)'");
    const fish = await folder.run(["completion", "fish"]);
    expect(fish.stdout).toContain(
      "complete -c nearfield -n '__nearfield_at classify' -l weights -x -a 'uniform distance' -d 'how the neighbours are weighted'\n",
    );
  });
});
