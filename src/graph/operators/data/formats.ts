/** These are the parameters that say what format a file has, which reading and writing operators share. */
import { choice } from "../../catalogue/parameters.ts";

/** The format of a file that is read: one of these, or what the file itself tells. */
export const formatRead = <F extends string>(formats: readonly F[]) =>
  choice(["auto", ...formats], {
    default: "auto",
    says: "format of the file",
    otherwise: "by the extension, else by the first bytes",
  });

/** The format of a file that is written: one of these, or what its name tells. */
export const formatWritten = <F extends string>(formats: readonly F[]) =>
  choice(["auto", ...formats], { default: "auto", says: "of the file; auto goes by its extension" });
