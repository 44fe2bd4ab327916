/**
 * A device that computes in float32 as badly as WGSL allows: every operation rounds to either neighbour, sums
 * run in any order, products may be fused into them, subnormals may be flushed, pow errs as exp2(p log2 x)
 * may. Written from the WGSL specification's table of accuracy, not from src/distance/bound/bound.ts, which
 * it is there to test.
 */
import type { DistanceCore } from "../../../src/ops/knn/contract/filter.ts";
import type { PairMixed } from "../../../src/distance/contract/mixed.ts";
import type { PairPower } from "../../../src/distance/contract/power.ts";
import type { PrepareParams } from "../../../src/distance/contract/prepare.ts";
import type { Random } from "../../oracle/random.ts";

export const roundings = ["nearest", "up", "down", "towardsZero", "awayFromZero", "random"] as const;
export type Rounding = (typeof roundings)[number];

export interface Habits {
  readonly rounding: Rounding;
  readonly fused: boolean;
  readonly flush: boolean;
  readonly order: "ascending" | "descending" | "tree";
}

export interface PairParams {
  readonly core: DistanceCore;
  readonly p: number;
  readonly weight: number;
  readonly slack: number;
  readonly power?: PairPower | undefined;
  /** Of numbers with gaps; codes and marks are not emulated. */
  readonly mixed?: PairMixed | undefined;
}

const ULP = 2 ** -23;
const SMALLEST_NORMAL = 2 ** -126;

export class Device32 {
  readonly #habits: Habits;
  readonly #random: Random;

  constructor(habits: Habits, random: Random) {
    this.#habits = habits;
    this.#random = random;
  }

  /** [low, high, value] as knn.filter describes them; meta is base, product, margin. */
  interval(params: PairParams, q: Float32Array, r: Float32Array, qMeta: Float32Array, rMeta: Float32Array) {
    const value = this.#value(params, q, r, qMeta[0], rMeta[0]);
    const parts = [
      this.#mul(Math.fround(params.slack), Math.abs(value)),
      this.#mul(qMeta[1], rMeta[1]),
      qMeta[2],
      rMeta[2],
    ];
    const half = this.#sum(parts.map((part) => [part, 1] as const));
    return { value, half, low: this.#round(value - half), high: this.#round(value + half) };
  }

  /**
   * Returns a row as distance.prepare leaves it: 16 lanes take every 16th vector of four entries each, and a
   * tree joins their sums.
   */
  prepare(params: PrepareParams, x: Float32Array, centre: Float32Array) {
    const values = Float32Array.from(x, (entry, j) => {
      const moved = this.#round(this.#flush(entry) - this.#flush(centre[j]));
      return this.#round(moved * 2 ** params.exponent);
    });
    const lanes = Array.from({ length: 16 }, (_, lane) =>
      this.#power(
        params.core,
        Array.from(values).filter((_entry, j) => (j >> 2) % 16 === lane),
      ),
    );
    for (let half = 8; half > 0; half >>= 1) {
      for (let lane = 0; lane < half; lane++) {
        const [a, b] = [lanes[lane], lanes[lane + half]];
        lanes[lane] = params.core === "linf" ? Math.max(a, b) : this.#round(a + b);
      }
    }
    const squares = params.core === "dot" || params.core === "l2";
    const norm = squares ? this.#round(Math.sqrt(lanes[0]) * (1 + 4 * ULP * this.#drift())) : lanes[0];
    const meta = Float32Array.of(
      this.#round(params.baseFactor * lanes[0]),
      this.#mul(params.productFactor, norm),
      this.#sum([
        [params.marginFactor, lanes[0]],
        [params.marginConstant, 1],
      ]),
    );
    return { values, meta };
  }

  #power(core: DistanceCore, entries: readonly number[]): number {
    if (core === "linf") return Math.max(0, ...entries.map(Math.abs));
    return this.#sum(
      entries.map((entry) => (core === "l1" ? ([Math.abs(entry), 1] as const) : ([entry, entry] as const))),
    );
  }

  #flush(value: number): number {
    return this.#habits.flush && Math.abs(value) < SMALLEST_NORMAL ? 0 : value;
  }

  #value(params: PairParams, q: Float32Array, r: Float32Array, qBase: number, rBase: number): number {
    const { mixed } = params;
    if (!mixed) return this.#sumOf(params, q, r, qBase, rBase);
    const isCommon = (_: number, j: number) => Math.abs(q[j] - r[j]) < 2 ** 61;
    const sum = this.#sumOf(params, q.filter(isCommon), r.filter(isCommon), 0, 0);
    if (!mixed.columns) return sum;
    const common = bitsIn(qBase & rBase);
    const factor = this.#round((mixed.columns / common) * (1 + 2.5 * ULP * this.#drift()));
    return common === 0 ? 2 ** 120 : this.#mul(sum, factor);
  }

  #sumOf(
    { core, p, weight, power }: PairParams,
    q: Float32Array,
    r: Float32Array,
    qBase: number,
    rBase: number,
  ): number {
    const differences = Array.from(q, (value, j) => Math.abs(this.#round(value - r[j])));
    switch (core) {
      case "dot": {
        const dot = this.#sum(Array.from(q, (value, j) => [value, r[j]] as const));
        return this.#sum([
          [qBase, 1],
          [rBase, 1],
          [weight, power ? this.#powerOf(dot, power) : dot],
        ]);
      }
      case "l2":
        return this.#sum(differences.map((d) => [d, d] as const));
      case "l1":
        return this.#sum(differences.map((d) => [d, 1] as const));
      case "linf":
        return differences.reduce((most, d) => Math.max(most, d), 0);
      case "lp":
        return this.#sum(differences.map((d) => [d < SMALLEST_NORMAL ? 0 : this.#pow(d, p), 1] as const));
    }
  }

  #powerOf(dot: number, { shift, times }: PairPower): number {
    const factor = this.#round(dot + this.#flush(this.#neighbour(shift)));
    let power = factor;
    for (let i = 1; i < times; i++) power = this.#round(power * factor);
    return power;
  }

  /** Of products, in the order this device likes. */
  #sum(products: (readonly [number, number])[]): number {
    const { order, fused } = this.#habits;
    if (order === "tree") return this.#tree(products.map(([a, b]) => this.#mul(a, b)));
    const inOrder = order === "ascending" ? products : products.toReversed();
    return inOrder.reduce(
      (sum, [a, b]) => (fused ? this.#round(a * b + sum) : this.#round(sum + this.#mul(a, b))),
      0,
    );
  }

  #tree(terms: number[]): number {
    if (terms.length <= 1) return terms[0] ?? 0;
    const cut = this.#random.int(1, terms.length);
    return this.#round(this.#tree(terms.slice(0, cut)) + this.#tree(terms.slice(cut)));
  }

  #mul(a: number, b: number): number {
    return b === 1 ? a : this.#round(a * b);
  }

  /** exp2(p * log2(x)): log2 errs by 2^-21 in [0.5, 2] and 3 ulp outside, exp2 by 3 + 2 |x| ulp. */
  #pow(x: number, p: number): number {
    const log = Math.log2(x);
    const logError = x >= 0.5 && x <= 2 ? 2 ** -21 : 3 * ULP * Math.abs(log);
    const exponent = this.#round(Math.fround(p) * this.#round(log + this.#drift() * logError));
    const error = (3 + 2 * Math.abs(exponent)) * ULP;
    return this.#round(2 ** exponent * (1 + this.#drift() * error));
  }

  /** -1 to 1, by the rounding. */
  #drift(): number {
    const { rounding } = this.#habits;
    if (rounding === "up" || rounding === "awayFromZero") return 1;
    if (rounding === "down" || rounding === "towardsZero") return -1;
    return rounding === "nearest" ? 0 : this.#random.uniform(-1, 1);
  }

  /** A float64 result as one of the two float32 around it. */
  #round(exact: number): number {
    const rounded = this.#neighbour(exact);
    return this.#habits.flush && Math.abs(rounded) < SMALLEST_NORMAL ? 0 : rounded;
  }

  #neighbour(exact: number): number {
    const near = Math.fround(exact);
    if (near === exact || this.#habits.rounding === "nearest") return near;
    const above = near > exact ? near : nextFloat(near, 1);
    const below = near < exact ? near : nextFloat(near, -1);
    switch (this.#habits.rounding) {
      case "up":
        return above;
      case "down":
        return below;
      case "towardsZero":
        return exact > 0 ? below : above;
      case "awayFromZero":
        return exact > 0 ? above : below;
      case "random":
        return this.#random.bits() & 1 ? above : below;
    }
  }
}

function bitsIn(word: number): number {
  return word.toString(2).replaceAll("0", "").length;
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The next float32 above (direction 1) or below (-1). */
export function nextFloat(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * 2 ** -149;
  float[0] = value;
  bits[0] += value > 0 ? direction : -direction;
  return float[0];
}
