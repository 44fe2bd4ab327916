/**
 * This rewrites the jobs of a plan that compares bytes before float32, and ends that where a job shows that
 * bytes rule out too few pairs. choose.ts decides whether a plan does.
 */
import { isRunOf, run } from "../../../../runtime/primitive.ts";
import type { Step } from "../../../../runtime/backend.ts";
import { rowCount, type HostSource } from "../../../../runtime/source.ts";
import type { ByteBound } from "../../../../distance/bound/bytes.ts";
import { knnByteFilter } from "../../bytePrimitive.ts";
import {
  BYTE_COUNTS,
  knnQuantizedBytes,
  knnQuantizedPlaces,
  type KnnByteFilterParams,
} from "../../contract/bytes.ts";
import { knnFilter } from "../../primitives.ts";
import type { KnnJob, KnnPlan, PrefilterStage } from "../knnPlan.ts";

/** Bytes come first in this way. */
export interface ByteWay {
  /** Says whether packed products make the sums whatever the device has. */
  readonly packed: boolean;
  /** Says whether rows are turned before they become bytes. */
  readonly turned: boolean;
  /** A sample showed that bytes let pass this many pairs for each one that float32 does. */
  readonly looseness: number;
  /** `explain` names by this what makes their sums. */
  readonly by: string;
  /** At most this share of pairs may pass without being ruled out. */
  readonly most: number;
}

/**
 * A query of a job may have no room for the pairs that pass in at most so many windows on average. With 0.034
 * such windows a query bytes took 0.74 of the time of float32 on an H200, with 0.044 they took 1.05.
 */
const MOST_OVERFLOWED = 1 / 32;

/**
 * Once a job showed that bytes pay, jobs have so many times as many queries as without bytes. Shorter ones
 * take a fast GPU less time than its host takes to begin and end them: on an H200 10,000 queries of 1,000,000
 * rows took 47 ms in ten jobs, 35 in five and 31 in three, which would take twice the memory.
 */
const LONGER = 2;

/** Makes what a plan with bytes does otherwise: it rewrites jobs in which pairs are appended. */
export function stageOf(
  bound: ByteBound,
  { packed, turned, looseness, most, by }: ByteWay,
  centre: Float32Array,
  { technique, problem }: KnnPlan,
  heldBytes: number,
): PrefilterStage {
  const stride = centre.length;
  const dims = technique.form === "none" ? 0 : technique.dims;
  const source: HostSource = {
    rows: 1,
    rowBytes: () => centre.byteLength,
    fill: (_part, _rows, target) => target.set(new Uint8Array(centre.buffer)),
  };
  const stage: PrefilterStage = {
    says: "",
    rated: "bytes",
    sources: { byteCentre: source },
    heldBytes: heldBytes + stride * 4,
    queryBytes: knnQuantizedBytes({ queryRows: 128, refRows: 0, dims }) / 128,
    job: (job) => withByteSteps(job, { bytes: bound, packed, turned, looseness }, dims, stride),
    after(job, downloads) {
      const counts = downloads.get("byteCounts");
      if (!counts) return this;
      return stillPay(problem.trainRows, job, counts, most)
        ? { ...stage, longer: LONGER, says: `, after ${by}` }
        : endedStage(`, at first after ${by}, which ruled out too few pairs`);
    },
  };
  return stage;
}

/** Makes the stage of a plan that goes on without bytes. */
function endedStage(says: string): PrefilterStage {
  return {
    ...{ says, sources: {}, heldBytes: 0, queryBytes: 0 },
    job: (job) => job,
    after() {
      return this;
    },
  };
}

type ByteParams = Pick<KnnByteFilterParams, "bytes" | "packed" | "turned" | "looseness">;

function withByteSteps(job: KnnJob, how: ByteParams, dims: number, stride: number): KnnJob {
  const { segment, tile } = job;
  if (!segment || !tile?.group) return job;
  const sizes = { queryRows: rowCount(job.task.rows), refRows: tile.references, dims };
  const bound = { byteCentre: "byteCentre", quantized: "quantized" };
  const first = segment.steps.findIndex((step) => isRunOf(step, knnFilter));
  const last = segment.steps.findLastIndex((step) => isRunOf(step, knnFilter));
  const steps = segment.steps.map((step): Step => {
    if (!isRunOf(step, knnFilter)) return step;
    const { params, bindings, cost } = step;
    return run(knnByteFilter, {
      params: { ...params, ...how },
      bindings: { ...bindings, ...bound },
      cost,
    });
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

/** Tells whether bytes pay, by what a job counted. @param most is the share of pairs that may pass */
function stillPay(trainRows: number, { task }: KnnJob, counts: ArrayBuffer, most: number): boolean {
  const [passed, overflowed] = new Uint32Array(counts);
  const queries = rowCount(task.rows);
  return passed <= queries * trainRows * most && overflowed <= queries * MOST_OVERFLOWED + 1;
}
