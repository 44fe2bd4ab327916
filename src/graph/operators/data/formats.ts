/** These are the parameters that say what format a file has, which reading and writing operators share. */
import { outputFormat } from "../../../io/index.ts";
import type { FormatName } from "../../../io/index.ts";
import { choice } from "../../catalogue/parameters.ts";
import type { Report } from "../../facts.ts";

/** Describes the format of a file that is read: one of these, or what the file itself tells. */
export const formatRead = <F extends string>(formats: readonly F[]) =>
  choice(["auto", ...formats], {
    default: "auto",
    says: "format of the file",
    otherwise: "by the extension, else by the first bytes",
  });

/** Makes the parameter for the format of a file that is written: one of these, or what its name tells. */
export const formatWritten = <F extends string>(formats: readonly F[]) =>
  choice(["auto", ...formats], { default: "auto", says: "format of the file; auto goes by its extension" });

/**
 * Finds the format to write a file in.
 * @throws InvalidInputError for an extension that no writable format has
 */
export function formatToWrite(path: string, format: FormatName | "auto") {
  return outputFormat(path, format === "auto" ? undefined : format, "format");
}

/** Reports what `find` throws of the name of a file. */
export function checkFile(find: () => unknown, report: Report): void {
  try {
    find();
  } catch (error) {
    report((error as Error).message, { parameter: "file" });
  }
}
