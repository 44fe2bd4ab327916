/** Declares the options of bins, as the catalogue describes them, and checks them as it does. */
import { checkBins } from "../../graph/operators/arrays/arrays.ts";
import { InvalidInputError } from "../../node.ts";

export interface BinFlags {
  readonly bins?: number | undefined;
  readonly edges?: readonly number[] | undefined;
}

/** Returns how many bins there are. @throws InvalidInputError for bins that contradict each other */
export function checkBinOptions({ bins, edges }: BinFlags, range?: readonly number[]): number {
  checkBins({ bins, edges, range }, (message, at) => {
    throw new InvalidInputError(`--${at?.parameter} ${message}`);
  });
  return bins ?? (edges ?? []).length - 1;
}
