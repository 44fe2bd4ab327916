/**
 * Migrations bring files of an older format to the present one. A format also fixes the defaults of
 * parameters, so a migration writes down each default that the new format changes, and the results of an old
 * file stay the same. There is one format yet, so the list is empty; it must hold a migration from each
 * format but the last.
 */
import type { JsonObject } from "./json.ts";

/** Takes a file of one format, and returns the same process in the next one. */
export type Migration = (root: JsonObject) => JsonObject;

/** These migrations follow each other from format 1 on: the first one goes from 1 to 2. */
export const migrations: readonly Migration[] = [];

/** Returns the root of a file of that format, from 1 on, in the format after the last migration. */
export function migrated(root: JsonObject, format: number, steps = migrations): JsonObject {
  const last = steps.slice(format - 1).reduce((before, migrate) => migrate(before), root);
  return new Map([...last, ["nearfield", steps.length + 1]]);
}
