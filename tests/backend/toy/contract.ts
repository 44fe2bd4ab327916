/** The contract of `toy.negate`. */

export interface NegateParams {
  readonly count: number;
}

/** input and output: f32 [count] */
export type NegateBinding = "input" | "output";
