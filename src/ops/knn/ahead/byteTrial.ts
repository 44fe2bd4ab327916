/**
 * This finds out whether a device reads bytes for few queries as it must, once for each backend: it searches
 * made-up rows by bytes and by float32, whose lists must be the same.
 */
import { byteBoundOf } from "../../../distance/bound/bytes.ts";
import type { Backend, Step } from "../../../runtime/backend.ts";
import { run } from "../../../runtime/primitive.ts";
import { rowAt, rowCount, type HostSource } from "../../../runtime/source.ts";
import { knnFewScratchBytes } from "../contract/few.ts";
import { knnQueryBytes, knnRefBytes } from "../contract/fewBytes.ts";
import { knnFilterBytes } from "../contract/filter.ts";
import { knnFewByteFilter, knnFewFilter, knnQuantize } from "../fewPrimitive.ts";
import { bindings, boundFor, listsOf, madeUp, paramsOf, sameLists, uploads } from "../gpu/made.ts";
import { QueryBytes } from "../plan/bytes/queries.ts";

/** A single query and several have kernels of their own. */
const COUNTS = [1, 9];
const QUERIES = 9;
/** There must be many more spans than neighbours, or all groups are compared whatever bytes say. */
const REFS = 16_384;
const DIMS = 32;
/** No entry of a turned row is larger, or hardly any. */
const LARGEST = 1.25;

const verdicts = new WeakMap<Backend, Promise<boolean>>();

/** Tells whether bytes leave the lists that float32 leaves. A device is tried again where a trial failed. */
export function readsBytesRightly(backend: Backend): Promise<boolean> {
  const known = verdicts.get(backend) ?? tryBytes(backend);
  verdicts.set(backend, known);
  known.catch(() => verdicts.delete(backend));
  return known;
}

/** Tells it anew. @param filter the primitive that reads bytes, which a test replaces */
export async function tryBytes(backend: Backend, filter = knnFewByteFilter): Promise<boolean> {
  const how = { bytes: byteBoundOf(LARGEST, DIMS, boundFor(DIMS))!, turned: true };
  const made = madeUp(DIMS, REFS + QUERIES);
  const queryBytes = new QueryBytes(rowsFrom(made, REFS), how, new Float32Array(DIMS));
  const session = await backend.open(buffers());
  try {
    const quantized = { refs: "refs", byteCentre: "byteCentre", quantized: "refBytes" };
    const quantize = run(knnQuantize, {
      params: { ...how, dims: DIMS, stride: DIMS, refRows: REFS },
      bindings: quantized,
      cost: 0,
    });
    const steps: Step[] = [
      {
        ...{ kind: "upload", to: "queryBytes", source: "queryBytes", part: "" },
        rows: { begin: 0, end: QUERIES },
      },
      ...uploads(QUERIES, REFS),
      quantize,
    ];
    await session.run({ label: "made-up rows", buffers: [], steps }, { made, queryBytes });
    for (const queries of COUNTS) {
      const params = paramsOf({ dims: DIMS, queries, refs: REFS });
      const byRows = run(knnFewFilter, { params, bindings, cost: 0 });
      const byBytes = run(filter, {
        params: { ...params, scale: how.bytes.scale, heldRows: REFS },
        bindings: { ...bindings, refBytes: "refBytes", queryBytes: "queryBytes" },
        cost: 0,
      });
      const rowLists = await listsOf(session, queries, byRows);
      if (!sameLists(rowLists, await listsOf(session, queries, byBytes))) return false;
    }
    return true;
  } finally {
    session.dispose();
  }
}

function buffers() {
  const params = paramsOf({ dims: DIMS, queries: QUERIES, refs: REFS });
  const sizes = {
    ...knnFilterBytes(params),
    scratch: knnFewScratchBytes(params),
    byteCentre: DIMS * 4,
    refBytes: knnRefBytes(REFS, DIMS),
    queryBytes: QUERIES * knnQueryBytes(DIMS),
  };
  return Object.entries(sizes).map(([name, bytes]) => ({ name, bytes }));
}

/** Returns the rows of a source from one on. */
function rowsFrom(source: HostSource, first: number): HostSource {
  return {
    rows: source.rows - first,
    rowBytes: (part) => source.rowBytes(part),
    fill(part, rows, target) {
      const moved = Uint32Array.from({ length: rowCount(rows) }, (_, i) => first + rowAt(rows, i));
      source.fill(part, moved, target);
    },
  };
}
