/**
 * This module measures how many times as fast as in float32 a device compares rows by bytes, once for each
 * width of rows. It runs the kernels themselves on made-up rows (gpu/made.ts), in some milliseconds. The
 * lists that both leave are compared, so that a device whose bytes are wrong is found out. What follows from
 * a rate is plan/bytes/choose.ts, who asks for one ahead/bytesFirst.ts.
 */
import { isNearfieldError } from "../../../../core/errors.ts";
import { byteBoundOf } from "../../../../distance/bound/bytes.ts";
import type { Backend, Session, Step } from "../../../../runtime/backend.ts";
import { run } from "../../../../runtime/primitive.ts";
import { knnByteFilter } from "../../bytePrimitive.ts";
import { knnByteWords, knnQuantizedBytes } from "../../contract/bytes.ts";
import { knnFilterBytes, knnFilterScratchBytes } from "../../contract/filter.ts";
import { knnFilter } from "../../primitives.ts";
import {
  bindings,
  boundFor,
  clearLists,
  listsOf,
  madeUp,
  paramsOf,
  sameLists,
  uploads,
  type FilterLists,
  type MadeShape,
} from "../made.ts";

/** A device compares rows this much faster by bytes first, and by this means. */
export interface ByteRate {
  /** Float32 takes this many times as long as bytes; 0 where bytes are wrong or not there. */
  readonly times: number;
  readonly by: "matrix units" | "packed products";
}

/** A measurement has these sizes; it subtracts the times of two numbers of references. */
export interface RateSizes {
  readonly queries: number;
  readonly refs: readonly [fewer: number, more: number];
  /** This many calls are timed together, this often, and the least time counts. */
  readonly calls: number;
  readonly runs: number;
}

/**
 * The first 4096 references are compared in float32 always. The others are one window of either size, so that
 * both take as long to record, which the difference cancels; a call is long beside that.
 */
const SIZES: RateSizes = { queries: 4096, refs: [8192, 65_536], calls: 4, runs: 4 };
/** `calls` are for rows of this many columns: of narrower rows there are more. */
const COLUMNS = 128;
/** A device is timed with this few queries where more of them take longer than LONG_MS. */
const FEW_QUERIES = 128;
const LONG_MS = 20;
/** From this many columns on, rows do not fit the registers of matrix units, and all are alike. */
const MOST_COLUMNS = 160;
/** Matrix units below this rate may be slower than packed products. */
const CLEAR = 1.5;

const known = new WeakMap<Backend, Map<number, Promise<ByteRate>>>();

/** Returns the rate of rows of that many columns where it was measured, or was assumed. */
export function knownByteRate(backend: Backend, dims: number): Promise<ByteRate> | undefined {
  return known.get(backend)?.get(columnsFor(dims));
}

/** Takes a device to have this rate, which is then not measured: tests choose stages so. */
export function assumeByteRate(backend: Backend, rate: ByteRate): void {
  const rates = new Map<number, Promise<ByteRate>>();
  for (let columns = 32; columns <= MOST_COLUMNS; columns += 32) rates.set(columns, Promise.resolve(rate));
  known.set(backend, rates);
}

/** Returns the rate of rows of that many columns, which is measured when first asked for. */
export function byteRate(backend: Backend, dims: number): Promise<ByteRate> {
  const rates = known.get(backend) ?? new Map<number, Promise<ByteRate>>();
  known.set(backend, rates);
  const columns = columnsFor(dims);
  const measured = rates.get(columns) ?? measureByteRate(backend, columns);
  rates.set(columns, measured);
  // A device that was lost or too full is asked again.
  measured.catch(() => rates.delete(columns));
  return measured;
}

function columnsFor(dims: number): number {
  return Math.min(MOST_COLUMNS, 4 * knnByteWords(dims));
}

/**
 * Measures the rate: that of matrix units where the device has them and they are fast, else the better one.
 * @param filter the primitive that compares bytes, which a test replaces
 */
export async function measureByteRate(
  backend: Backend,
  dims: number,
  sizes: RateSizes = SIZES,
  filter: typeof knnByteFilter = knnByteFilter,
): Promise<ByteRate> {
  if (!(await compilesPackedProducts(backend))) return { times: 0, by: "packed products" };
  const hasMatrices = (await backend.traits?.())?.byteMatrices === true;
  const session = await backend.open(buffersOf(dims, sizes));
  try {
    const made = madeUp(dims, sizes.queries + sizes.refs[1]);
    await session.run(
      { label: "made-up rows", buffers: [], steps: uploads(sizes.queries, sizes.refs[1]) },
      { made },
    );
    const shape = { dims, queries: await queriesFor(session, dims, sizes, plain) };
    const timesBy = (packed: boolean) =>
      timesOf(session, shape, sizes, plain, bytesFirst(packed, filter)).catch(unlessFault);
    const matrix = hasMatrices ? await timesBy(false) : 0;
    const packed = matrix < CLEAR ? await timesBy(true) : 0;
    return matrix > packed ? { times: matrix, by: "matrix units" } : { times: packed, by: "packed products" };
  } finally {
    session.dispose();
  }
}

/** Says for which widths of rows the shaders of a measurement are there, or are being compiled. */
const ready = new WeakMap<Backend, Map<number, boolean>>();

/**
 * Tells whether a measurement for rows of that many columns finds its shaders there. When first asked, it has
 * them compiled, which takes some drivers seconds. Packed products are left out where there are matrix units,
 * since they are hardly ever measured then.
 */
export function isReadyToMeasure(backend: Backend, dims: number): boolean {
  const columns = columnsFor(dims);
  const known = ready.get(backend) ?? new Map<number, boolean>();
  ready.set(backend, known);
  if (!known.has(columns)) {
    known.set(columns, false);
    // The measurement finds again what does not compile.
    const whenDone = () => void known.set(columns, true);
    compileFor(backend, columns).then(whenDone, whenDone);
  }
  return known.get(columns) === true;
}

async function compileFor(backend: Backend, dims: number): Promise<void> {
  if (!(await compilesPackedProducts(backend))) return;
  const packed = (await backend.traits?.())?.byteMatrices !== true;
  const steps = [SIZES.queries, FEW_QUERIES].flatMap((queries) =>
    SIZES.refs.flatMap((refs) =>
      [plain, bytesFirst(packed, knnByteFilter)].map((step) => step({ dims, queries, refs })),
    ),
  );
  await backend.compileAhead?.({ label: "rate of bytes", buffers: [], steps }, true).done;
}

/**
 * Tells whether shaders have products of four bytes. A device does not tell, so that its compiler is asked,
 * once.
 */
export function compilesPackedProducts(backend: Backend): Promise<boolean> {
  const asked = packedProducts.get(backend) ?? askForPackedProducts(backend);
  packedProducts.set(backend, asked);
  // A device that was lost is asked again.
  asked.catch(() => packedProducts.delete(backend));
  return asked;
}

const packedProducts = new WeakMap<Backend, Promise<boolean>>();

async function askForPackedProducts(backend: Backend): Promise<boolean> {
  const code = "@compute @workgroup_size(1) fn main() { _ = dot4I8Packed(1u, 1u); }";
  const found = backend.onDevice?.((device) => {
    device.pushErrorScope("validation");
    device.createShaderModule({ code });
    return device.popErrorScope();
  });
  return found !== undefined && (await found) === null;
}

/** Returns zero for a kernel that a driver does not take, and throws any other error. */
function unlessFault(error: unknown): number {
  if (!isNearfieldError(error, "Device")) throw error;
  return 0;
}

const byteBindings = { ...bindings, byteCentre: "byteCentre", quantized: "quantized" };

type Call = (shape: MadeShape) => Step;

const plain: Call = (shape) => run(knnFilter, { params: paramsOf(shape), bindings, cost: 0 });

function bytesFirst(packed: boolean, filter: typeof knnByteFilter): Call {
  return (shape) => {
    const bytes = byteBoundOf(0.5, shape.dims, boundFor(shape.dims))!;
    return run(filter, { params: { ...paramsOf(shape), bytes, packed }, bindings: byteBindings, cost: 0 });
  };
}

/** Returns how many queries are timed: fewer for a slow device. */
async function queriesFor(session: Session, dims: number, { queries, refs }: RateSizes, call: Call) {
  const few = Math.min(queries, FEW_QUERIES);
  const step = call({ dims, queries: few, refs: refs[1] });
  await msOf(session, step, 1);
  return (await msOf(session, step, 1)) > LONG_MS ? few : queries;
}

/**
 * Returns how many times as long float32 takes as bytes, for the references that one size has more than the
 * other; zero where the lists differ. Both take turns, since the clock of a device rises while it works.
 */
async function timesOf(
  session: Session,
  shape: Omit<MadeShape, "refs">,
  { refs, calls, runs }: RateSizes,
  plain: Call,
  bytes: Call,
): Promise<number> {
  const steps = [plain, bytes].map((call) => refs.map((count) => call({ ...shape, refs: count })));
  const times = calls * Math.max(1, Math.floor(COLUMNS / shape.dims));
  const lists: FilterLists[] = [];
  for (const [fewer, more] of steps) {
    await msOf(session, fewer, 1);
    lists.push(await listsOf(session, shape.queries, more));
  }
  if (!sameLists(lists[0], lists[1])) return 0;
  const least = steps.map(([fewer, more]) => [fewer, more].map(() => Infinity));
  for (let turn = 0; turn < runs; turn++)
    for (const [stage, sizes] of steps.entries())
      for (const [size, step] of sizes.entries())
        least[stage][size] = Math.min(least[stage][size], await msOf(session, step, times));
  const [float32, byBytes] = least.map(([fewer, more]) => Math.max(more - fewer, 0.01));
  return float32 / byBytes;
}

/** Returns the milliseconds of some calls. They have no cost, so that they are one submit. */
async function msOf(session: Session, step: Step, calls: number): Promise<number> {
  const steps = Array.from({ length: calls }, () => [clearLists, step]).flat();
  const end: Step = { kind: "download", from: "heads", bytes: 4 };
  return (await session.run({ label: "rate of bytes", buffers: [], steps: [...steps, end] }, {})).ms;
}

function buffersOf(dims: number, { queries, refs }: RateSizes) {
  const [fewer, more] = refs.map((count) => paramsOf({ dims, queries, refs: count }));
  const sizes = {
    ...knnFilterBytes(more),
    scratch: Math.max(knnFilterScratchBytes(fewer), knnFilterScratchBytes(more)),
    byteCentre: dims * 4,
    quantized: knnQuantizedBytes(more),
  };
  return Object.entries(sizes).map(([name, bytes]) => ({ name, bytes }));
}
