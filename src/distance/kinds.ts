/**
 * This module tells which columns of a matrix are nominal. It is a leaf of its own, since modules that are
 * loaded apart share it.
 */
import type { Matrix } from "../core/matrix.ts";

export function isNominal(kinds: Matrix["kinds"], column: number): boolean {
  return kinds !== undefined && kinds[column] !== "numeric";
}

export function hasNominal(kinds: Matrix["kinds"]): boolean {
  return kinds?.some((kind) => kind !== "numeric") ?? false;
}
