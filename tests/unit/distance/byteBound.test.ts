/**
 * The bound of bytes against exact arithmetic of whole numbers: no pair may be ruled out whose distance is
 * within its limit, at the very edge of the interval. What a device computes is written out here with errors
 * that WGSL allows: each step rounded to the nearest float32, always down, or always up.
 */
import { describe, expect, it } from "vitest";
import { boundOf } from "../../../src/distance/bound/bound.ts";
import { byteBoundOf, type ByteBound } from "../../../src/distance/bound/bytes.ts";
import { QueryBytes } from "../../../src/ops/knn/plan/bytes/queries.ts";
import type { HostSource } from "../../../src/runtime/source.ts";
import { printedSeed, Random } from "../../oracle/random.ts";

const random = new Random(printedSeed());

/** A number of at least 2^-300 steps as a whole number of them: all float64 that occur here are. */
const STEP = 300;
function exact(x: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 2047n);
  const fraction = bits & ((1n << 52n) - 1n);
  const whole = exponent === 0 ? fraction : fraction | (1n << 52n);
  const shift = Math.max(exponent, 1) - 1075 + STEP;
  const size = shift >= 0 ? whole << BigInt(shift) : whole >> BigInt(-shift);
  return x < 0 ? -size : size;
}

/** The sum of squares, in steps of 2^-600. */
const squareOf = (row: readonly bigint[]) => row.reduce((sum, x) => sum + x * x, 0n);
const ONE = 1n << BigInt(STEP);

type Round = (x: number) => number;
function next(x: number, direction: 1 | -1): number {
  const words = new Int32Array(1);
  const floats = new Float32Array(words.buffer);
  floats[0] = x;
  if (x === 0) return 0;
  words[0] += x > 0 === direction > 0 ? 1 : -1;
  return floats[0];
}
const rounds: Record<string, Round> = {
  nearest: Math.fround,
  down: (x) => (Math.fround(x) > x ? next(Math.fround(x), -1) : Math.fround(x)),
  up: (x) => (Math.fround(x) < x ? next(Math.fround(x), 1) : Math.fround(x)),
};

interface Quantized {
  readonly bytes: readonly number[];
  readonly length: number;
  readonly loss: number;
  readonly own: number;
}

/** Says whether turning takes the entry of a column with the other sign. */
function isNegated(j: number): boolean {
  return (((Math.imul(Math.floor(j / 16) + 1, 0x9e3779b9) >>> 16) >> (j % 16)) & 1) === 1;
}

/** Turns entries, 16 at a time, as knn_quantize does: pairs 1, 2, 4 and 8 apart, one after the other. */
function turnedBy(entries: readonly number[], f: Round): number[] {
  const turned = Array.from(
    { length: Math.ceil(entries.length / 16) * 16 },
    (_, j) => (isNegated(j) ? -1 : 1) * (entries[j] ?? 0),
  );
  for (const apart of [1, 2, 4, 8])
    for (let j = 0; j < turned.length; j++) {
      if (j & apart) continue;
      const [a, b] = [turned[j], turned[j + apart]];
      [turned[j], turned[j + apart]] = [f(a + b), f(a - b)];
    }
  return turned.map((x) => x / 4);
}

/** Quantizes a row as knn_quantize does. */
function quantized(
  row: readonly number[],
  centre: readonly number[],
  bound: ByteBound,
  f: Round,
  turned = false,
): Quantized {
  const { scale, factor, constant } = bound;
  const inverse = Math.fround(1 / scale);
  const most = Math.fround(127 * scale);
  const room = Math.ceil(row.length / 32) * 32;
  const [lost, enlarge] = [room * 2 ** -125, 1 + (room + 32) * 2 ** -23];
  let [square, loss, spread, length] = [0, 0, 0, 0];
  const moves = row.map((x, j) => {
    const moved = f(x - centre[j]);
    square = f(square + f(x * x));
    spread = f(spread + f(moved * moved));
    return moved;
  });
  const bytes = (turned ? turnedBy(moves, f) : moves).map((moved) => {
    const step = Math.round(f(Math.max(-most, Math.min(most, moved)) * inverse));
    // A device may round the product, too.
    const rest = f(moved - f(scale * step));
    loss = f(loss + f(rest * rest));
    length += step * step;
    return step;
  });
  const steps = (x: number) => f(f(Math.min(x, f(65536 * scale)) * inverse) * (1 + 2 ** -18));
  const rounding = f(2 ** -17 * f(Math.sqrt(f(f(spread + lost) * enlarge))));
  return {
    ...{ bytes, length },
    loss: steps(f(f(Math.sqrt(f(f(loss + lost) * enlarge))) + rounding)),
    own: steps(f(Math.sqrt(f(f(factor * f(f(square + lost) * enlarge)) + constant)))),
  };
}

/** Says whether the loss of a row is at least what quantizing took of it; 2^16 steps stand for more. */
function isCovered(
  row: readonly number[],
  centre: readonly number[],
  { bytes, loss }: Quantized,
  { scale }: ByteBound,
  turned: boolean,
): boolean {
  if (loss >= 65536) return true;
  const moved = bytes.map((_, j) => exact(row[j] ?? 0) - exact(centre[j] ?? 0));
  for (const apart of turned ? [1, 2, 4, 8] : [])
    for (let j = 0; j < moved.length; j++) {
      if (apart === 1 && isNegated(j)) moved[j] = -moved[j];
      if (j & apart)
        [moved[j - apart], moved[j]] = [moved[j - apart] + moved[j], moved[j - apart] - moved[j]];
    }
  // Turned rows are divided by 4, so that all is four times as large here.
  const rest = moved.map((x, j) => (turned ? x : 4n * x) - 4n * exact(scale) * BigInt(bytes[j]));
  return squareOf(rest) * ONE * ONE <= (4n * exact(loss) * exact(scale)) ** 2n;
}

/**
 * Says whether a pair is ruled out, as knn_byte_bounds does.
 * @param usual what quantizing usually takes of a reference, in steps: any number will do
 */
function isOut(
  q: Quantized,
  r: Quantized,
  limit: number,
  { scale }: ByteBound,
  f: Round,
  usual: number,
): boolean {
  const inverse = Math.fround(1 / scale);
  const [UP, FAR] = [1 + 2 ** -16, 32768];
  const whole = (x: number) => Math.floor(Math.min(f(f(x * UP) + 1), 2 ** 30));
  const near = f(Math.min(f(Math.sqrt(Math.max(limit, 0))), f(FAR * scale)) * inverse);
  const root = f(f(Math.sqrt(f(f(near * near) + f(q.own * q.own)))) * UP);
  const beyond = f(root + q.loss);
  const reach = f(beyond + usual);
  const bound = whole(f(reach * reach)) - q.length;
  const [most, mostLoss] = beyond < FAR ? [root, q.loss] : [0, 0];
  const more = Math.max(f(r.loss - usual), 0);
  const crossed = f(f(f(f(most + mostLoss) + usual) * more) + f(r.own * f(mostLoss + r.loss)));
  const lack = f(f(f(r.own * r.own) + f(2 * crossed)) + f(more * more));
  const product = q.bytes.reduce((sum, x, j) => sum + x * r.bytes[j], 0);
  return r.length - whole(lack) - 2 * product > bound;
}

/** The least limit of which the pair may not be ruled out, as a float32 at least as large. */
function edgeOf(q: readonly number[], r: readonly number[], { factor, constant }: ByteBound): number {
  const [a, b] = [q.map(exact), r.map(exact)];
  const distance = squareOf(a.map((x, j) => x - b[j]));
  const halves = exact(factor) * (squareOf(a) + squareOf(b)) + 2n * exact(constant) * ONE * ONE;
  // In steps of 2^-900: distance / (1 + 8u) less the halves.
  const edge = (distance * ONE * (1n << 20n)) / ((1n << 20n) + 1n) - halves;
  const value = Number(edge >> BigInt(STEP)) * 2 ** -300 * 2 ** -300;
  return next(next(Math.fround(value), 1), 1);
}

/** The interval of a pair, as few_bytes makes it. */
function intervalOf(q: Quantized, r: Quantized, { scale }: ByteBound, f: Round): [number, number] {
  const [UP, DOWN] = [1 + 2 ** -16, 1 - 2 ** -16];
  const product = q.bytes.reduce((sum, x, j) => sum + x * (r.bytes[j] ?? 0), 0);
  const root = f(Math.sqrt(f(q.length + r.length - 2 * product)));
  const loss = f(q.loss + r.loss);
  const near = f(Math.max(f(f(root * DOWN) - f(loss * UP)), 0) * scale);
  const far = f(f(f(root + loss) * UP) * scale);
  const spreads = f(f(f(q.own * q.own) + f(r.own * r.own)) * UP);
  const spread = f(f(spreads * f(scale * scale)) + 2 ** -120);
  const most = Math.max(q.loss, r.loss, q.own, r.own);
  const high = most >= 65536 ? 2 ** 126 : f(f(f(far * far) * UP) + spread);
  return [f(f(f(near * near) * DOWN) - spread), high];
}

/** Says whether an interval holds whatever float32 and float64 may make of the distance of a pair. */
function isWide(
  [low, high]: readonly [number, number],
  q: readonly number[],
  r: readonly number[],
  { factor, constant }: ByteBound,
): boolean {
  const [a, b] = [q.map(exact), r.map(exact)];
  const distance = squareOf(a.map((x, j) => x - b[j])) * ONE;
  const halves = exact(factor) * (squareOf(a) + squareOf(b)) + 2n * exact(constant) * ONE * ONE;
  const rest = halves + distance / (1n << 19n);
  const least = distance > rest ? distance - rest : 0n;
  return exact(low) * ONE * ONE <= least && exact(high) * ONE * ONE >= distance + rest;
}

/** A query as the host quantizes it. */
function quantizedByHost(
  row: readonly number[],
  centre: readonly number[],
  bytes: ByteBound,
  turned: boolean,
): Quantized {
  const stride = Math.ceil(row.length / 4) * 4;
  const padded = (entries: readonly number[]) => {
    const all = new Float32Array(stride);
    all.set(entries);
    return all;
  };
  const queries: HostSource = {
    rows: 1,
    rowBytes: () => 4 * stride,
    fill: (_part, _rows, target) => target.set(new Uint8Array(padded(row).buffer)),
  };
  const source = new QueryBytes(queries, { bytes, turned }, padded(centre));
  const made = new Uint8Array(source.rowBytes());
  source.fill("", { begin: 0, end: 1 }, made);
  const facts = new DataView(made.buffer, made.length - 16);
  return {
    bytes: [...new Int8Array(made.buffer, 0, Math.ceil(row.length / (turned ? 16 : 1)) * (turned ? 16 : 1))],
    length: facts.getUint32(0, true),
    loss: facts.getFloat32(4, true),
    own: facts.getFloat32(8, true),
  };
}

/** The entries of column j: of a query (side 1), of a reference (-1), or of the centre (0). */
const kinds: Record<string, (j: number, side: number) => number> = {
  "whole steps": () => Math.round(random.uniform() * 254) - 127,
  uniform: () => random.uniform(),
  "one huge entry": (j) => (j === 0 ? 1e4 * random.uniform() : random.uniform()),
  "far from the centre": () => 100 + random.uniform(),
  subnormal: (j) => (j % 2 ? 1e-40 : random.uniform()),
  "parts of a step": () => Math.round(random.uniform() * 254) / 8,
  // All that either row loses then adds to how far its bytes are from the other's.
  "rounded apart": (_, side) => side * (0.5 + 2 ** -10),
};
/** Kinds of which a step of a byte is 1. */
const STEPS_OF_ONE = ["whole steps", "rounded apart"];

describe("the bound of bytes", () => {
  it.each(["squared", "farthest"] as const)("holds twice the half-width of a pair (%s)", (dot) => {
    for (const dims of [1, 33, 8192]) {
      const problem = { core: "dot", dot, dims, p: 2, rounded: true, largest: 1, underflow: 1e-30 } as const;
      const { productFactor, marginFactor, marginConstant } = boundOf(problem)!;
      const { factor, constant } = byteBoundOf(1, dims, boundOf(problem)!)!;
      expect(exact(factor) * ONE >= exact(productFactor) ** 2n + 2n * exact(marginFactor) * ONE).toBe(true);
      expect(exact(constant) >= 2n * exact(marginConstant)).toBe(true);
      for (const each of [factor, constant]) expect(Math.fround(each)).toBe(each);
    }
  });

  it("has no more columns than sums have room for", () => {
    const bound = boundOf({
      ...{ core: "dot", dot: "squared", dims: 4, p: 2, rounded: false, largest: 1, underflow: 0 },
    })!;
    expect(byteBoundOf(1, 8192, bound)).toBeDefined();
    expect(byteBoundOf(1, 8193, bound)).toBeUndefined();
    expect(4n * 127n * 127n * 8192n).toBeLessThan(2n ** 30n);
  });

  const cases = Object.entries(kinds).flatMap(([name, entry]) =>
    [false, true].map((turned) => ({ name, entry, turned })),
  );
  /** Makes pairs of rows of several widths, some of them near each other. */
  function* pairsOf(name: string, entry: (j: number, side: number) => number, turns: number) {
    for (const dims of [1, 4, 20, 129]) {
      const made = (side: number) => Array.from({ length: dims }, (_, j) => Math.fround(entry(j, side)));
      const bound = byteBoundOf(
        STEPS_OF_ONE.includes(name) ? 127 : 0.5,
        dims,
        boundOf({ core: "dot", dot: "squared", dims, p: 2, rounded: false, largest: 1, underflow: 0 })!,
      )!;
      const centre = name === "whole steps" ? new Array<number>(dims).fill(0) : made(0);
      for (let turn = 0; turn < turns; turn++) {
        const q = made(1);
        const r = turn % 3 ? made(-1) : q.map((x) => Math.fround(x * (1 + 2 ** -12)));
        yield { dims, bound, centre, q, r };
      }
    }
  }

  it.each(cases)("rules out no pair at its edge: $name, turned $turned", ({ name, entry, turned }) => {
    let [seen, ruledOut] = [0, 0];
    for (const { dims, bound, centre, q, r } of pairsOf(name, entry, 60)) {
      const edge = edgeOf(q, r, bound);
      for (const f of Object.values(rounds)) {
        const usually = f(Math.sqrt(dims / 12));
        const [own, other] = [q, r].map((row) => quantized(row, centre, bound, f, turned));
        expect(isCovered(q, centre, own, bound, turned)).toBe(true);
        expect(isCovered(r, centre, other, bound, turned)).toBe(true);
        for (const limit of [edge, next(edge, 1), edge + 0.001 * Math.abs(edge)])
          for (const usual of [0, usually, f(30 * usually)])
            expect(isOut(own, other, limit, bound, f, usual)).toBe(false);
        seen++;
        if (isOut(own, other, 0.9 * edge, bound, f, 0)) ruledOut++;
      }
    }
    // Whole steps lose nothing, so that almost all is known of them.
    if (name === "whole steps" && !turned) expect(ruledOut / seen).toBeGreaterThan(0.5);
  });

  it.each(cases)("holds the distance of each pair: $name, turned $turned", ({ name, entry, turned }) => {
    let [seen, narrow] = [0, 0];
    for (const { bound, centre, q, r } of pairsOf(name, entry, 30)) {
      const host = quantizedByHost(q, centre, bound, turned);
      expect(isCovered(q, centre, host, bound, turned)).toBe(true);
      expect(host.length).toBe(host.bytes.reduce((sum, x) => sum + x * x, 0));
      for (const f of Object.values(rounds)) {
        const interval = intervalOf(host, quantized(r, centre, bound, f, turned), bound, f);
        expect(isWide(interval, q, r, bound)).toBe(true);
        seen++;
        if (interval[1] - interval[0] < 0.1 * interval[1]) narrow++;
      }
    }
    if (name === "whole steps" && !turned) expect(narrow / seen).toBeGreaterThan(0.5);
  });
});
