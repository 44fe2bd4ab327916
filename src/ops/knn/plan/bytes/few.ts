/**
 * This has the jobs of a plan of few queries read bytes of the references instead of float32 rows, where a
 * sample says that bytes tell neighbours apart. The bytes are made once and stay on the device. A query that
 * bytes leave too many spans is searched again, and with it the rest, in float32 rows.
 * ahead/keptPlan.ts says which searches do so. This is pure.
 */
import { spans } from "../../../../core/math.ts";
import { layoutBytes } from "../../../../distance/layout.ts";
import { strideOf } from "../../../../distance/rows/preparation.ts";
import type { Segment, Step } from "../../../../runtime/backend.ts";
import { isRunOf, run } from "../../../../runtime/primitive.ts";
import { keeping, keptNumber } from "../../../../runtime/kept.ts";
import { rowAt, rowCount, type HostSource } from "../../../../runtime/source.ts";
import {
  KNN_GAVE_UP,
  knnQueryBytes,
  knnRefBytes,
  type KnnFewByteFilterParams,
  type KnnQuantizing,
} from "../../contract/fewBytes.ts";
import { knnFewByteFilter, knnFewFilter, knnQuantize } from "../../fewPrimitive.ts";
import type { Quantizing } from "./choose.ts";
import type { KnnJob, KnnPlan, PrefilterStage } from "../knnPlan.ts";
import { countsOf, overflowed, withoutFirst } from "../lists.ts";
import { QueryBytes } from "./queries.ts";

/** Rows have at least so many columns: those of fewer are read as soon. */
const LEAST_COLUMNS = 64;
/** More queries would wait for the host, which makes their bytes, and compute as long as they read. */
const MOST_QUERIES = 8;
/** With more neighbours bytes leave more groups than are chosen at a time, and the host has more to do. */
const MOST_K = 32;
/**
 * A workgroup compares the groups that bytes leave, alone: a group takes as long as reading so many rows. For
 * each neighbour bytes leave `LOOSENESS` groups, or `SAMPLED` times what a sample showed beyond 1, if that is
 * more.
 */
const GROUP_ROWS = 2048;
const LOOSENESS = 2.5;
const SAMPLED = 6;
/**
 * The bytes may take this share of the budget, and must leave so much beside the rows: other searches of the
 * index do not count them.
 */
const MOST_HELD = 1 / 8;
const LEAST_LEFT = 2 ** 31;

/** Chunks of the references have so many rows. */
type Chunks = readonly number[];

/** A plan reads bytes, which this segment makes of the references. */
export interface ReadingBytes {
  readonly plan: KnnPlan;
  readonly fill: Segment;
}

/**
 * Returns the plan of the same search that reads bytes; undefined where it cannot, or hardly gains.
 * @param quantizing says how rows become bytes, which takes a sample
 */
export function readingBytes(
  plan: KnnPlan,
  quantizing: () => Quantizing | undefined,
): ReadingBytes | undefined {
  const { technique, problem, layout, stage, device, budget, caps } = plan;
  if (stage?.rated !== "few" || !layout?.resident || technique.form === "none") return undefined;
  const { dims } = technique;
  const asked = caps.few === "bytes";
  const gainsLittle = problem.queryRows > MOST_QUERIES || dims < LEAST_COLUMNS;
  if (caps.bytes === false || problem.k > MOST_K || (gainsLittle && !asked)) return undefined;
  const chunks = spans(problem.trainRows, layout.chunkRows).map(({ begin, end }) => end - begin);
  const sizes = chunks.map((rows) => knnRefBytes(rows, dims));
  const held = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const left = budget - held - layoutBytes(layout, problem.trainRows, strideOf(dims));
  const isTight = held > budget * MOST_HELD || left < LEAST_LEFT;
  if ((isTight && !asked) || Math.max(...sizes) > device.bufferBytes) return undefined;
  const known = quantizing();
  const groups = problem.k * Math.max(LOOSENESS, SAMPLED * ((known?.looseness ?? 1) - 1));
  if (!known || (groups * GROUP_ROWS > problem.trainRows && !asked)) return undefined;
  const { bytes, turned, centre } = known;
  const how = { bytes, turned };
  const { fill, kept, number } = keptBytes(how, centre, dims, chunks);
  const reading: KnnPlan = {
    ...plan,
    technique: { ...technique, why: `${technique.why}, as bytes` },
    stage: {
      ...stageOf(stage, centre, held, (job) => ({
        ...withByteSteps(job, bytes.scale, dims, chunks, number),
        kept,
      })),
      sourcesOf: ({ queries }) => ({ queryBytes: new QueryBytes(queries, how, centre) }),
    },
  };
  return { plan: reading, fill };
}

function stageOf(
  few: PrefilterStage,
  centre: Float32Array,
  held: number,
  rewritten: (job: KnnJob) => KnnJob,
): PrefilterStage {
  const source: HostSource = {
    rows: 1,
    rowBytes: () => centre.byteLength,
    fill: (_part, _rows, target) => target.set(new Uint8Array(centre.buffer)),
  };
  const stage: PrefilterStage = {
    ...few,
    rated: "fewBytes",
    sources: { byteCentre: source },
    heldBytes: held + centre.byteLength,
    queryBytes: few.queryBytes + knnQueryBytes(centre.length),
    job: (job, plan) => rewritten(few.job(job, plan)),
    after: () => stage,
    revised({ todo }, { downloads }, { task }) {
      const counts = countsOf(downloads.get("heads"));
      if (!counts.includes(KNN_GAVE_UP)) return {};
      const again = Uint32Array.from(overflowed(task, counts), (i) => rowAt(task.rows, i));
      return { stage: rest, todo: [...withoutFirst(todo, rowCount(task.rows)), { ...task, rows: again }] };
    },
  };
  const rest: PrefilterStage = { ...few, rated: "fewBytes", gaveUp: true, after: () => rest };
  return stage;
}

/** Makes what keeps the bytes resident, and the segment that fills them. */
function keptBytes({ bytes, turned }: KnnQuantizing, centre: Float32Array, dims: number, chunks: Chunks) {
  const stride = centre.length;
  const number = keptNumber(["bytes", JSON.stringify(bytes), turned, centre, ...chunks].join());
  const byteCentre = `byteCentre.${number}`;
  const quantize = (refRows: number, chunk: number): Step =>
    run(knnQuantize, {
      params: { bytes, turned, dims, stride, refRows },
      bindings: { refs: `refs.${chunk}`, byteCentre, quantized: bytesOf(chunk, number) },
      cost: refRows * stride,
    });
  const buffers = [
    { name: byteCentre, bytes: stride * 4 },
    ...chunks.map((rows, chunk) => ({ name: bytesOf(chunk, number), bytes: knnRefBytes(rows, dims) })),
  ];
  const fill: Segment = {
    label: "bytes of train",
    buffers: [],
    steps: [
      { kind: "upload", to: byteCentre, source: "byteCentre", part: "", rows: { begin: 0, end: 1 } },
      ...chunks.map(quantize),
    ],
  };
  return { fill, number, kept: keeping(number, buffers, fill) };
}

/** Names the buffer with the bytes of a chunk. @param number that of what they are */
function bytesOf(chunk: number, number: number): string {
  return `refBytes.${number}.${chunk}`;
}

function withByteSteps(job: KnnJob, scale: number, dims: number, chunks: Chunks, number: number): KnnJob {
  const { segment, task } = job;
  const { rows } = task;
  if (!segment) return job;
  const steps = segment.steps.map((step): Step => {
    if (!isRunOf(step, knnFewFilter)) return step;
    const { params, bindings, cost } = step;
    const chunk = Number(String(bindings.refs).replace("refs.", ""));
    const more: KnnFewByteFilterParams = { ...params, scale, heldRows: chunks[chunk] };
    const use = { refBytes: bytesOf(chunk, number), queryBytes: "queryBytes" };
    return run(knnFewByteFilter, { params: more, bindings: { ...bindings, ...use }, cost });
  });
  const upload: Step = { kind: "upload", to: "queryBytes", source: "queryBytes", part: "", rows };
  const buffer = { name: "queryBytes", bytes: rowCount(rows) * knnQueryBytes(dims) };
  return {
    ...job,
    segment: { ...segment, buffers: [...segment.buffers, buffer], steps: [upload, ...steps] },
  };
}
