/**
 * This module checks the paths that a process file names. They are relative to its folder and stay below it,
 * with / on every system, so that a folder can be sent to somebody else and a stranger's process reaches
 * nothing of one's own.
 */
import { quote } from "./json.ts";

/** This is the same rule as a pattern of the JSON Schema. */
export const PATH_PATTERN =
  "^(?![A-Za-z][A-Za-z0-9+.\\-]*:)(?!\\.{1,2}(/|$))[^/\\\\\\u0000-\\u001f]+" +
  "(/(?!\\.{1,2}(/|$))[^/\\\\\\u0000-\\u001f]+)*$";

/** Returns what is wrong with a path, or undefined. */
export function pathFault(path: string): string | undefined {
  const is = `the path is ${quote(path)}`;
  if (path === "" || path.endsWith("/")) return `${is}; expected the name of a file`;
  if (/[\u0000-\u001f]/.test(path)) return `${is}, which holds a control character; rename the file`;
  if (path.includes("\\")) return `${is}; expected / between folders, on every system`;
  if (/^[a-z][a-z0-9+.-]*:/i.test(path))
    return `${is}; expected a path in the process's folder, no drive or URL`;
  if (path.startsWith("/")) return `${is}; expected one relative to the process's folder`;
  if (path.split("/").some((part) => part === ".." || part === "." || part === ""))
    return `${is}; expected one below the process's folder, without ".", ".." or empty parts`;
  return undefined;
}
