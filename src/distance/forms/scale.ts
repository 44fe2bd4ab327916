/**
 * This module chooses the powers of two that rows are multiplied by, so that float32 holds what the core of a
 * form makes of them. It is pure. Forms with a scale of their own have it in `OwnRules`.
 */
import type { Form, Scale } from "./form.ts";
import type { PairProblem } from "../problem.ts";
import { exponentOf, clamp } from "../../core/math.ts";

/**
 * Sums in float32 stay below 2 to this power, far from overflow, which leaves the rest of the exponents for
 * small ones.
 */
export const SUM_EXPONENT = 100;

/** Entries of rows with gaps stay below 2^this, which gaps are far above. */
const MIXED_EXPONENT = 48;

/** Queries may be larger than train by so many powers of two before train is scaled anew. */
const QUERY_HEADROOM = 10;

export function scaleOf(problem: PairProblem, form: Form): Scale {
  if (form.mixed?.counts) return countScale;
  switch (form.dot) {
    case "unit":
      return unitScale;
    case "inner":
      return innerScale(problem);
    case "entropy":
      return entropyScale(problem);
    default:
      return differenceScale(problem, form);
  }
}

const countScale: Scale = { train: 0, queries: 0, rank: 0, largest: 24, underflow: 0 };

const unitScale: Scale = { train: 0, queries: 0, rank: 0, largest: 1, underflow: 0 };

function innerScale({ train, queries, cols }: PairProblem): Scale {
  const target = 30;
  const t = train.largest === 0 ? 0 : target - exponentOf(train.largest);
  const q = queries.largest === 0 ? 0 : target - exponentOf(queries.largest);
  return { train: t, queries: q, rank: -(t + q), largest: target, underflow: cols * power(t + q - 1074) };
}

/** Returns the scale of divergences. Rows are scaled, logarithms of queries are not: they are below 2^11. */
function entropyScale({ train, cols }: PairProblem): Scale {
  const target = 30;
  const t = train.largest === 0 ? 0 : target - exponentOf(train.largest);
  return { train: t, queries: 0, facts: t, rank: -t, largest: target, underflow: cols * power(t - 1074) };
}

function differenceScale(
  { train, queries, cols, p }: PairProblem,
  { core, growth, train: rows, mixed }: Form,
): Scale {
  const degree = core === "dot" || core === "l2" ? 2 : core === "lp" ? p : 1;
  const headroom = degree <= 2 ? QUERY_HEADROOM : 0;
  const room = Math.floor((SUM_EXPONENT - Math.ceil(Math.log2(cols))) / degree) - 2;
  const largest = clamp(room, -60, mixed ? MIXED_EXPONENT : 60);
  const magnitude = Math.max(exponentOf(train.largest), exponentOf(queries.largest) - headroom);
  const most = mixed ? Math.floor((room * degree - Math.log2(mixed.unit || 1)) / degree) : Infinity;
  const exponent = Math.min(magnitude === -Infinity ? 0 : largest - headroom - magnitude, most);
  // What a power loses is weighted afterwards, and the weighting may lose as much again.
  const loses = degree !== 1 || rows.kind === "weighted";
  const underflow = loses ? cols * power(exponent * degree - 1074) * (1 + growth ** degree) : 0;
  return { train: exponent, queries: exponent, rank: -exponent * degree, largest, underflow };
}

/** Returns 2^e, and saturates instead of asking for an exponent that no float64 has. */
function power(e: number): number {
  return e > 1023 ? Infinity : e < -1074 ? 0 : 2 ** e;
}

/**
 * Says whether distances may overflow: among infinite distances only float64 itself can tell which rows tie.
 */
export function mayOverflow({ train, queries, cols, p }: PairProblem, { dot, mixed }: Form): boolean {
  if (dot === "unit" || dot === "entropy" || mixed?.counts) return false;
  if (!Number.isFinite(train.largest) || !Number.isFinite(queries.largest)) return true;
  const t = exponentOf(train.largest);
  const q = exponentOf(queries.largest);
  const degree = p === Infinity ? 1 : Math.max(p, 1);
  const product = dot === "inner" ? t + q : degree * (Math.max(t, q) + 1);
  return product + Math.ceil(Math.log2(cols)) + 1 >= 1020;
}

/** Float32 holds the squares of values with these binary exponents unscaled, with room to spare. */
export const UNSCALED = { least: -20, most: 20 };

export function squaresAsTheyAre(cols: number): Scale {
  const largest = UNSCALED.most + Math.ceil(Math.log2(cols));
  return { train: 0, queries: 0, rank: 0, largest, underflow: cols * power(-1074) };
}
