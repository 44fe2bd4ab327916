/**
 * Duplicates of a cloud, as removeDuplicatePoints finds them on the host, beside all neighbours within the
 * tolerance by PointCloud.radiusNeighbors on the CPU, of which each point takes the first that was kept. Runs
 * alternate. Times are processor time of all threads, which a busy machine hardly changes.
 */
import { parseArgs } from "node:util";
import { PointCloud, removeDuplicatePoints } from "../dist/node.js";

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "200000" },
    tolerance: { type: "string", default: "0.001" },
    /** This percentage of the points lies where an earlier one does; with 100 all lie in one place. */
    coinciding: { type: "string", default: "0" },
    runs: { type: "string", default: "3" },
  },
});
const [rows, tolerance] = [Number(values.points), Number(values.tolerance)];
const points = { data: cloudOf(rows, Number(values.coinciding) / 100), rows, cols: 3 };

interface Timed {
  readonly result: Uint32Array;
  readonly seconds: number;
}

const ways = {
  removeDuplicatePoints: async () => (await removeDuplicatePoints(points, { tolerance })).representatives,
  radiusNeighbors: byRadius,
};
const times = new Map<string, number[]>();
const found: Uint32Array[] = [];
for (let run = 0; run < Number(values.runs); run++) {
  for (const [name, way] of Object.entries(ways)) {
    const { result, seconds } = await timed(way);
    times.set(name, [...(times.get(name) ?? []), seconds]);
    found.push(result);
  }
}
const isSame = found.every((each) => each.every((row, at) => row === found[0][at]));
const kept = found[0].filter((row, at) => row === at).length;
console.log(`${rows} points, tolerance ${tolerance}: ${kept} kept; same: ${String(isSame)}`);
for (const [name, each] of times) {
  const median = each.sort((a, b) => a - b)[each.length >> 1];
  console.log(`${name.padEnd(24)}${median.toFixed(2)} s of processor time`);
}
console.log(`memory at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`);

async function byRadius(): Promise<Uint32Array> {
  using cloud = await PointCloud.create(points, { backend: "cpu" });
  const { offsets, indices } = await cloud.radiusNeighbors(points, { radius: tolerance });
  const representatives = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const own = indices.subarray(offsets[row], offsets[row + 1]);
    representatives[row] = own.find((other) => other < row && representatives[other] === other) ?? row;
  }
  return representatives;
}

async function timed(work: () => Promise<Uint32Array>): Promise<Timed> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (user + system) / 1e6 };
}

function cloudOf(count: number, share: number): Float32Array {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const data = new Float32Array(count * 3);
  for (let row = 0; row < count; row++) {
    const from = row > 0 && random() < share ? Math.floor(random() * row) : undefined;
    for (let j = 0; j < 3; j++) data[row * 3 + j] = from === undefined ? random() : data[from * 3 + j];
  }
  return data;
}
