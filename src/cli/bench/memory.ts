/**
 * Reports sizes that do not fit as a mistake of the user: the error says what was asked for, the limit, and
 * what to do. It is thrown before anything is allocated where the need is known in advance; otherwise it is
 * made from the error of the allocation that failed.
 */
import { totalmem } from "node:os";
import { InvalidInputError, isNearfieldError } from "../../node.ts";
import { bytesText } from "../format.ts";

/** A bench needs this array in main memory. */
export interface Need {
  /** It names the need by the options, such as "--references 1000 x --columns 128". */
  readonly what: string;
  readonly bytes: number;
}

/** Returns the bytes of main memory that a bench may take. @param budget the value of --memory */
export function hostMemory(budget: number | undefined): number {
  const allowed = process.constrainedMemory(); // the limit of a container; 0 where nothing limits the process
  return budget ?? (allowed > 0 ? Math.min(allowed, totalmem()) : totalmem());
}

/** @throws InvalidInputError for more memory than there is. */
export function checkFits(needs: readonly Need[], memory: number): void {
  const total = needs.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= memory) return;
  const parts = needs.map(({ what, bytes }) => `${what}: ${bytesText(bytes)}`).join(", ");
  throw new InvalidInputError(
    `the sizes take ${bytesText(total)} of main memory (${parts}), but only ${bytesText(memory)} may be used; ` +
      "choose smaller sizes",
  );
}

/** Turns a lack of memory into an error that names the sizes, and returns any other error as it is. */
export function sizeError(error: unknown, sizes: string): unknown {
  const remedy = isRefusedArray(error)
    ? "choose smaller sizes"
    : isNearfieldError(error, "OutOfMemory") // which says what to raise
      ? "or choose smaller sizes"
      : undefined;
  if (remedy === undefined) return error;
  return new InvalidInputError(`${sizes} do not fit: ${(error as Error).message}; ${remedy}`, {}, error);
}

/** Recognises the error by V8's words. */
function isRefusedArray(error: unknown): error is RangeError {
  return error instanceof RangeError && /^Invalid typed array length|allocation failed/.test(error.message);
}
