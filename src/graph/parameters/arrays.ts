/**
 * This module has the parameters of the operators on matrices and signals, which are options of the commands
 * that do the same. The names of choices stand here again, checked against the library's types, since its
 * rooms are loaded when an operator runs.
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

/** Returns the names of all members of a type, which the compiler counts. */
function namesOf<Name extends string>(names: Readonly<Record<Name, 1>>): readonly Name[] {
  return Object.keys(names) as Name[];
}

export const convolveModes = namesOf<ConvolveMode>({ full: 1, same: 1, valid: 1 });
export const boundaries = namesOf<Boundary>({ constant: 1, reflect: 1, symmetric: 1, edge: 1, wrap: 1 });

export const convolveParameters = {
  taps: optionalNumbers({ least: 1, says: "taps of the mask, such as 3,4,5,4,3" }),
  correlate: flag({
    default: false,
    says: "correlate with the mask as it is, instead of convolving with it reversed",
  }),
  mode: choice(convolveModes, {
    default: "full",
    says: "which outputs to keep: all of them, as many as there are samples, or those that use no sample outside the signal",
  }),
  boundary: choice(boundaries, {
    default: "constant",
    says: "how the signal goes on beyond its ends, as in numpy.pad; all but constant need the mode same",
  }),
  fill: number({ default: 0, says: "value of the samples beyond the ends, with the boundary constant" }),
  wrapOverflow: flag({
    default: false,
    says: "let int32 sums wrap modulo 2^32 instead of failing on overflow",
  }),
};

const techniques = namesOf<"auto" | ConvolveTechnique>({ auto: 1, plain: 1, uniform: 1, tiled: 1, fft: 1 });
/** The technique is the command's alone: a process takes what every device gives. */
export const convolveTechnique = choice(techniques, { default: "auto", says: "algorithm on a GPU" });

export const sortParameters = {
  descending: flag({ default: false, says: "sort the largest first; NaN still come last" }),
};

export const histogramParameters = {
  bins: optionalWholeNumber({ min: 1, says: "number of bins of equal width" }),
  edges: optionalNumbers({
    least: 2,
    says: "ascending edges of the bins, instead of their number, such as 0,18,65",
  }),
  range: optionalNumbers({
    least: 2,
    says: "first and last edge of bins of equal width",
    otherwise: "the smallest and the largest number",
  }),
  float32: flag({ default: false, says: "round numbers to float32 first" }),
};

export const reduceParameters = {
  op: choice(namesOf<ReduceOp>({ sum: 1, min: 1, max: 1, argmin: 1, argmax: 1 }), {
    default: "sum",
    says: "what to compute of each row; argmin and argmax give the column, the lowest one of equal numbers",
  }),
};

export const scanParameters = {
  op: choice(namesOf<ScanOp>({ sum: 1, min: 1, max: 1 }), {
    default: "sum",
    says: "how to combine each number with those before it",
  }),
  exclusive: flag({
    default: false,
    says: "leave each number out of its own sum, so that the first sum is 0",
  }),
};

export const selectParameters = {
  k: wholeNumber({ min: 1, default: 5, says: "how many numbers to take of each row" }),
  largest: flag({ default: true, says: "take the largest", not: "take the smallest" }),
};
