/**
 * Decides whether a GPU compares bytes before float32, and rewrites the jobs of a plan that does. Pure but
 * for the rate, which byteRate.ts measures. A search that may want it loads it (run.ts). The kernels are in
 * gpu/bytes/, the proof in distance/bound/bytes.ts.
 */
import { isRunOf, run } from "../../../runtime/primitive.ts";
import type { Backend, Step } from "../../../runtime/backend.ts";
import { rowCount, type HostSource } from "../../../runtime/source.ts";
import { boundOf } from "../../../distance/bound/bound.ts";
import { byteBoundOf, type ByteBound } from "../../../distance/bound/bytes.ts";
import type { Filter, Technique } from "../../../distance/forms/filter.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import { knnByteFilter } from "../bytePrimitive.ts";
import { BYTE_COUNTS, knnQuantizedBytes, knnQuantizedPlaces } from "../contract/bytes.ts";
import { knnFilter } from "../primitives.ts";
import type { KnnJob, KnnPlan, Stage } from "./knnPlan.ts";

/** The rows of train that a sample takes, evenly spread, and the neighbours of each that it looks at. */
export const SAMPLE_ROWS = 128;
const SAMPLE_NEIGHBOURS = 2;
/** Pairs that bytes may let pass for each one that float32 does. */
const MOST_LOOSENESS = 6;
/**
 * The share of pairs that may be compared whole: on an H100 one takes as long as 20 of float32 in a tile, of
 * which bytes save more than half.
 */
const MOST_APPENDED = 1 / 64;
/** The share of queries of which more pairs pass than there is room for. */
const MOST_OVERFLOWED = 1 / 64;
/** The share of the budget that the bytes of references may take. */
const MOST_HELD = 1 / 4;

/**
 * Returns the plan with bytes first, where they can rule out pairs and a sample says that they do. What was
 * found stands in its words why.
 * @param prepared gives rows of train as a device compares them, float32 [SAMPLE_ROWS][stride]
 */
export async function withBytes(
  plan: KnnPlan,
  prepared: (rows: Uint32Array) => Float32Array,
  backend: Backend,
): Promise<KnnPlan> {
  const { technique, problem, layout, device, budget } = plan;
  if (!isSquared(technique) || problem.keepAll || plan.tree || !layout) return plan;
  const bound = boundOf(technique.bounding);
  if (!bound || !(await hasPackedProducts(backend))) return plan;
  const saying = (words: string) => ({
    ...plan,
    technique: { ...technique, why: `${technique.why}; ${words}` },
  });
  const rows = sampledRows(problem.trainRows);
  const stride = strideOf(technique.dims);
  const sample = prepared(rows);
  const centre = moveToCentre(sample, stride);
  const bytes = byteBoundOf(largestIn(sample), technique.dims, bound);
  if (!bytes || loosenessOf(sample, stride, bytes.scale) > MOST_LOOSENESS)
    return saying("no bytes first, which would rule out too few pairs");
  const held = knnQuantizedBytes({ queryRows: 0, refRows: layout.chunkRows, dims: technique.dims });
  if (held > budget * MOST_HELD || held > device.bufferBytes / 2)
    return saying("no bytes first, for which there is no room");
  return { ...saying("after bytes, as was asked"), stage: stageOf(bytes, centre, plan, held, stride) };
}

/**
 * Says whether shaders have products of four bytes, which is asked of the compiler: a device does not tell.
 */
async function hasPackedProducts(backend: Backend): Promise<boolean> {
  const code = "@compute @workgroup_size(1) fn main() { _ = dot4I8Packed(1u, 1u); }";
  const found = backend.onDevice?.((device) => {
    device.pushErrorScope("validation");
    device.createShaderModule({ code });
    return device.popErrorScope();
  });
  return found !== undefined && (await found) === null;
}

/** Says whether a form makes the square of a distance of rows and their lengths. */
function isSquared(technique: Technique): technique is Filter {
  if (technique.form !== "expanded") return false;
  const { bounding, weight, mixed, power, points, train, queries } = technique;
  const lengths = train.base === "squaredNorm" && queries.base === "squaredNorm";
  return bounding.dot === "squared" && weight === -2 && lengths && !mixed && !power && !points;
}

function sampledRows(trainRows: number): Uint32Array {
  const count = Math.min(trainRows, SAMPLE_ROWS);
  return Uint32Array.from({ length: count }, (_, at) => Math.floor((at * trainRows) / count));
}

/** Subtracts the means of the columns from the rows of a sample. @returns the means */
function moveToCentre(sample: Float32Array, stride: number): Float32Array {
  const rows = sample.length / stride;
  const centre = new Float32Array(stride);
  for (let column = 0; column < stride; column++) {
    let sum = 0;
    for (let at = column; at < sample.length; at += stride) sum += sample[at];
    centre[column] = sum / rows;
  }
  for (let at = 0; at < sample.length; at++) sample[at] -= centre[at % stride];
  return centre;
}

function largestIn(sample: Float32Array): number {
  return sample.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
}

/**
 * Returns how many rows of a sample lie where bytes cannot tell them from the nearest ones, for each of
 * those. It is less than among all rows, which lie denser, by a factor that hardly depends on their number.
 */
export function loosenessOf(sample: Float32Array, stride: number, scale: number): number {
  const rows = sample.length / stride;
  const losses = Array.from({ length: rows }, (_, row) => lossOf(sample, row * stride, stride, scale));
  let within = 0;
  let nearest = 0;
  for (let a = 0; a < rows; a++) {
    const distances = Array.from({ length: rows }, (_, b) =>
      a === b ? Infinity : distanceOf(sample, a * stride, b * stride, stride),
    );
    const threshold = [...distances].sort((x, y) => x - y)[Math.min(rows, SAMPLE_NEIGHBOURS) - 1];
    nearest += distances.filter((distance) => distance <= threshold).length;
    within += distances.filter((distance, b) => distance - losses[a] - losses[b] <= threshold).length;
  }
  return within / Math.max(1, nearest);
}

function lossOf(sample: Float32Array, begin: number, stride: number, scale: number): number {
  let sum = 0;
  for (let at = begin; at < begin + stride; at++) {
    const steps = Math.max(-127, Math.min(127, Math.round(sample[at] / scale)));
    sum += (sample[at] - steps * scale) ** 2;
  }
  return Math.sqrt(sum);
}

function distanceOf(sample: Float32Array, a: number, b: number, stride: number): number {
  let sum = 0;
  for (let at = 0; at < stride; at++) sum += (sample[a + at] - sample[b + at]) ** 2;
  return Math.sqrt(sum);
}

/** Makes what a plan with bytes does otherwise: it rewrites jobs in which pairs are appended. */
function stageOf(
  bound: ByteBound,
  centre: Float32Array,
  { technique, problem }: KnnPlan,
  heldBytes: number,
  stride: number,
): Stage {
  const dims = technique.form === "none" ? 0 : technique.dims;
  const source: HostSource = {
    rows: 1,
    rowBytes: () => centre.byteLength,
    fill: (_part, _rows, target) => target.set(new Uint8Array(centre.buffer)),
  };
  const stage: Stage = {
    sources: { byteCentre: source },
    heldBytes: heldBytes + stride * 4,
    queryBytes: knnQuantizedBytes({ queryRows: 128, refRows: 0, dims }) / 128,
    job: (job) => withByteSteps(job, bound, dims, stride),
    after: (job, downloads) =>
      stillPay(problem.trainRows, job, downloads.get("byteCounts")) ? stage : undefined,
  };
  return stage;
}

function withByteSteps(job: KnnJob, bytes: ByteBound, dims: number, stride: number): KnnJob {
  const { segment, tile } = job;
  if (!segment || !tile?.group) return job;
  const sizes = { queryRows: rowCount(job.task.rows), refRows: tile.references, dims };
  const bound = { byteCentre: "byteCentre", quantized: "quantized" };
  const first = segment.steps.findIndex((step) => isRunOf(step, knnFilter));
  const last = segment.steps.findLastIndex((step) => isRunOf(step, knnFilter));
  const steps = segment.steps.map((step): Step => {
    if (!isRunOf(step, knnFilter)) return step;
    const { params, bindings, cost } = step;
    return run(knnByteFilter, { params: { ...params, bytes }, bindings: { ...bindings, ...bound }, cost });
  });
  return {
    ...job,
    segment: {
      ...segment,
      buffers: [
        ...segment.buffers,
        { name: "byteCentre", bytes: stride * 4 },
        { name: "quantized", bytes: knnQuantizedBytes(sizes) },
      ],
      steps: [
        ...steps.slice(0, first),
        { kind: "upload", to: "byteCentre", source: "byteCentre", part: "", rows: { begin: 0, end: 1 } },
        { kind: "clear", buffer: "quantized" },
        ...steps.slice(first, last + 1),
        countsStep(sizes),
        ...steps.slice(last + 1),
      ],
    },
  };
}

/** Brings back what the job's calls counted, as far as the last one leaves it. */
function countsStep(sizes: Parameters<typeof knnQuantizedPlaces>[0]): Step {
  const { counts } = knnQuantizedPlaces(sizes);
  return {
    kind: "download",
    from: "quantized",
    begin: 16 * counts,
    bytes: 4 * BYTE_COUNTS,
    as: "byteCounts",
  };
}

/** Says whether bytes still pay after a job. */
function stillPay(trainRows: number, { task }: KnnJob, counts: ArrayBuffer | undefined): boolean {
  if (!counts) return true;
  const [appended, overflowed] = new Uint32Array(counts);
  const queries = rowCount(task.rows);
  return appended <= queries * trainRows * MOST_APPENDED && overflowed <= queries * MOST_OVERFLOWED + 1;
}
