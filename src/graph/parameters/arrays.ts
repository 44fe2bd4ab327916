/**
 * The parameters of the operators on matrices and signals, and the options of the commands that do the same.
 * The names of choices stand here again, checked against the library's types, since its rooms are loaded when
 * an operator runs.
 */
import type { Boundary, ConvolveMode, ConvolveTechnique } from "../../ops/convolve/index.ts";
import type { ReduceOp } from "../../ops/reduce/index.ts";
import type { ScanOp } from "../../ops/scan/index.ts";
import {
  choice,
  flag,
  number,
  optionalNumbers,
  optionalWholeNumber,
  wholeNumber,
} from "../catalogue/parameters.ts";

/** The names of all members of a type, which the compiler counts. */
function namesOf<Name extends string>(names: Readonly<Record<Name, 1>>): readonly Name[] {
  return Object.keys(names) as Name[];
}

export const convolveModes = namesOf<ConvolveMode>({ full: 1, same: 1, valid: 1 });
export const boundaries = namesOf<Boundary>({ constant: 1, reflect: 1, symmetric: 1, edge: 1, wrap: 1 });

export const convolveParameters = {
  taps: optionalNumbers({ least: 1, says: "the mask, such as 3,4,5,4,3" }),
  correlate: flag({ default: false, says: "leave the mask as it is, instead of turning it round" }),
  mode: choice(convolveModes, {
    default: "full",
    says: "outputs: all, as many as samples, or those that use nothing outside",
  }),
  boundary: choice(boundaries, {
    default: "constant",
    says: "what lies outside the signal, as numpy.pad says; others need the mode same",
  }),
  fill: number({ default: 0, says: "the samples outside" }),
  wrapOverflow: flag({ default: false, says: "let sums of int32 wrap modulo 2^32" }),
};

const techniques = namesOf<"auto" | ConvolveTechnique>({ auto: 1, plain: 1, uniform: 1, tiled: 1, fft: 1 });
/** The technique is the command's alone: a process takes what every device gives. */
export const convolveTechnique = choice(techniques, { default: "auto", says: "how a GPU goes about it" });

export const sortParameters = {
  descending: flag({ default: false, says: "the largest first; NaN last all the same" }),
};

export const histogramParameters = {
  bins: optionalWholeNumber({ min: 1, says: "the number of bins of equal width" }),
  edges: optionalNumbers({ least: 2, says: "the edges of the bins instead, ascending, such as 0,18,65" }),
  range: optionalNumbers({
    least: 2,
    says: "first and last edge of equal bins",
    otherwise: "the least and the largest",
  }),
  float32: flag({ default: false, says: "round elements to float32" }),
};

export const reduceParameters = {
  op: choice(namesOf<ReduceOp>({ sum: 1, min: 1, max: 1, argmin: 1, argmax: 1 }), {
    default: "sum",
    says: "what of each row; argmin and argmax are columns, the lowest of equal ones",
  }),
};

export const scanParameters = {
  op: choice(namesOf<ScanOp>({ sum: 1, min: 1, max: 1 }), {
    default: "sum",
    says: "of each number and those before it",
  }),
  exclusive: flag({ default: false, says: "leave a number out of its own sum, which begins with 0" }),
};

export const selectParameters = {
  k: wholeNumber({ min: 1, default: 5, says: "numbers per row" }),
  largest: flag({ default: true, says: "the largest", not: "the smallest" }),
};
