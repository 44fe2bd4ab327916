/**
 * A program that uses every entry compiles under each TypeScript that users have, with the DOM's types and
 * without, with `@webgpu/types` and without, and whether or not declarations of packages are checked. The
 * compilers come from npm.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const exec = promisify(execFile);
const versions = ["5.4", "5.9", "6", "7"];

const program = `
import * as nearfield from "nearfield";
import { fileSource } from "nearfield/node";
import * as graph from "nearfield/graph";
export const found: Promise<nearfield.KnnResult> = nearfield.kneighbors([[1]], [[2]], { k: 1 });
export { fileSource, graph };
`;
interface Options {
  readonly lib: readonly string[];
  readonly types: readonly string[];
  readonly skipLibCheck: boolean;
}

/** A program that is wrong, so that a compiler that sees no types is noticed. */
const wrong = `import { kneighbors } from "nearfield";\nexport const k: string = kneighbors([[1]], [[2]], { k: "1" });\n`;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nearfield-typescript-"));
  const compilers = versions.map((version) => `typescript-${version}@npm:typescript@${version}`);
  await writeFile(join(folder, "package.json"), "{}");
  await exec("npm", ["install", "--no-audit", "--no-fund", ...compilers], { cwd: folder });
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Makes a project, compiles it, and returns what the compiler says of it and of our declarations. What
 * `@webgpu/types` lacks without the DOM's types is not ours to mend.
 */
async function compile(version: string, source: string, options: Options): Promise<string[]> {
  const project = await mkdtemp(join(folder, "project-"));
  const packed = join(project, "node_modules/nearfield");
  await mkdir(join(packed, "dist"), { recursive: true });
  await cp(join(root, "dist/types"), join(packed, "dist/types"), { recursive: true });
  await cp(join(root, "package.json"), join(packed, "package.json"));
  if (options.types.length > 0)
    await symlink(join(root, "node_modules/@webgpu"), join(project, "node_modules/@webgpu"));
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  await writeFile(join(project, "a.ts"), source);
  const compilerOptions = { module: "nodenext", target: "es2022", strict: true, noEmit: true, ...options };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["a.ts"] }));
  const compiler = join(folder, `node_modules/typescript-${version}/bin/tsc`);
  const { stdout } = await exec(process.execPath, [compiler, "-p", project]).catch(
    (error: { stdout: string }) => error,
  );
  return stdout.split("\n").filter((line) => /node_modules.nearfield|a\.ts/.test(line));
}

describe.each(versions)("TypeScript %s", (version) => {
  const flags = [true, false];
  const settings = flags.flatMap((dom) =>
    flags.flatMap((webgpu) => flags.map((skipLibCheck) => ({ dom, webgpu, skipLibCheck }))),
  );

  it.each(settings)("compiles with %o", { timeout: 60_000 }, async ({ dom, webgpu, skipLibCheck }) => {
    const lib = dom ? ["es2022", "dom"] : ["es2022"];
    const types = webgpu ? ["@webgpu/types"] : [];
    expect(await compile(version, program, { lib, types, skipLibCheck })).toEqual([]);
  });

  it("refuses a program that is wrong", { timeout: 60_000 }, async () => {
    const said = await compile(version, wrong, { lib: ["es2022"], types: [], skipLibCheck: true });
    expect(said.join()).toMatch(/a\.ts.*TS2322/);
  });
});
