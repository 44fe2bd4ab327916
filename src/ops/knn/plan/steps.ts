/**
 * This makes the requests of a k-NN plan to a backend: the buffers that stay, the segment that fills them,
 * and the segment of a job. This is pure, and without decisions, which jobs.ts and tile.ts make.
 */
import { type Segment, type Step } from "../../../runtime/backend.ts";
import { rowCount, type BufferSpec } from "../../../runtime/source.ts";
import { roundUp, spans, type Span } from "../../../core/math.ts";
import { knnFilterBytes, knnFilterScratchBytes } from "../contract/filter.ts";
import { keyBuffers, keysBuffer, refineSteps } from "./refineSteps.ts";
import { beginLists, isSeeded } from "./seedSteps.ts";
import { BOUND_BYTES, type Tile } from "./tile.ts";
import type { ReferenceLayout } from "../../../distance/layout.ts";
import { knnFilter, knnMixedFilter, knnPowerFilter } from "../primitives.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { Filter } from "../../../distance/forms/filter.ts";
import type { KnnJob, KnnPlan, SearchTask } from "./knnPlan.ts";
import { beginPreparation, preparationBuffers, uploadRows } from "../../../distance/prepareSteps.ts";
import { checkSteps, type Side } from "../../../distance/assumed.ts";
import { run } from "../../../runtime/primitive.ts";

/** Returns the buffers that stay on the device for all jobs. */
export function residentBuffers({ layout, problem, technique, sketch, tree, trees }: KnnPlan): BufferSpec[] {
  if (!layout?.resident || technique.form === "none") return [];
  const stride = strideOf(technique.dims);
  const chunks = chunksOf(layout, problem.trainRows).flatMap(({ begin, end }, c) => [
    { name: `refs.${c}`, bytes: (end - begin) * stride * 4 },
    { name: `refMeta.${c}`, bytes: (end - begin) * 16 },
  ]);
  const sketches = sketch?.steps.residentSketches(sketch, chunksOf(layout, problem.trainRows)) ?? [];
  return [...chunks, ...sketches, ...(trees?.treeBuffers(tree) ?? [])];
}

/** Makes the segment that fills the resident buffers; it runs once per session, again after a loss. */
export function setupSegment({
  layout,
  problem,
  technique,
  sketch,
  tree,
  trees,
}: KnnPlan): Segment | undefined {
  if (!layout?.resident || technique.form === "none") return undefined;
  const chunks = chunksOf(layout, problem.trainRows);
  return {
    label: "train",
    buffers: [...preparationBuffers(problem, technique, ["train"]), ...(trees?.treeBuildBuffers(tree) ?? [])],
    steps: [
      ...beginPreparation(technique, ["train"]),
      ...chunks.flatMap((rows, c) =>
        upload(tree, trees)(problem, technique, "train", rows, `refs.${c}`, `refMeta.${c}`),
      ),
      ...(sketch?.steps.sketchChunks(sketch, chunks, strideOf(technique.dims)) ?? []),
      ...(trees?.treeStep(tree) ?? []),
      ...checkSteps(problem, technique, ["train"]),
    ],
  };
}

/** Makes the job of one tile of queries against all references. */
export function filterJob(
  plan: KnnPlan,
  filter: Filter,
  task: SearchTask & { readonly capacity: number },
  tile: Tile,
): KnnJob {
  const { problem } = plan;
  const stride = strideOf(filter.dims);
  const queryRows = rowCount(task.rows);
  const point = problem.precision === "float32";
  const keys = keysBuffer(plan, task.capacity);
  const names = { heads: "heads", candidates: "candidates", capacity: task.capacity };
  const { tree, trees, orders } = plan;
  const work = tree && trees ? trees.treeWork(tree, queryRows) : queryRows * problem.trainRows * stride;
  const sides = sidesOf(plan);
  const ordered = (tree ? trees : orders)?.orderedPart(
    plan,
    task.rows,
    task.capacity,
    point ? "intervals" : keys,
  );
  const job: KnnJob = {
    task,
    tile,
    segment: {
      label: `${queryRows} queries, lists of ${task.capacity}`,
      buffers: [
        ...taskBuffers(plan, filter, queryRows, task.capacity, tile),
        ...(ordered?.buffers ?? []),
        ...preparationBuffers(problem, filter, sides),
      ],
      steps: [
        ...beginPreparation(filter, sides),
        ...upload(tree, trees)(problem, filter, "queries", task.rows, "queries", "queryMeta"),
        ...(plan.sketch?.steps.sketchStep(plan.sketch, "queries", queryRows, stride) ?? []),
        ...beginLists(plan, task.rows, task.capacity),
        ...(tree && trees
          ? trees.treeSteps(plan, tree, filter, queryRows, task.capacity)
          : filterSteps(plan, filter, queryRows, task.capacity, tile)),
        ...residentChunks(plan).flatMap((chunk, c) => refineSteps(plan, queryRows, task.capacity, chunk, c)),
        ...(ordered?.steps ?? [
          { kind: "download", from: "heads", bytes: queryRows * 8 },
          { kind: "download", from: "candidates", bytes: queryRows * task.capacity * 4 },
          ...(point || keys || problem.keepAll
            ? [{ kind: "download", from: keys ?? "intervals", bytes: queryRows * task.capacity * 8 } as const]
            : []),
        ]),
        ...checkSteps(problem, filter, sides),
      ],
    },
    finish:
      ordered?.finish ??
      (point
        ? {
            kind: "collect",
            rows: task.rows,
            lists: { ...names, intervals: "intervals" },
            rankExponent: filter.rankExponent,
          }
        : {
            kind: "refine",
            rows: task.rows,
            lists: {
              ...names,
              seeds: isSeeded(plan) ? problem.k : 0,
              keys,
              intervals: problem.keepAll && !keys ? "intervals" : undefined,
            },
          }),
    cost: work,
    units: queryRows,
  };
  return plan.stage?.job(job, plan) ?? job;
}

/** Returns the function that makes the steps of an upload. */
function upload(tree: KnnPlan["tree"], trees: KnnPlan["trees"]): typeof uploadRows {
  return tree && trees ? (...rows) => trees.uploadPoints(tree, ...rows) : uploadRows;
}

/** Returns the sides whose rows a job uploads. */
function sidesOf({ layout }: KnnPlan): readonly Side[] {
  return layout?.resident ? ["queries"] : ["train", "queries"];
}

function taskBuffers(
  plan: KnnPlan,
  filter: Filter,
  queryRows: number,
  capacity: number,
  tile: Tile,
): BufferSpec[] {
  const { problem, layout, device, sketch, tree, trees } = plan;
  const stride = strideOf(filter.dims);
  const chunkRows = layout?.chunkRows ?? 0;
  const bytes = knnFilterBytes({ queryRows, refBegin: 0, refRows: chunkRows, stride, capacity });
  const sized = (name: keyof typeof bytes) => ({ name, bytes: bytes[name] });
  const buffers: BufferSpec[] = [
    ...(["queries", "queryMeta", "heads", "candidates"] as const).map(sized),
    ...(tree && !tree.onGpu ? [] : [sized("intervals")]),
    ...(tree && trees ? trees.treeSearchBuffers(tree, queryRows) : []),
    ...(isSeeded(plan) ? [{ name: "bounds", bytes: queryRows * BOUND_BYTES }] : []),
    ...(sketch?.steps.sketchBuffers(sketch, "queries", queryRows) ?? []),
    ...keyBuffers(plan, queryRows, capacity),
  ];
  if (device.kind === "gpu" && !tree) {
    const { references: refRows, group } = tile;
    const { k, keepAll } = problem;
    const scratch = knnFilterScratchBytes({ queryRows, refRows, k, capacity, keepAll, group });
    buffers.push({ name: "scratch", bytes: scratch });
  }
  if (layout && !layout.resident) {
    for (let slot = 0; slot < Math.min(2, layout.chunks); slot++) {
      buffers.push({ name: `refs.${slot}`, bytes: bytes.refs });
      buffers.push({ name: `refMeta.${slot}`, bytes: bytes.refMeta });
    }
  }
  return buffers;
}

/** Makes the filter steps of all references in ascending order, chunk by chunk, tile by tile. */
function filterSteps(plan: KnnPlan, filter: Filter, queryRows: number, capacity: number, tile: Tile): Step[] {
  const { problem, layout, sketch } = plan;
  if (!layout) return [];
  const stride = strideOf(filter.dims);
  return chunksOf(layout, problem.trainRows).flatMap((chunk, c) => {
    const slot = layout.resident ? c : c % 2;
    const steps: Step[] = layout.resident
      ? []
      : uploadRows(problem, filter, "train", chunk, `refs.${slot}`, `refMeta.${slot}`);
    const each = evenly(chunk.end - chunk.begin, tile.references);
    for (let begin = chunk.begin; begin < chunk.end; begin += each) {
      const refRows = Math.min(each, chunk.end - begin);
      const bindings = {
        queries: "queries",
        queryMeta: "queryMeta",
        refs: `refs.${slot}`,
        refMeta: `refMeta.${slot}`,
        heads: "heads",
        candidates: "candidates",
        intervals: "intervals",
      };
      const params = {
        core: filter.core,
        p: filter.p,
        weight: filter.weight,
        slack: filter.slack,
        cut: problem.precision === "float32" || filter.points,
        keepAll: problem.keepAll,
        k: problem.k,
        capacity,
        dims: filter.dims,
        stride,
        queryRows,
        refBegin: begin - chunk.begin,
        refRows,
        refOffset: chunk.begin,
        group: tile.group,
      };
      const cost = queryRows * refRows * stride;
      if (sketch) {
        steps.push(sketch.steps.sketchedFilter(sketch, params, bindings, cost));
      } else {
        const scratch = plan.device.kind === "gpu" ? { scratch: "scratch" } : {};
        const { mixed, power } = filter;
        const use = { bindings: { ...bindings, ...scratch }, cost };
        if (mixed) steps.push(run(knnMixedFilter, { params: { ...params, mixed }, ...use }));
        else if (power) steps.push(run(knnPowerFilter, { params: { ...params, power }, ...use }));
        else steps.push(run(knnFilter, { params, ...use }));
      }
    }
    if (!layout.resident) steps.push(...refineSteps(plan, queryRows, capacity, chunk, slot));
    return steps;
  });
}

/** Cuts references into parts as long as each other, which all take one shader, of at most so many. */
function evenly(count: number, most: number): number {
  return Math.min(most, roundUp(Math.ceil(count / Math.ceil(count / most)), PART_ROWS));
}

const PART_ROWS = 64;

function residentChunks({ layout, problem }: KnnPlan) {
  return layout?.resident ? chunksOf(layout, problem.trainRows) : [];
}

function chunksOf({ chunkRows }: ReferenceLayout, rows: number): Span[] {
  return spans(rows, chunkRows);
}
