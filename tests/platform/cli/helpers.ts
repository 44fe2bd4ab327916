/** Runs the built command in a folder of its own, and the small tables that most of its tests use. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach } from "vitest";

/** `npm test` bundles the command line with the library, which begins sooner than the files that ship. */
export const main =
  process.env.NEARFIELD_MAIN ?? fileURLToPath(new URL("../../../dist/bin/main.js", import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunSettings {
  readonly input?: string | Uint8Array;
  /** Added to this process's; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Three rows near the origin and three far from it; cells in several spellings. */
export const train = `id,x,y,kind
a1,0,0,near
a2,0,1,near
a3,1,0,near
b1,10,10,far
b2,10,11,far
b3,11,10.50,far
`;

/** The third label is wrong on purpose: the prediction is "near". */
export const test = `id,x,y,kind,note
t1,0.50,0.5,near,"says ""hi"", twice"
t2,10,10.0,far,
t3,4,5e0,far,"two
lines"
`;

/** A fresh folder for each test of the file. */
export class Folder {
  #path = "";

  constructor() {
    beforeEach(() => {
      this.#path = mkdtempSync(join(tmpdir(), "nearfield-cli-"));
      this.write({ "train.csv": train, "test.csv": test });
    });
    afterEach(() => rmSync(this.#path, { recursive: true, force: true }));
  }

  get path(): string {
    return this.#path;
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.#path, name), text);
  }

  list(): string[] {
    return readdirSync(this.#path).sort();
  }

  /** @param stdout a file to write to instead of a pipe */
  start(args: readonly string[], env: RunSettings["env"] = {}, stdout?: number): ChildProcess {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: this.#path,
      env: { ...process.env, ...env },
      stdio: ["pipe", stdout ?? "pipe", "pipe"],
    });
    // A command that ends early leaves the rest of its input unread.
    child.stdin!.on("error", () => undefined);
    return child;
  }

  run(args: readonly string[], { input = "", env = {} }: RunSettings = {}): Promise<Outcome> {
    const child = this.start(args, env);
    child.stdin!.end(input);
    return outcomeOf(child);
  }

  /** On the CPU, with the tables above. */
  classify(args: readonly string[], settings?: RunSettings): Promise<Outcome> {
    return this.run([...classifyArgs, ...args], settings);
  }

  search(args: readonly string[], settings?: RunSettings): Promise<Outcome> {
    return this.run([...searchArgs, ...args], settings);
  }
}

const cpu = ["--backend", "cpu", "--threads", "1"];
export const classifyArgs = [
  ...["classify", "--train", "train.csv", "--test", "test.csv", "--label", "kind", "--id", "id"],
  ...cpu,
];
export const searchArgs = [
  "search",
  "--train",
  "train.csv",
  "--queries",
  "test.csv",
  "--features",
  "x,y",
  ...cpu,
];

export function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Waits until `ready` gives something. */
export async function until<T>(ready: () => T | undefined): Promise<T> {
  for (const limit = performance.now() + 20_000; performance.now() < limit;) {
    const value = ready();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("waited 20 seconds in vain");
}

/** Rows of x and y that differ, with a header. */
export function manyRows(rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) => `${(row * 7919) % 1009},${(row * 104729) % 1013}\n`);
  return `x,y\n${lines.join("")}`;
}
