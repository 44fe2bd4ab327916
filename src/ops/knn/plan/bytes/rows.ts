/**
 * Plans searches of rows that are bytes on both sides: they stay bytes from an array or a file to the device,
 * where squared distances are whole numbers, so that the k nearest are known at once and nothing is left to
 * evaluate. What takes such rows, and why it may, is in gpu/bytes/rows.ts. Rows of other types, metrics that
 * are no such sum, and a device without packed products are not its matter.
 */
import { fetchOf, type Fetch, type FetchableRows } from "../../../../core/fetchable.ts";
import { clamp, spans, type Span } from "../../../../core/math.ts";
import type { Matrix } from "../../../../core/matrix.ts";
import { mayRefine } from "../../../../distance/forms/preparers.ts";
import { layoutBytes, layoutReferences, type ReferenceLayout } from "../../../../distance/layout.ts";
import { strideOf } from "../../../../distance/rows/preparation.ts";
import type { Step } from "../../../../runtime/backend.ts";
import { run } from "../../../../runtime/primitive.ts";
import {
  rowAt,
  rowCount,
  type BufferSpec,
  type HostSource,
  type RowSet,
} from "../../../../runtime/source.ts";
import { FetchedRows } from "./fetchedRows.ts";
import { knnByteRows, knnByteOrder, knnTakeBytes } from "../../byteRowsPrimitives.ts";
import { knnByteRoomBytes, MOST_BYTE_COLUMNS } from "../../contract/byteRows.ts";
import { knnByteWords, knnQuantizedBytes, knnQuantizedPlaces } from "../../contract/bytes.ts";
import { knnFirstRows } from "../../contract/filter.ts";
import type { ByteRate } from "../../gpu/bytes/rate.ts";
import type { Tile } from "../tile.ts";
import type { KnnJob, KnnPlan, PrefilterStage } from "../knnPlan.ts";
import { countsOf } from "../lists.ts";
import { isSquared } from "./choose.ts";
import { collectBytes } from "./collect.ts";

/** From this many values of train on it matters how they come to the device. */
const LEAST_VALUES = 2 ** 20;
/**
 * The host reads the neighbours of one job while the device does the next one. So a job has at most
 * NEIGHBOURS / k queries. From WORTH_HALVING neighbours on it has half of the queries that are left. It has
 * no fewer queries than LEAST_QUERIES for that, and no more than MOST_BYTE_QUERIES.
 */
const NEIGHBOURS = 2 ** 22;
const WORTH_HALVING = 2 ** 19;
const LEAST_QUERIES = 1024;
export const MOST_BYTE_QUERIES = 2 ** 14;
/**
 * To sort a neighbour takes as long as so many multiply-adds of bytes: on one H100 0.11 ns, where 10,000
 * queries do a multiply-add in 8e-6 ns.
 */
const SORT_COST = 2 ** 14;
/** A dispatch has at least this many references. */
const LEAST_REFERENCES = 64;

/** These rows had more pairs pass than there was room for, since they come in an order. */
const ordered = new WeakSet<Matrix | FetchableRows>();

/** Tells whether a search found rows of bytes in such an order. */
export function isOrdered(rows: Matrix | FetchableRows): boolean {
  return ordered.has(rows);
}

/** A device has room for rows of bytes in this way. */
export interface ByteRoom {
  /** Rows are cut so, and rows of train take so many bytes each. */
  readonly layout: ReferenceLayout & { readonly rowBytes: number };
  /** The bytes of references take so many on the device. */
  readonly held: number;
  /** Each query takes so many, and at most so many queries go at a time. */
  readonly queryBytes: number;
  readonly mostQueries: number;
}

/**
 * Returns the room for rows of bytes on a device that has packed products; undefined where they must become
 * float32.
 * @param train rows in memory, or where they can be fetched from, whose columns are a multiple of four then
 */
export function byteRoomOf(
  plan: KnnPlan,
  train: Matrix | FetchableRows,
  queries: Matrix,
): ByteRoom | undefined {
  const { technique, problem, device, caps, layout } = plan;
  const { metric, options, k, cols, keepAll } = problem;
  const type: unknown = "data" in train ? train.data.constructor : train.type;
  const asked = caps.bytes === true;
  const mayTake = asked || (caps.bytes !== false && !device.software && train.rows * cols >= LEAST_VALUES);
  if (!mayTake || !layout || keepAll || plan.tree || ordered.has(train)) return undefined;
  if (type !== queries.data.constructor || cols > MOST_BYTE_COLUMNS) return undefined;
  if (!isSquared(technique) || !mayRefine({ ...options, metric })) return undefined;
  if (problem.trainRows <= knnFirstRows(k)) return undefined;
  const words = knnByteWords(cols);
  const chunk = Math.floor(device.bufferBytes / 2 / (4 * words + 16));
  const rowBytes = strideOf(cols);
  const listBytes = knnByteRoomBytes(1, k);
  const queryBytes = rowBytes + 4 * words + 40 + k * 20 + listBytes;
  const rows = layoutReferences(problem.trainRows, rowBytes / 4, 4 * words, device, plan.budget, {
    chunk: Math.min(caps.chunk ?? Infinity, chunk),
  });
  const held = knnQuantizedBytes({ queryRows: 128, refRows: rows.chunkRows, dims: cols });
  const room = plan.budget - held - layoutBytes({ ...rows, rowBytes }, problem.trainRows, 0);
  // Lists of pairs are in one buffer, and the bytes of queries in that of the references.
  const mostQueries = Math.min(
    device.bufferBytes / listBytes,
    (device.bufferBytes - held) / (4 * words + 16),
  );
  if (Math.min(room / queryBytes, mostQueries) < 1) return undefined;
  return { layout: { ...rows, rowBytes }, held, queryBytes, mostQueries };
}

/**
 * Returns the plan for rows that are bytes, for which there is room.
 * @param by makes their sums
 */
export function withByteRows(
  plan: KnnPlan,
  train: Matrix | FetchableRows,
  queries: Matrix,
  { layout: rows, held, queryBytes, mostQueries }: ByteRoom,
  by: ByteRate["by"],
): KnnPlan {
  const { technique, problem, caps, layout } = plan;
  const { k } = problem;
  const { rowBytes } = rows;
  return {
    ...plan,
    technique: { ...technique, why: `${technique.why}; rows are bytes, whose sums are exact` },
    layout: rows,
    stage: {
      says: caps.bytes === true ? " of whole bytes" : `, by ${by} of bytes`,
      rated: "bytes",
      sources: {
        trainBytes: "data" in train ? new ByteRows(train) : new FetchedRows(train, 1),
        queryBytes: new ByteRows(queries),
      },
      heldBytes: held,
      queryBytes: 0,
      ...(rows.resident && { resident: residentOf(chunksOf(rows, problem), rowBytes) }),
      tile: ({ queries: wanted }, free, work) => {
        const fitting = Math.min(free / queryBytes, mostQueries);
        // References that come by do so once for the queries of a job.
        const most = rows.resident ? byteQueries(wanted, k) : MOST_BYTE_QUERIES;
        const taken = Math.min(wanted, caps.queries ?? most, most, Math.floor(fitting));
        const inTime = Math.max(LEAST_REFERENCES, Math.floor(work / rowBytes / taken));
        const references = Math.min(rows.chunkRows, caps.references ?? Infinity, inTime);
        return { queries: taken, references, group: 0 };
      },
      job: (job, now) => byteJob(job, now, queries.data instanceof Int8Array, by),
      after() {
        return this;
      },
      revised(before, { downloads }) {
        if (!countsOf(downloads.get("heads")).some((count) => count > k)) return {};
        ordered.add(train);
        return { stage: undefined, layout, todo: before.todo };
      },
    },
  };
}

/** This holds rows of bytes as they are, each filled up to whole words with what stands for zero. */
class ByteRows implements HostSource {
  readonly rows: number;
  readonly #matrix: Matrix;
  readonly #bytes: Uint8Array;
  readonly #width: number;

  constructor(matrix: Matrix) {
    const { data, rows, cols } = matrix;
    this.rows = rows;
    this.#matrix = matrix;
    this.#bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.#width = strideOf(cols);
  }

  rowBytes(): number {
    return this.#width;
  }

  fill(_part: string, rows: RowSet, target: Uint8Array): void {
    const { cols, data } = this.#matrix;
    if ("begin" in rows && cols === this.#width) {
      return target.set(this.#bytes.subarray(rows.begin * cols, rows.end * cols));
    }
    target.fill(data instanceof Int8Array ? 0 : 128);
    for (let i = 0; i < rowCount(rows); i++) {
      const begin = rowAt(rows, i) * cols;
      target.set(this.#bytes.subarray(begin, begin + cols), i * this.#width);
    }
  }

  fetcher(_part: string, rows: RowSet): Fetch | undefined {
    const { data, cols } = this.#matrix;
    const fetch = fetchOf(data);
    if (!fetch || cols !== this.#width || !("begin" in rows)) return undefined;
    return (target, begin) => fetch(target, rows.begin * cols + begin);
  }
}

/** Returns how many of the queries that are left a job has at most, where references stay on the device. */
export function byteQueries(left: number, k: number): number {
  const share = left * k >= WORTH_HALVING ? Math.ceil(left / 2) : left;
  return clamp(Math.min(share, Math.floor(NEIGHBOURS / k)), LEAST_QUERIES, MOST_BYTE_QUERIES);
}

function chunksOf({ chunkRows }: ReferenceLayout, { trainRows }: Pick<KnnPlan["problem"], "trainRows">) {
  return spans(trainRows, chunkRows);
}

/** Returns the buffers of rows that stay, and the segment that fills them. */
function residentOf(chunks: readonly Span[], rowBytes: number): NonNullable<PrefilterStage["resident"]> {
  return {
    buffers: chunks.map(({ begin, end }, c) => refsBuffer(c, (end - begin) * rowBytes)),
    segment: {
      label: "train",
      buffers: [],
      steps: chunks.map((span, c) => uploadStep("train", span, `refs.${c}`)),
    },
  };
}

function refsBuffer(slot: number, bytes: number): BufferSpec {
  return { name: `refs.${slot}`, bytes };
}

function uploadStep(side: "train" | "query", rows: RowSet, to: string): Step {
  return { kind: "upload", to, source: `${side}Bytes`, part: "", rows };
}

/** Makes the job of the same queries and tiles over bytes. */
function byteJob(job: KnnJob, plan: KnnPlan, signed: boolean, by: ByteRate["by"]): KnnJob {
  const { tile, task } = job;
  const { problem, layout } = plan;
  if (!tile || !layout) return job;
  const { k, cols: dims } = problem;
  const queryRows = rowCount(task.rows);
  const sizes = { queryRows, refRows: tile.references, dims };
  const stride = strideOf(dims);
  const places = knnQuantizedPlaces(sizes);
  const take = (rows: string, first: number, count: number, vectors: number, facts: number) =>
    run(knnTakeBytes, {
      params: { dims, first, count, signed, bytes: 4 * vectors, facts: 4 * facts },
      bindings: { rows, quantized: "quantized" },
      cost: count * stride,
    });
  const ofTile = (slot: number, chunk: number, begin: number, refRows: number): Step[] => {
    return [
      take(`refs.${slot}`, begin - chunk, refRows, 0, places.refFacts),
      run(knnByteRows, {
        params: {
          k,
          capacity: k,
          dims,
          queryRows,
          refRows,
          refOffset: begin,
          packed: by === "packed products",
          held: sizes.refRows,
        },
        bindings: {
          ...{ queryMeta: "queryMeta", heads: "heads", candidates: "candidates", intervals: "intervals" },
          ...{ scratch: "scratch", quantized: "quantized" },
        },
        cost: queryRows * refRows * stride,
      }),
    ];
  };
  const buffers: BufferSpec[] = [
    { name: "rows", bytes: queryRows * stride },
    { name: "queryMeta", bytes: queryRows * 16 },
    { name: "heads", bytes: queryRows * 8 },
    { name: "candidates", bytes: queryRows * k * 4 },
    { name: "intervals", bytes: queryRows * k * 8 },
    { name: "scratch", bytes: knnByteRoomBytes(queryRows, k) },
    { name: "nearRows", bytes: queryRows * k * 4 },
    { name: "nearSums", bytes: queryRows * k * 4 },
    { name: "quantized", bytes: knnQuantizedBytes(sizes) },
  ];
  const chunks = chunksOf(layout, problem);
  if (!layout.resident)
    for (let slot = 0; slot < Math.min(2, chunks.length); slot++)
      buffers.push(refsBuffer(slot, layout.chunkRows * stride));
  return {
    ...job,
    segment: {
      label: `${queryRows} queries of bytes`,
      buffers,
      steps: [
        uploadStep("query", task.rows, "rows"),
        take("rows", 0, queryRows, places.queryBytes, places.queryFacts),
        { kind: "clear", buffer: "heads" },
        ...chunks.flatMap(({ begin, end }, c): Step[] => {
          const slot = layout.resident ? c : c % 2;
          return [
            ...(layout.resident ? [] : [uploadStep("train", { begin, end }, `refs.${slot}`)]),
            ...tilesOf(tile, begin, end).flatMap((span) =>
              ofTile(slot, begin, span.begin, span.end - span.begin),
            ),
          ];
        }),
        run(knnByteOrder, {
          params: { queryRows, k },
          bindings: {
            ...{ candidates: "candidates", intervals: "intervals", scratch: "scratch" },
            ...{ nearRows: "nearRows", nearSums: "nearSums" },
          },
          cost: queryRows * k * SORT_COST,
        }),
        { kind: "download", from: "heads", bytes: queryRows * 8 },
        { kind: "download", from: "nearRows", bytes: queryRows * k * 4 },
        { kind: "download", from: "nearSums", bytes: queryRows * k * 4 },
      ],
    },
    finish: { kind: "ordered", rows: task.rows, collect: collectBytes },
  };
}

/** Cuts references [begin, end) into those that a tile has at a time. */
function tilesOf({ references }: Tile, begin: number, end: number): Span[] {
  return spans(end - begin, references).map((span) => ({ begin: begin + span.begin, end: begin + span.end }));
}
