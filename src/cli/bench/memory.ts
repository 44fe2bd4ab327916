/**
 * Sizes that do not fit, as the mistake of the user that they are: what was asked for, the limit, and what to
 * do. Decided before anything is allocated where that can be known, else from the error of whoever ran out.
 */
import { totalmem } from "node:os";
import { InvalidInputError, isNearfieldError } from "../../node.ts";
import { bytesText } from "../format.ts";

/** An array that a bench needs in main memory. */
export interface Need {
  /** The options call it so, such as "--references 1000 x --columns 128". */
  readonly what: string;
  readonly bytes: number;
}

/** Bytes of main memory that a bench may take. @param budget that of --memory */
export function hostMemory(budget: number | undefined): number {
  const allowed = process.constrainedMemory(); // of a container; 0 where nothing limits the process
  return budget ?? (allowed > 0 ? Math.min(allowed, totalmem()) : totalmem());
}

/** @throws InvalidInputError for more memory than there is. */
export function checkFits(needs: readonly Need[], memory: number): void {
  const total = needs.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= memory) return;
  const parts = needs.map(({ what, bytes }) => `${what}: ${bytesText(bytes)}`).join(", ");
  throw new InvalidInputError(
    `the sizes take ${bytesText(total)} of main memory (${parts}), but there are ${bytesText(memory)} to use; ` +
      "choose smaller sizes",
  );
}

/** A lack of memory as an error that names the sizes; any other error as it is. */
export function sizeError(error: unknown, sizes: string): unknown {
  const remedy = isRefusedArray(error)
    ? "choose smaller sizes"
    : isNearfieldError(error, "OutOfMemory") // which says what to raise
      ? "or choose smaller sizes"
      : undefined;
  if (remedy === undefined) return error;
  return new InvalidInputError(`${sizes} do not fit: ${(error as Error).message}; ${remedy}`, {}, error);
}

/** In V8's words. */
function isRefusedArray(error: unknown): error is RangeError {
  return error instanceof RangeError && /^Invalid typed array length|allocation failed/.test(error.message);
}
