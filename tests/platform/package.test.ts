/** The package as users get it: packed, installed into an empty folder, imported, run, compiled against. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findDeno } from "../../scripts/deno.mjs";
import { isAbsent } from "../backend/helpers.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = join(root, "node_modules/.bin");
const exec = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

let folder = "";
let packed: Packed;

/**
 * Runs in the folder the package is installed in; without npm's variables of the run that started the tests.
 */
async function run(command: string, ...args: string[]): Promise<string> {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS|VITEST|NODE_ENV)/.test(name),
  );
  const { stdout } = await exec(command, args, { cwd: folder, env: Object.fromEntries(clean) });
  return stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nearfield-package-"));
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "consumer", type: "module", private: true }),
  );
  // Without scripts: prepack would build again, under the feet of tests that use dist/.
  const report = await run("npm", "pack", root, "--ignore-scripts", "--json", "--pack-destination", folder);
  packed = (JSON.parse(report) as Packed[])[0]!;
  await run("npm", "install", "--no-audit", "--no-fund", "--prefer-offline", `./${packed.filename}`);
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the tarball", () => {
  it("holds the compiled library, its types and the documents, and nothing else", () => {
    const paths = packed.files.map(({ path }) => path);
    const [first, ...others] = ["dist/", "docs/", "examples/"];
    const isIn =
      (...folders: string[]) =>
      (path: string) =>
        folders.some((each) => path.startsWith(each));
    const documents = paths.filter((path) => !isIn(first, ...others)(path)).sort();
    expect(documents).toEqual(["LICENSE", "README.md", "package.json"]);
    const inFolders = paths.filter(isIn(...others));
    expect(inFolders.filter((path) => !/\.(md|svg)$|^examples\/\w+\.(csv\.gz|json)$/.test(path))).toEqual([]);
    const code = paths.filter((path) => path.startsWith("dist/"));
    expect(code.filter((path) => !/\.(js|js\.map|d\.ts)$/.test(path))).toEqual([]);
    expect(code).toEqual(
      expect.arrayContaining(["dist/index.js", "dist/node.js", "dist/bin/main.js", "dist/worker.js"]),
    );
    expect(code.filter((path) => /wasm\/|\.wgsl|test/.test(path))).toEqual([]);
    const types = ["declarations", "graph", "index", "node"].map((name) => `dist/types/${name}.d.ts`);
    expect(code.filter((path) => path.endsWith(".d.ts")).sort()).toEqual(types);
  });

  it("holds what README and the pages link to, with the headings that they name", async () => {
    const paths = packed.files.map(({ path }) => path);
    const textOf = (path: string) => readFile(join(folder, "node_modules/nearfield", path), "utf8");
    const dead: string[] = [];
    let links = 0;
    for (const page of paths.filter((path) => path.endsWith(".md"))) {
      const text = (await textOf(page)).replace(/^```[^]*?^```$/gm, "");
      for (const [, link] of text.matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)"\s]+)/g)) {
        if (/^https?:/.test(link)) continue;
        links++;
        const [name, anchor] = link.split("#");
        const path = name === "" ? page : posix.join(posix.dirname(page), name);
        if (!paths.includes(path)) dead.push(`${page} links to ${link}`);
        else if (anchor !== undefined && !anchorsOf(await textOf(path)).includes(anchor))
          dead.push(`${page} links to ${link}, which has no such heading`);
      }
    }
    expect(links).toBeGreaterThan(30);
    expect(dead).toEqual([]);
  });

  /** Lists the anchors that GitHub and npm make of headings. */
  function anchorsOf(markdown: string): string[] {
    return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  }

  /**
   * The file for pages repeats what the modules hold, since a CDN serves what the package has, and no bundler
   * is there to leave anything out. So it has a limit of its own.
   */
  it("is small", async () => {
    const onePage = packed.files.find(({ path }) => path === "dist/nearfield.js")?.size ?? 0;
    expect(onePage).toBeGreaterThan(0);
    expect(onePage).toBeLessThan(1.15e6);
    expect(packed.unpackedSize - onePage).toBeLessThan(2 * 2 ** 20);
    expect(await bytesIn(join(folder, "node_modules"))).toBeLessThan(6e6);
  });

  /** Counts what was installed without webgpu, in the bytes of the files. */
  async function bytesIn(installed: string): Promise<number> {
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = await Promise.all(
      files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  it("depends on commander and hyparquet's packages alone, and asks for webgpu without insisting", async () => {
    const manifest = JSON.parse(
      await readFile(join(folder, "node_modules/nearfield/package.json"), "utf8"),
    ) as object;
    expect(manifest).toMatchObject({ peerDependenciesMeta: { webgpu: { optional: true } } });
    expect(Object.keys((manifest as { dependencies: object }).dependencies)).toEqual([
      "commander",
      "hyparquet",
      "hyparquet-compressors",
      "hyparquet-writer",
    ]);
    const installed = await run("npm", "ls", "--all", "--parseable");
    // Besides: the folder itself, nearfield, and fzstd and hysnappy of hyparquet-compressors.
    expect(installed.trim().split("\n").length).toBe(1 + 1 + 4 + 2);
  });

  it("pleases publint", async () => {
    const { messages, pkg } = await publint({
      pkgDir: join(folder, "node_modules/nearfield"),
      strict: true,
      pack: false,
    });
    expect(messages.map((message) => formatMessage(message, pkg as Record<string, unknown>))).toEqual([]);
  });

  it("has types that resolve everywhere, says are-the-types-wrong", async () => {
    const report = run(join(tools, "attw"), packed.filename, "--profile", "esm-only", "--no-color");
    await expect(report).resolves.toContain("🟢 (ESM)");
  }, 120_000);
});

describe("installed in an empty folder", () => {
  const search = `
    import { kneighbors } from "nearfield";
    const { indices, explanation } = await kneighbors([[0], [5], [9]], [[4], [8]], { k: 2, backend: process.argv[1] });
    console.log(JSON.stringify({ indices: [...indices], note: explanation.note, backend: explanation.backend }));
  `;

  it("searches in Node, on the CPU where there is no GPU, and says how to use one", async () => {
    const found = JSON.parse(
      await run(process.execPath, "--input-type=module", "--eval", search, "auto"),
    ) as object;
    expect(found).toMatchObject({
      indices: [1, 0, 2, 1],
      backend: "cpu",
      note: expect.stringMatching(/npm install webgpu/) as string,
    });
  });

  it("reads files of its own folder by nearfield/node", async () => {
    const read = `
      import { fileSource } from "nearfield/node";
      console.log((await fileSource("node_modules/nearfield/package.json")).byteLength > 0);
    `;
    expect((await run(process.execPath, "--input-type=module", "--eval", read)).trim()).toBe("true");
  });

  it("fails with what to install when a GPU is insisted on", async () => {
    const failed = run(process.execPath, "--input-type=module", "--eval", search, "gpu");
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringMatching(/UnavailableError: .*npm install webgpu/) as string,
    });
  });

  it("takes no CPU for a GPU that is asked for by its number", async () => {
    const numbered = search.replace("k: 2,", "k: 2, gpu: 99,");
    const failed = run(process.execPath, "--input-type=module", "--eval", numbered, "auto");
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringMatching(/UnavailableError: .*npm install webgpu/) as string,
    });
  });

  it("says why, when webgpu is there but does not load", async () => {
    const broken = join(folder, "node_modules/webgpu");
    await mkdir(broken);
    await writeFile(join(broken, "package.json"), JSON.stringify({ name: "webgpu", main: "index.js" }));
    await writeFile(join(broken, "index.js"), `throw new Error("ld-linux-x86-64.so.2 is missing");`);
    const failed = run(process.execPath, "--input-type=module", "--eval", search, "gpu");
    await expect(failed.finally(() => rm(broken, { recursive: true }))).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /UnavailableError: the package webgpu does not load here .*ld-linux-x86-64.so.2 is missing.*glibc/,
      ) as string,
    });
  });

  it("has a command that tells its version", async () => {
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    expect((await run("npx", "--no", "--", "nearfield", "--version")).trim()).toBe(version);
  });

  it("writes its example tables and predicts their rows", async () => {
    await run("npx", "--no", "--", "nearfield", "example", "iris", "--out", "data");
    const files = ["--train", "data/iris-train.csv", "--test", "data/iris-test.csv"];
    const args = ["classify", ...files, "--label", "species", "--out", "kinds.csv", "--json"];
    const summary = JSON.parse(await run("npx", "--no", "--", "nearfield", ...args)) as object;
    expect(summary).toMatchObject({ classification: { accuracy: 29 / 30 } });
  });

  it("gives the same names to browsers", async () => {
    const names = (...conditions: string[]) =>
      run(
        process.execPath,
        ...conditions,
        "--input-type=module",
        "--eval",
        `console.log(Object.keys(await import("nearfield")).join())`,
      );
    const browser = `console.log(Object.keys(await import("./node_modules/nearfield/dist/index.js")).join())`;
    expect(await names()).toBe(await run(process.execPath, "--input-type=module", "--eval", browser));
  });
});

describe("in Deno", () => {
  const deno = findDeno();
  const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
  const search = `
    import { kneighbors } from "nearfield";
    const { indices, explanation } = await kneighbors([[0], [5], [9]], [[4], [8]], { k: 2, backend: Deno.args[0] });
    console.log(JSON.stringify({ indices: [...indices], backend: explanation.backend }));
  `;

  const kinds = (["cpu", "gpu"] as const).filter((backend) => !isAbsent(backend));
  const permissions = { cpu: ["--allow-sys"], gpu: [] };

  it.skipIf(!deno && !inCI).each(kinds)("searches on the %s with few permissions", async (backend) => {
    await writeFile(join(folder, "search.js"), search);
    const found = await run(
      deno ?? "deno",
      "run",
      "--no-prompt",
      ...permissions[backend],
      "search.js",
      backend,
    );
    expect(JSON.parse(found)).toEqual({ indices: [1, 0, 2, 1], backend });
  });
});

describe("compiled against", () => {
  const consumer = `
    import { Device, InvalidInputError, KNeighborsClassifier, kneighbors } from "nearfield";
    import type { KnnResult, Label, Table } from "nearfield";
    import { parseProcess, runProcess } from "nearfield/graph";
    import { fileSource } from "nearfield/node";
    const device: Device = await Device.create({ backend: "auto" });
    const found: KnnResult = await kneighbors([Float32Array.of(1)], [[2]], { k: 1, metric: "minkowski", p: 3, device });
    const labels: (Label | null)[] = await new KNeighborsClassifier({ nNeighbors: 1, device }).fit([[1]], ["a"]).then((m) => m.predict([[1]]));
    const indices: Uint32Array = found.indices;
    // @ts-expect-error no such metric
    await kneighbors([[1]], [[2]], { metric: "euclid" });
    const { outputs } = (await runProcess(parseProcess("{}"), { device, open: (path) => fileSource(path) })).nodes[0]!;
    const table: Table | false | undefined = outputs.table?.type === "Table" && outputs.table.value.table;
    if (table) device.dispose();
    if (labels[0] !== "a" || indices[0] !== 0) throw new InvalidInputError("wrong");
  `;

  it.each([
    ["by Node", { module: "NodeNext", moduleResolution: "NodeNext", lib: ["ES2022"] }],
    [
      "by a bundler for browsers",
      {
        module: "ESNext",
        moduleResolution: "bundler",
        lib: ["ES2022", "DOM"],
        customConditions: ["browser"],
      },
    ],
  ])("%s it has types, strictly", async (name, options) => {
    const project = join(folder, name.replaceAll(" ", "-"));
    await mkdir(project);
    await writeFile(join(project, "consumer.ts"), consumer);
    const compilerOptions = {
      ...options,
      target: "ES2022",
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
    };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const output = await run(join(tools, "tsc"), "-p", project).catch(
      (error: { stdout: string }) => error.stdout,
    );
    expect(output).toBe("");
  });
});
