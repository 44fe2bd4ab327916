/** This module explains errors of the file system to users. */
import { InvalidInputError } from "../core/errors.ts";

/**
 * Turns an error of the file system into the user's mistake that it is; other errors come back as they are.
 */
export function fileError(error: unknown, path: string, verb: "read" | "written"): unknown {
  const remedy = error instanceof Error && "code" in error ? remedies.get(String(error.code)) : undefined;
  return remedy === undefined
    ? error
    : new InvalidInputError(`cannot be ${verb}: ${remedy}`, { file: path }, error);
}

const remedies: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file; check the path"],
  ["ENOTDIR", "a part of its path is a file, not a folder; check the path"],
  ["EISDIR", "it is a folder; name a file"],
  ["EACCES", "permission denied; change its permissions or name another file"],
  ["EPERM", "the system does not permit it; name another file"],
  ["EROFS", "the disk is read-only; name a file elsewhere"],
  ["ENOSPC", "the disk is full; free some space or name a file elsewhere"],
  ["EDQUOT", "the disk quota is used up; free some space or name a file elsewhere"],
  ["EFBIG", "the file would be larger than is allowed; raise the limit (ulimit -f) or write to another disk"],
  ["EIO", "the disk or the network it is on failed; check it, or name a file elsewhere"],
  ["EBUSY", "another program or the system holds it; close that, or name another file"],
  ["ETXTBSY", "it is a program that is running; end that, or name another file"],
  ["ENXIO", "nothing is at its other end: it is a device or a socket; name a file or a pipe"],
  ["EMFILE", "this process has too many files open; raise the limit (ulimit -n)"],
  ["ENFILE", "the system has too many files open; close some programs"],
  ["ENAMETOOLONG", "its name is too long; choose a shorter one"],
  ["ELOOP", "its links lead in a circle; name the file itself"],
]);
