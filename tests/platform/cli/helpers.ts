/** Runs the built command in a folder of its own, and the small tables that most of its tests use. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeEach } from "vitest";

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

/**
 * Runs commands in one process (host.mjs), which a process of its own for each takes most of a second to
 * begin. The first run of each command of a file has a process of its own, and so has what only that can
 * show: environments, standard input, GPUs.
 */
class Host {
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #begun = new Set<string>();

  takes(args: readonly string[], { input = "", env = {} }: RunSettings): boolean {
    const [command = ""] = args;
    const isFirst = !this.#begun.has(command);
    this.#begun.add(command);
    const alone = args.some((arg) => ["-", "gpu", "--gpu", "doctor"].includes(arg));
    return !isFirst && !alone && input.length === 0 && Object.keys(env).length === 0;
  }

  run(args: readonly string[], folder: string): Promise<Outcome> {
    const outcome = this.#last.then(() => this.#run(args, folder));
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  async #run(args: readonly string[], folder: string): Promise<Outcome> {
    this.#child ??= fork(fileURLToPath(new URL("./host.mjs", import.meta.url)), [pathToFileURL(main).href], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      execArgv: [],
    });
    const child = this.#child;
    const mark = `\0end of run ${Math.random()}\0`;
    const code = new Promise<number>((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", () => {
        this.#child = undefined;
        reject(new Error(`the host ended while it ran ${args.join(" ")}`));
      });
    });
    const texts = Promise.all([child.stdout!, child.stderr!].map((stream) => textUpTo(stream, mark)));
    child.send({ args, folder, mark });
    const [ended, [stdout, stderr]] = await Promise.all([code, texts]);
    child.removeAllListeners("exit");
    return { code: ended, stdout, stderr };
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }
}

/** Reads what a stream says before the mark. */
function textUpTo(stream: Readable, mark: string): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    const listener = (piece: string) => {
      text += piece;
      if (!text.endsWith(mark)) return;
      stream.off("data", listener);
      resolve(text.slice(0, -mark.length));
    };
    stream.setEncoding("utf8").on("data", listener);
  });
}

/** A fresh folder for each test of the file. */
export class Folder {
  #path = "";
  readonly #host = new Host();

  constructor() {
    afterAll(() => this.#host.end());
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

  run(args: readonly string[], settings: RunSettings = {}): Promise<Outcome> {
    if (this.#host.takes(args, settings)) return this.#host.run(args, this.#path);
    const { input = "", env = {} } = settings;
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
