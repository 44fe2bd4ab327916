/**
 * The package as npm would publish it, unpacked to node_modules/nearfield of an empty folder. Not installed:
 * it needs nothing else.
 */
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const exec = promisify(execFile);

/** Packs what dist/ holds now. */
export async function unpackTarball(folder: string): Promise<void> {
  const target = join(folder, "node_modules/nearfield");
  await mkdir(target, { recursive: true });
  const pack = ["pack", root, "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await exec("npm", pack, { cwd: folder });
  const [{ filename }] = JSON.parse(stdout) as { filename: string }[];
  await exec("tar", ["xzf", join(folder, filename), "--strip-components=1", "-C", target]);
}
