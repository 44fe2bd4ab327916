/**
 * A form has these defaults unless it has reasons for others. The file is a leaf of its own, since forms that
 * are loaded apart share it.
 */
import type { Form } from "./form.ts";

export const defaults = {
  p: 2,
  base: "zero",
  weight: -1,
  train: { kind: "plain" },
  queries: { kind: "plain" },
  movable: false,
  isRank: false,
  growth: 1,
  absolute: 0,
  displaced: 0,
  sizeFactor: 0,
  ties: undefined,
  mixed: undefined,
} as const satisfies Partial<Form>;
